/** The pages that few readers turn to, as the card knows them: a bundle of its own, loaded when one of them is opened. */
import type { Acts, Find } from "../card/keys";
import type { Badge } from "../core/text";

/** A page that is opened. */
export interface Opened {
  /** Renders into an element: a tree of its own, of the bundle's own Preact. */
  draw(host: Element): void;
  /** Paints its pictures where they have changed. */
  paint(): void;
  /** Renders what belongs to the card's tools. */
  tools?(host: Element): void;
  /** What it comes to; null where that is not known. */
  badges(): readonly Badge[] | null;
  /** Where a badge goes. */
  go?(to: string): void;
  /** The sentence that says it first; none where there is nothing to say it of. */
  verdict(): string | undefined;
  /** Keys in the card's foot that do nothing here. */
  idle?(): readonly string[];
  /** What keys do. */
  keys(find: Find, target: Element): Acts;
}

export type Pages = Readonly<Record<"memory" | "overlap" | "links", Opened>>;

/** What the bundle is: it makes the pages of one card, in its shadow root. */
export interface PagesModule<State> {
  default(state: State, root: ShadowRoot): Pages;
}

/** The memory page: the step that is looked at, the line and the buffer that stand out, the limit. */
export const START = {
  /** The step that is looked at; null for the peak. */
  at: null as number | null,
  /** Whether it stays when the pointer leaves. */
  pinned: false,
  /** The stretch that is being drawn. */
  span: null as readonly [number, number] | null,
  /** Index of the user's line that stands out. */
  line: null as number | null,
  /** Key of the row that stands out. */
  row: null as string | null,
  /** Rows that are in the page. */
  rows: 40,
  /** Index of the chip whose memory is the limit: -1 for none, -2 for an own number; null for the program's. */
  chip: null as number | null,
  /** The reader's own number, in GiB. */
  own: 16,
};
export type MemoryFields = typeof START;

/** The overlap page. */
export const AT_FIRST = {
  /** The line that is looked at. */
  line: 0,
  /** How many lines are in the page. */
  rows: 100,
  /** What stands below: the collectives, or the costliest lines. */
  below: "what waits" as "what waits" | "roofline",
};
export type OverlapFields = typeof AT_FIRST;
