/** How tables are written, from their declared columns. */
import type { Column } from "./columns.gen";
import { bytesColumn, type Format, percents, ratesColumn, secondsColumn } from "./format";

type Key<C extends readonly Column[]> = C[number]["key"];

/** The numbers of a line: one, several, or none in each column. */
export type Numbers<C extends readonly Column[]> = { readonly [K in Key<C>]?: number | readonly number[] | null };

const FORMATS: Readonly<Record<NonNullable<Column["unit"]>, (values: Iterable<number>) => Format>> = {
  text: () => String,
  bytes: bytesColumn,
  seconds: secondsColumn,
  rate: ratesColumn,
  share: percents,
};

export type Figures<C extends readonly Column[]> = Readonly<Record<Key<C>, Format>>;

/** How the numbers of each column are written: in one unit. */
export function figuresOf<const C extends readonly Column[]>(columns: C, lines: readonly Numbers<C>[]): Figures<C> {
  const written = columns.map(({ key, unit = "text" }: Column) => {
    const values = lines.flatMap((line) => line[key as Key<C>] ?? []);
    return [key, FORMATS[unit](values)];
  });
  return Object.fromEntries(written) as Figures<C>;
}

/** The columns that fit a width, without those that give way. */
export function fitting<C extends Column>(columns: readonly C[], width: number): C[] {
  const order = columns.filter((c) => c.gives_way).sort((a, b) => (a.gives_way ?? 0) - (b.gives_way ?? 0));
  const kept = new Set(columns);
  for (const column of order) {
    if ([...kept].reduce((sum, { room = 0 }) => sum + room, 0) <= width) break;
    kept.delete(column);
  }
  return [...kept];
}

/** The head of a column. */
export function headOf<const C extends readonly Column[]>(columns: C, key: Key<C>): string {
  return columns.find((column) => column.key === key)?.head ?? "";
}
