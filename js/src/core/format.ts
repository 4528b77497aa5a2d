/**
 * How quantities are written: bytes, times, rates and shares, alone and below one another. `shardwidget/_format.py` says the
 * same in Python; `tests/formats.json` holds both to it.
 */

type Unit = readonly [name: string, size: number];

const BYTES: readonly Unit[] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].map((name, k) => [name, 1024 ** k]);
const SECONDS: readonly Unit[] = [
  ["ns", 1e-9],
  ["µs", 1e-6],
  ["ms", 1e-3],
  ["s", 1],
];
const RATES: readonly Unit[] = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"].map((name, k) => [name, 1000 ** k]);

/** Significant digits of a quantity that stands alone. */
const SIGNIFICANT = 3;

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

/** A share of 1, at most one decimal: `27.3 %`; `<0.1 %` and `>99.9 %` are not all or nothing. */
export function percent(share: number): string {
  const shown = Number((100 * share).toFixed(1));
  if (shown === 0 && share > 0) return "<0.1 %";
  if (shown === 100 && share < 1) return ">99.9 %";
  return `${shown} %`;
}

/** Times on an axis, in the unit of its step: `0`, `2.5 ms`. */
export function timeAxis(step: number): Format {
  const [name, size] = unitOf(step, SECONDS);
  return (seconds) => (seconds === 0 ? "0" : `${Number((seconds / size).toPrecision(6))} ${name}`);
}

function alone(value: number, units: readonly Unit[]): string {
  const write = ([name, size]: Unit) => {
    const scaled = value / size;
    // What is rounded keeps its whole part: 1023 KiB, not 1020.
    return [scaled >= 1000 ? Math.round(scaled) : Number(scaled.toPrecision(SIGNIFICANT)), name] as const;
  };
  const k = Math.max(
    0,
    units.findLastIndex(([, size]) => value >= size),
  );
  const next = units[k + 1];
  const [shown, name] = write(units[k] as Unit);
  // 999.9 µs are 1 ms.
  return next && shown * (units[k] as Unit)[1] >= next[1] ? write(next).join(" ") : `${shown} ${name}`;
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
export const ratesColumn = (values: Iterable<number>): Format => column(values, RATES);

/**
 * Numbers below one another: one unit, that of the largest, and as many decimals for all, so that they compare at a glance.
 * Three significant digits, but no more than four in all; what would be written as zero is `<0.01 MiB`.
 */
function column(values: Iterable<number>, units: readonly Unit[]): Format {
  const some = [...values].filter((value) => value > 0);
  const most = some.reduce((a, b) => Math.max(a, b), 0);
  const large = some.filter((value) => value * RANGE >= most);
  // 1408 MiB beside 704 MiB and 88 MiB, not 1.38 GiB beside parts of one.
  const [, whole] = unitOf(most, units);
  const parts = large.filter((value) => value < whole).length > large.length / 2;
  const [name, size] = unitOf(parts && most < 10 * whole ? 0.99 * whole : most, units);
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

function unitOf(value: number, units: readonly Unit[]): Unit {
  // Nothing at all is 0 s, not 0 ns.
  const found = value === 0 ? units.find(([, size]) => size === 1) : units.findLast(([, size]) => value >= size);
  return found ?? (units[0] as Unit);
}
