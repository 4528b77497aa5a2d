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
export type NumberKind = "bool" | "int" | "float" | "complex";

export function kindOf(format: Block["format"]): NumberKind {
  if (format === "b1") return "bool";
  if (format === "c8" || format === "c16") return "complex";
  return format.startsWith("f") ? "float" : "int";
}

/**
 * The shortest format that tells neighbouring values apart, with at least three significant digits of the greatest.
 *
 * `sums` need room too, but not their last digits.
 */
export function formatOf(kind: NumberKind, values: readonly Value[], sums: readonly Value[] = []): NumberFormat {
  const all = [...values, ...sums];
  if (kind === "bool") return made((v) => (v === 0 ? "False" : "True"), all, kind, "");
  const partsOf = (some: readonly Value[]) =>
    some.flatMap((v) => (kind === "complex" ? v : [v[0]])).filter(Number.isFinite);
  const parts = partsOf(all);
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
  const decimals = kind === "complex" ? least : apart(partsOf(values), scale, least, Math.min(room, MOST_DECIMALS));
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

/** Decimals with which numbers that differ are also written differently, between bounds. */
function apart(parts: readonly number[], scale: number, least: number, most: number): number {
  const distinct = [...new Set(parts)];
  for (let decimals = least; decimals <= most; decimals++) {
    if (new Set(distinct.map((v) => fixed(v, scale, decimals))).size === distinct.length) return decimals;
  }
  // Where even the most decimals are not enough, more digits would only be noise.
  return distinct.length > 1 && most > least ? Math.min(most, least + 1) : least;
}

function fixed(v: number, scale: number, decimals: number): string {
  const text = (v / 10 ** scale).toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

function superscript(n: number): string {
  return [...String(n)].map((c) => (c === "-" ? "⁻" : (SUPERSCRIPT[Number(c)] ?? ""))).join("");
}

const SUPERSCRIPT = [..."⁰¹²³⁴⁵⁶⁷⁸⁹"];

/** Whether written terms make the written total, by the digits that are shown. */
export function addsUp(format: NumberFormat, terms: readonly Value[], total: Value): boolean {
  const shown = terms.map((v) => Number(format.text(v)));
  const sum = Number(format.text(total));
  if (![...shown, sum].every(Number.isFinite)) return true;
  return Math.abs(shown.reduce((a, b) => a + b, 0) - sum) < 1e-9 * Math.max(1, Math.abs(sum));
}
