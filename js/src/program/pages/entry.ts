/** The entry of the pages that few programs are turned to: Python brings it to programs, which load it then. */
export { pages as default } from "./pages";
