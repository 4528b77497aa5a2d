/** What a collective does to blocks, in the words of pictures. */
import type { Collective } from "../../core/document.gen";

type Meaning = Pick<Collective, "semantics"> | null | undefined;

/** Every rank ends with the blocks of all, side by side. */
export const gathers = (c: Meaning): boolean => c?.semantics.cuts === "received";
/** Every rank ends with a part of what all hold together. */
export const scatters = (c: Meaning): boolean => c?.semantics.cuts === "sent";
/** Every rank sends each other rank a chunk of its own. */
export const exchanges = (c: Meaning): boolean => c?.semantics.by_origin === true && c.semantics.cuts !== "none";
/** What is sent to a rank is not a chunk of a block, but as many rows as the program says. */
export const ragged = (c: Meaning): boolean => c?.semantics.by_origin === true && c.semantics.cuts === "none";
/** Whole blocks go from one rank to another. */
export const permutes = (c: Meaning): boolean =>
  c?.semantics.cuts === "none" && !c.semantics.by_origin && c.semantics.starts === "nothing";
/** One rank's block goes to all. */
export const tells = (c: Meaning): boolean => c?.semantics.starts === "source";
/** All ranks end with what their blocks make together. */
export const reducesAll = (c: Meaning): boolean =>
  (c?.semantics.combines ?? "") !== "" && c?.semantics.replicates === true;
