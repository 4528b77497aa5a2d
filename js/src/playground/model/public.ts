/** Drafts of a spec, for exercises and tests. */
export { draft } from "./draft";
export { placementOf } from "./playground";
