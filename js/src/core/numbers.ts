/**
 * How the numbers of a variable are written: one format for all its blocks, the result and the sums on the way, so that
 * digits stand under digits and a sum can be read off. Pure.
 */
import type { Block } from "./document.gen";

/** A number, real and imaginary. */
export type Value = readonly [number, number];

export interface NumberFormat {
  text: (value: Value) => string;
  /** Characters of the widest number that it was made for. */
  width: number;
  /** `×10⁸` where all share an exponent, else empty. */
  exponent: string;
}

/** What numbers are of: how they are told apart. */
export type NumberKind = "bool" | "int" | "float" | "complex" | "key";

export function kindOf(format: Block["format"], type = ""): NumberKind {
  if (type.startsWith("key<")) return "key";
  if (format === "b1") return "bool";
  if (format === "c8" || format === "c16") return "complex";
  return format.startsWith("f") ? "float" : "int";
}

/**
 * The shortest format that writes values exactly, or tells neighbouring ones apart, with at least three significant digits
 * of the greatest. Where that leaves too little of too many, each number has three digits of its own.
 *
 * `sums` need room too, but not their last digits.
 */
export function formatOf(kind: NumberKind, values: readonly Value[], sums: readonly Value[] = []): NumberFormat {
  const given = [...values, ...sums];
  // Of equal numbers, of which blocks have many, one is enough.
  const all = kind === "complex" ? given : [...new Map(given.map((v) => [v[0], v])).values()];
  if (kind === "bool") return made((v) => (v === 0 ? "False" : "True"), all, kind, "");
  // The words of a key are bits.
  if (kind === "key") return made(keyWord, all, kind, "");
  const partsOf = (some: readonly Value[]) =>
    some.flatMap((v) => (kind === "complex" ? v : [v[0]])).filter(Number.isFinite);
  const [parts, own] = [partsOf(all), partsOf(values)];
  const most = parts.reduce((a, v) => Math.max(a, Math.abs(v)), 0);
  const widest = kind === "complex" ? COMPLEX : WIDEST;
  const whole = kind === "int" || parts.every(Number.isInteger);
  if (whole && parts.reduce((a, v) => Math.max(a, String(v).length), 0) <= widest)
    return made((v) => odd(v) ?? String(v), all, kind, "");
  const power = most > 0 ? Math.floor(Math.log10(most)) : 0;
  const plain = power < widest - 2 && power >= -3;
  const scale = plain ? 0 : power;
  const signed = parts.some((v) => v < 0) ? 1 : 0;
  // Characters before the decimals: sign, digits, point.
  const before = signed + (plain ? Math.max(1, power + 1) : 1) + 1;
  const least = plain ? Math.max(0, 2 - power) : 2;
  const room = Math.max(least, widest - before);
  const decimals = kind === "complex" ? least : apart(own, scale, least, Math.min(room, MOST_DECIMALS));
  const left = own.filter((v) => v !== 0);
  const weak = left.filter((v) => Math.abs(v) < 10 ** (scale + 1 - decimals) && !exact(v, scale, decimals));
  if (kind !== "complex" && 4 * weak.length > left.length)
    return made((v) => odd(v) ?? (kind === "int" && Math.abs(v) < 1e5 ? `${v}` : alone(v)), all, kind, "");
  const write = (v: number) => {
    const text = odd(v) ?? fixed(v, scale, decimals);
    // A number that would be written as 0 shows at least its order of magnitude.
    return v !== 0 && Number(text) === 0 ? (v / 10 ** scale).toExponential(0) : text;
  };
  return made(write, all, kind, scale === 0 ? "" : `×10${superscript(scale)}`);
}

/** Characters of a number before all share an exponent. */
const WIDEST = 7;
const COMPLEX = 4;
const MOST_DECIMALS = 4;

/** A word of a key. */
export function keyWord(v: number): string {
  return v.toString(16).padStart(8, "0");
}

function made(write: (v: number) => string, all: readonly Value[], kind: NumberKind, exponent: string): NumberFormat {
  const text = ([re, im]: Value) =>
    kind === "complex" ? `${write(re)}${im < 0 || Object.is(im, -0) ? "-" : "+"}${write(Math.abs(im))}i` : write(re);
  return { text, exponent, width: all.reduce((a, v) => Math.max(a, text(v).length), 1) };
}

