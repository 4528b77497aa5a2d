/** The entry of what few steppers show: Python brings it to steppers, which load it when they first need it. */
export { parts as default } from "./parts";
