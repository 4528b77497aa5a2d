/** The card of an array as a part of others, which edit it or ask about it. */
export { default as arrayStyles } from "./array.css";
export { Canvas } from "./Canvas";
export { ArrayCard } from "./Card";
export { Key } from "./Foot";
export { summarize } from "./model/summary";
export * as arrayParts from "./parts/parts";
export { WHOLE } from "./scene/faces";
export { ArrayState } from "./state";
export { Facets, Roles } from "./Tools";