/** What is not a finite number, as numpy prints it; null for one that is. */
function odd(v: number): string | null {
  if (Number.isNaN(v)) return "nan";
  return Number.isFinite(v) ? null : v > 0 ? "inf" : "-inf";
}

/** Decimals with which numbers are written exactly, else those that differ also differently, between bounds. */
function apart(parts: readonly number[], scale: number, least: number, most: number): number {
  const distinct = [...new Set(parts)];
  const differ = (decimals: number) => new Set(distinct.map((v) => fixed(v, scale, decimals))).size === distinct.length;
  const choices = Array.from({ length: most - least + 1 }, (_, i) => least + i);
  return (
    choices.find((decimals) => distinct.every((v) => exact(v, scale, decimals))) ??
    choices.find(differ) ??
    // Where even the most decimals are not enough, more digits would only be noise.
    (distinct.length > 1 && most > least ? Math.min(most, least + 1) : least)
  );
}

/** Whether a number is no more than what is written of it, as a float of 32 bits at least. */
function exact(v: number, scale: number, decimals: number): boolean {
  const read = Number(`${fixed(v, scale, decimals)}e${scale}`);
  return read === v || Math.fround(read) === v;
}

/** Three significant digits of a number: `0.0123`, `1.23e-8`. */
function alone(v: number): string {
  const size = Math.abs(v);
  if (v === 0) return "0";
  if (size < 1e-3 || size >= 1e5) return v.toExponential(2).replace("+", "");
  return size < 100 ? v.toPrecision(3) : v.toFixed(0);
}

function fixed(v: number, scale: number, decimals: number): string {
  const text = (v / 10 ** scale).toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

function superscript(n: number): string {
  return [...String(n)].map((c) => (c === "-" ? "⁻" : (SUPERSCRIPT[Number(c)] ?? ""))).join("");
}

const SUPERSCRIPT = [..."⁰¹²³⁴⁵⁶⁷⁸⁹"];

/**
 * `5 + 4 = 9`, with `≈` where the numbers that are written do not add up, and a word where integers of a type overflow;
 * `max(5, 4) = 5`.
 */
export function equation(combines: string, terms: readonly string[], total: string, dtype: string): string {
  const some = (sign: string) =>
    terms.length > 6 ? [...terms.slice(0, 4), "…", terms.at(-1)].join(sign) : terms.join(sign);
  if (combines !== "sum") return `${combines}(${some(", ")}) = ${total}`;
  const { sign, note } = relation(terms, total, dtype);
  return `${some(" + ")} ${sign} ${total}${note && ` (${note})`}`;
}

/** How written terms and their written total relate: digit for digit, rounded, or with an overflow of integers. */
export function relation(terms: readonly string[], total: string, dtype: string): { sign: "=" | "≈"; note: string } {
  const all = terms.map(readValue);
  const missing = readValue(total).map((sum, i) => {
    const parts = all.map((v) => v[i] ?? 0);
    const rest = parts.reduce((a, b) => a + b, -sum);
    // Values that are not finite are not checked.
    return !Number.isFinite(rest) || Math.abs(rest) <= 1e-9 * Math.max(...[sum, ...parts].map(Math.abs)) ? 0 : rest;
  });
  if (missing.every((rest) => rest === 0)) return { sign: "=", note: "" };
  const bits = bitsOf(dtype);
  const overflows = bits > 0 && missing.every((rest) => rest % 2 ** bits === 0);
  return overflows ? { sign: "=", note: `${dtype} wraps around` } : { sign: "≈", note: "" };
}

/** A sum of integers as a device computes it, modulo the range of their type; others stay. */
export function wrapped(sum: number, dtype: string): number {
  const bits = bitsOf(dtype);
  if (bits === 0 || bits > 32) return sum;
  const range = 2 ** bits;
  const positive = ((sum % range) + range) % range;
  return dtype.startsWith("int") && positive >= range / 2 ? positive - range : positive;
}

/** Bits of a type of integers; 0 of another one. */
function bitsOf(dtype: string): number {
  return Number(/^u?int(\d+)$/.exec(dtype)?.[1] ?? 0);
}

/** The parts of a number that was written: of a complex one both; of a product `3·4` its value. */
function readValue(text: string): readonly number[] {
  if (text.endsWith("i"))
    return text
      .slice(0, -1)
      .split(/(?<=\d)(?=[+-])/)
      .map(Number);
  return [text.split("·").reduce((product, factor) => product * Number(factor), 1)];
}
