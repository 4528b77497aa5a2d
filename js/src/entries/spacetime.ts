/** The entry of the space-time view: Python brings it to steppers, which load it when it is first opened. */
export { spacetime as default } from "../views/spacetime/spacetime";
