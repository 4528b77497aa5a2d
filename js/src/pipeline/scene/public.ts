/** Colours of tasks, for exercises. */
export { KINDS } from "../model/tasks";
export { colorOf, paletteOf } from "./palette";
