/** The entry of what an array needs after its first picture: Python brings it to every array. */
export * from "./parts";
