/** Items that are sent as a table. */
import type { Ints } from "./document.gen";
import { MOST_PACKED, unpack } from "./ints";
import { product } from "./mesh";
import { DocumentError } from "./wire";

/** Integers, packed where they are many. */
type Numbers = readonly number[] | Ints;

/** For a field: the distinct values, and for each item the index of its value; one past the last means null. */
interface Column {
  at: Numbers;
  values?: readonly unknown[] | Ints;
  /** In place of values that are items themselves. */
  table?: Table;
  /** Where values are lists, or texts: how many of the table's items, of the values or of the words each has. */
  counts?: Numbers;
  /** The words of texts, whose values are indices of these. */
  words?: readonly string[];
  /** Of texts of one word: the number that each ends with, -1 for none. */
  ends?: Numbers;
}

type Table = Readonly<Record<string, Column>>;

/**
 * The items of a table; what is a list already stays as it is. Equal values are one object.
 *
 * @throws DocumentError an index is of no value.
 */
export function items(wire: unknown): unknown {
  if (typeof wire !== "object" || wire === null || Array.isArray(wire)) return wire;
  const columns = Object.entries(wire as Table).map(([name, column]) => ({
    name,
    at: list(column.at) as number[],
    values: values(column),
  }));
  const rows = columns[0]?.at.length ?? 0;
  for (const { name, at, values } of columns) {
    if (at.length !== rows || !at.every((index) => index >= 0 && index <= values.length)) {
      damaged(`lacks values of ${name}`);
    }
  }
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map(({ name, at, values }) => [name, values[at[row] ?? -1] ?? null])),
  );
}

function values({ values, words, table, counts, ends }: Column): readonly unknown[] {
  const flat = table ? (items(table) as unknown[]) : list(values ?? []);
  if (words && ends) {
    const numbers = list(ends) as number[];
    return flat.map((k, i) => `${words[k as number]}${(numbers[i] ?? -1) < 0 ? "" : numbers[i]}`);
  }
  if (!counts) return flat;
  let end = 0;
  return (list(counts) as number[]).map((n) => {
    end += n;
    const part = flat.slice(end - n, end);
    return words ? part.map((k) => words[k as number]).join(" ") : part;
  });
}

function list(wire: readonly unknown[] | Ints): readonly unknown[] {
  if (!("raw" in wire)) return wire;
  if (!(product(wire.shape) <= MOST_PACKED)) damaged("has more integers than are written");
  return [...unpack(wire)];
}

function damaged(how: string): never {
  throw new DocumentError(`This document is damaged: a table ${how}. Make the view again.`);
}
