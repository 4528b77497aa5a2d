/** What is read and looked at of links, for the card of programs: it is there before their board is loaded. */
export { AT_FIRST } from "../fields";
export { decodeLinks, OrderModel, planeOf } from "./links";
