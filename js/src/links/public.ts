/** Device orders on their links as a part of other cards. */
export { Boards, Legend } from "./Boards";
export { Board } from "./board";
export type { LinksFields } from "./fields";
export { default as linksStyles } from "./links.css";
