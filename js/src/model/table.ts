/** Items that travelled as a table. */

/** Of a field: the distinct values, and for each item the index of its own; -1 stands for null. */
interface Column {
  at: readonly number[];
  values?: readonly unknown[];
  /** In place of values that are items themselves. */
  table?: Table;
  /** In place of values that are lists of items: how many of the table's each has. */
  counts?: readonly number[];
}

type Table = Readonly<Record<string, Column>>;

/** The items of a table; what is a list already stays as it is. Equal values are one object. */
export function items(wire: unknown): unknown {
  if (typeof wire !== "object" || wire === null || Array.isArray(wire)) return wire;
  const columns = Object.entries(wire as Table).map(([name, { at, ...rest }]) => ({ name, at, values: values(rest) }));
  return Array.from({ length: columns[0]?.at.length ?? 0 }, (_, row) =>
    Object.fromEntries(columns.map(({ name, at, values }) => [name, values[at[row] ?? -1] ?? null])),
  );
}

function values({ values, table, counts }: Omit<Column, "at">): readonly unknown[] {
  if (values) return values;
  const flat = items(table) as unknown[];
  if (!counts) return flat;
  let end = 0;
  return counts.map((n) => {
    end += n;
    return flat.slice(end - n, end);
  });
}
