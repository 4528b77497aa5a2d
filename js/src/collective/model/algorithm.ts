/** The algorithms of a collective that a reader may choose. */
import type { Plan } from "../../core/document.gen";

export type Algorithm = Plan["algorithm"];

export const ALGORITHMS: readonly Algorithm[] = ["meaning", "ring", "bidirectional ring", "halving-doubling"];

/** Why an algorithm cannot be chosen. */
export function notFor(name: Algorithm): string {
  return name === "halving-doubling"
    ? "needs a power of two devices, and a collective that it applies to"
    : "does not apply to this collective";
}
