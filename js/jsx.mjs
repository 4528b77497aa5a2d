// What JSX stands for in bundles, see build.mjs: by names that no local variable has.
export { Fragment as JsxFragment, h as jsxElement } from "preact";
