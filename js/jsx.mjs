// What JSX stands for in bundles, see build.mjs.
export { Fragment, h } from "preact";
