/** The algorithms of a collective that a reader may choose. */
import type { Plan } from "../../core/document.gen";

export type Algorithm = Plan["algorithm"];

const ELSEWHERE = "does not apply to this collective";

/** Why each cannot be chosen. */
export const NOT_FOR: Readonly<Record<Algorithm, string>> = {
  meaning: ELSEWHERE,
  ring: ELSEWHERE,
  "bidirectional ring": ELSEWHERE,
  "halving-doubling": "needs a power of two devices, and a collective that it applies to",
};

export const ALGORITHMS = Object.keys(NOT_FOR) as Algorithm[];
