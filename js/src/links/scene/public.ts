/** Device orders on their links, for the picture of a program. */
export { linksScene } from "./card";
