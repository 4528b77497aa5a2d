/** How arrays are put into chunks, for exercises. */
export { startsOf } from "./reshard";
