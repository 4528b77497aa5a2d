/** What an array needs after its first picture: what is lit, keys, forms of the sharding, the lens of a very large mesh, the change of placement. */

export { Pinch } from "../pinch";
export { lensAtPoint, lensMarks } from "../scene/lens";
export { overlayMarks } from "../scene/overlay";
export { changes, showChange } from "./change";
export { formsOf } from "./forms";
export { goesTo, onKey } from "./keys";

/** The same, where it is loaded: `array-parts.js`. */
export type ArrayParts = typeof import("./parts");
