/**
 * How quantities are written: bytes, times, rates and shares, alone and below one another. `shardwidget/_format.py` says the
 * same in Python; `tests/formats.json` holds both to it.
 */

/** Names of units, each so many times the one before it; and the size of the first. */
type Scale = readonly [names: readonly string[], times: number, first: number];

const BYTES: Scale = [["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], 1024, 1];
const SECONDS: Scale = [["ns", "µs", "ms", "s"], 1000, 1e-9];
const RATES: Scale = [["B/s", "kB/s", "MB/s", "GB/s", "TB/s"], 1000, 1];
const FLOPS: Scale = [["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"], 1000, 1];

/** Whole bytes in binary units, three significant digits: `1.46 KiB`, `1023 B`. */
export function bytes(n: number): string {
  return alone(Math.round(n), BYTES);
}

/** Seconds, three significant digits: `186 µs`. */
export function duration(s: number): string {
  return s === 0 ? "0 s" : alone(s, SECONDS);
}

/** Bytes a second in decimal units, as links are sold: `45.2 GB/s`. */
export function rate(perSecond: number): string {
  return alone(perSecond, RATES);
}

/** Floating-point operations in decimal units: `67.6 MFLOP`. */
export function flops(n: number): string {
  return alone(n, FLOPS);
}

/** How many times as much: `1.93×`, with fewer decimals from 10 on. */
export function times(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : ratio < 100 ? 1 : 0)}×`;
}

/** A share of 1, at most one decimal: `27.3 %`; `<0.1 %` and `>99.9 %` are not all or nothing. */
export function percent(share: number): string {
  return percents([share])(share);
}

/** Shares below one another: one decimal for all, or none where all are whole; `0 %` has none. */
export function percents(shares: Iterable<number>): Format {
  const tenths = (share: number) => (100 * share).toFixed(1);
  const decimals = [...shares].every((share) => tenths(share).endsWith(".0")) ? 0 : 1;
  return (share) => {
    const shown = tenths(share);
    if (shown === "0.0") return share > 0 ? "<0.1 %" : "0 %";
    return shown === "100.0" && share < 1 ? ">99.9 %" : `${(100 * share).toFixed(decimals)} %`;
  };
}

/** Times on an axis, in the unit of its step, or of what is beside it: `0`, `2.5 ms`. */
export function timeAxis(step: number, beside = step): Format {
  const [name, size] = unitOf(beside, SECONDS);
  return (seconds) => (seconds === 0 ? "0" : `${Number((seconds / size).toPrecision(6))} ${name}`);
}

/** In the largest unit of which it is at least one, once it is rounded: 999.9 µs are 1 ms. */
function alone(value: number, [names, times, first]: Scale): string {
  let scaled = value / first;
  let k = 0;
  for (; rounded(scaled) >= times && k < names.length - 1; k++) scaled /= times;
  return `${rounded(scaled)} ${names[k]}`;
}

/** Three significant digits; what is 1000 or more keeps its whole part: 1023 KiB, not 1020. */
function rounded(value: number): number {
  return value < 1000 ? Number(value.toPrecision(3)) : Math.round(value);
}

/** Digits of the largest number of a column, decimals among them, and the most decimals. */
const DIGITS = 4;
const DECIMALS = 2;
/** Parts of the largest number that decimals are for. */
const RANGE = 1000;

/** How a number of a column is written. */
export type Format = (value: number) => string;

export const bytesColumn = (values: Iterable<number>): Format => column(values, BYTES);
export const secondsColumn = (values: Iterable<number>): Format => column(values, SECONDS);
/** Seconds in the unit of the largest, as it is written alone in the sentences beside them: 1.49 ms and 0.37 ms. */
export const secondsBeside = (values: Iterable<number>): Format => column(values, SECONDS, false);
export const ratesColumn = (values: Iterable<number>): Format => column(values, RATES);

/**
 * Numbers below one another: one unit, that of the largest, and as many decimals for all, so that they compare at a glance.
 * Three significant digits, but no more than four in all; `smaller`: in the next unit where most are parts of one. What would be written as zero is `<0.01 MiB`.
 */
function column(values: Iterable<number>, scale: Scale, smaller = true): Format {
  const some = [...values].filter((value) => value > 0);
  const most = some.reduce((a, b) => Math.max(a, b), 0);
  const large = some.filter((value) => value * RANGE >= most);
  // 1408 MiB beside 704 MiB and 88 MiB, not 1.38 GiB beside parts of one.
  const [, whole] = unitOf(most, scale);
  const parts = smaller && large.filter((value) => value < whole).length > large.length / 2;
  const [name, size] = unitOf(parts && most < 10 * whole ? 0.99 * whole : most, scale);
  const near = large.map((value) => value / size);
  const least = near.reduce((a, b) => Math.min(a, b), most / size);
  const room = Math.min(DECIMALS, DIGITS - String(Math.floor(most / size)).length);
  const wanted = Math.max(0, Math.min(room, 2 - Math.floor(Math.log10(least || 1))));
  // No decimals that are zero in all of them.
  const rounded = new Set(near.map((value) => Number(value.toFixed(wanted))));
  const decimals = Math.max(0, ...[...rounded].map((value) => (String(value).split(".")[1] ?? "").length));
  const last = 10 ** -decimals;
  return (value) => {
    if (value === 0) return `0 ${name}`;
    return value / size < last / 2
      ? `<${last.toFixed(decimals)} ${name}`
      : `${(value / size).toFixed(decimals)} ${name}`;
  };
}

/** The largest unit of which a value is at least one; of nothing at all the plain one: 0 s, not 0 ns. */
function unitOf(value: number, [names, times, first]: Scale): readonly [name: string, size: number] {
  const sizes = names.map((_, k) => Number((first * times ** k).toPrecision(15)));
  const k = Math.max(0, value === 0 ? sizes.indexOf(1) : sizes.findLastIndex((size) => value >= size));
  return [names[k] as string, sizes[k] as number];
}
