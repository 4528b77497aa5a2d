/** What is looked at of device orders: the card of programs has these fields before the board is loaded. */
import type { Link } from "./model/links";

/** What is looked at. */
export const AT_FIRST = {
  order: 0,
  /** The plane of chips; null for that of the link which carries most. */
  plane: null as number | null,
  /** The crossing that is shown alone, and the one that is pointed at; -1 for all. */
  focus: -1,
  over: -1,
  /** The link that is pointed at. */
  lit: null as { order: number; link: Link } | null,
};
export type LinksFields = typeof AT_FIRST;
