/** What an array needs after its first picture: the lens of a very large mesh, the change to another placement. */
export { lensAtPoint, lensMarks } from "../scene/lens";
export { changes, showChange } from "./change";

/** The same, where it is loaded: `array-parts.js`. */
export type ArrayParts = typeof import("./parts");
