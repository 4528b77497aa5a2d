/** What stands in the cells of a table, stated once: `card/Cell.tsx` and `draw/cells.ts` write it. */
import type { Column } from "./columns.gen";
import type { Token } from "./text";

/** Words of one look. */
export interface Words {
  readonly text: string;
  readonly mono?: boolean;
  readonly strong?: boolean;
  /** `count`: of how many equal ones it says, as a tag. */
  readonly tone?: "soft" | "warn" | "ok" | "error" | "count" | undefined;
  /** What pointing at it says. */
  readonly title?: string | undefined;
  /** What it says in a picture where it has no room. */
  readonly short?: string;
  /** Its runs, so that mesh axes take their colour. */
  readonly tokens?: (text: string) => readonly Token[];
}

/** A mesh axis: a chip, with what it says of it. */
export interface AxisName {
  readonly axis: number;
  readonly name: string;
  readonly says?: string | number | undefined;
}

/** Bars of time behind one another, in the colours of mesh axes: each a share of the column's scale. */
export interface Times {
  readonly times: readonly { readonly axes: readonly AxisName[]; readonly share: number }[];
}

/** Bytes of a device as a bar: all, and of those what no other device has; shares of the column's scale. */
export interface HeldBytes {
  readonly held: number;
  readonly own: number;
}

export type Piece = Words | AxisName | Times | HeldBytes;

/** Its lines: the second stands below the first, smaller. */
export type Cell = readonly (readonly Piece[])[];

/** The cells of a line, by column. */
export type Cells<C extends readonly Column[]> = Readonly<Record<C[number]["key"], Cell>>;

/** Code: types, names, numbers. */
export function mono(text: string, rest: Omit<Words, "text" | "mono"> = {}): Words {
  return { text, mono: true, ...rest };
}

export function soft(text: string, rest: Omit<Words, "text" | "tone"> = {}): Words {
  return { text, tone: "soft", ...rest };
}

/** The mesh axes of a name each. */
export function axesOf(mesh: { axisOf(name: string): number }, names: readonly string[]): AxisName[] {
  return names.map((name) => ({ axis: mesh.axisOf(name), name }));
}
