/** Numbers below one another: one unit and as many decimals for all, so that they compare at a glance. */

type Unit = readonly [name: string, size: number];

const BYTES: readonly Unit[] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].map((name, k) => [name, 1024 ** k]);
const SECONDS: readonly Unit[] = [
  ["ns", 1e-9],
  ["µs", 1e-6],
  ["ms", 1e-3],
  ["s", 1],
];
const RATES: readonly Unit[] = [
  ["B/s", 1],
  ["kB/s", 1e3],
  ["MB/s", 1e6],
  ["GB/s", 1e9],
  ["TB/s", 1e12],
];

/** Digits of the largest number, decimals among them, and the most decimals. */
const DIGITS = 4;
const DECIMALS = 2;
/** Parts of the largest number that decimals are for: smaller ones keep a unit of their own. */
const RANGE = 1000;

/** How a number of a column is written. */
export type Format = (value: number) => string;

export const bytesColumn = (values: Iterable<number>): Format => column(values, BYTES);
export const secondsColumn = (values: Iterable<number>): Format => column(values, SECONDS);
export const ratesColumn = (values: Iterable<number>): Format => column(values, RATES);

/**
 * The format of a column. The unit is that of the largest number; numbers have three significant digits, but
 * no more than four in all; the smallest, which would have fewer than two, have a unit of their own.
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
  return (value) => {
    const shown = (value / size).toFixed(decimals);
    if (value === 0) return `0 ${name}`;
    const enough = value / size >= 10 ** (1 - decimals) || Number(shown) * size === value;
    return enough ? `${shown} ${name}` : alone(value, units);
  };
}

/** A number with three significant digits, in the unit that fits it. */
function alone(value: number, units: readonly Unit[]): string {
  const [name, size] = unitOf(value, units);
  return `${Number((value / size).toPrecision(3))} ${name}`;
}

function unitOf(value: number, units: readonly Unit[]): Unit {
  return units.findLast(([, size]) => value >= size) ?? (units[0] as Unit);
}
