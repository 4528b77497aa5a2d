/** The editor of a spec as a part of other cards. */
export { SpecEditor } from "./editor";
export { historyKeys, keysOf } from "./keys";
export { default as editorStyles } from "./playground.css";
export { EditorSheet } from "./Sheet";
