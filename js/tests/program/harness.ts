/** The real CompiledProgram in a page. */

import type { Program, Programs } from "../../src/core/document.gen";
import view from "../../src/program/entry";
import { type Mounted, mounting } from "../harness";

/** The bundle of the pages that are loaded when one is opened, as Python brings it. */
const PAGES = `export { default } from "${new URL("../../src/program/pages/entry.ts", import.meta.url).href}";`;

export const { start, mount } = mounting<Program | Programs>(
  view.render,
  {
    selection: null,
    axis: null,
    sort: "time",
    opened: null,
    page: "collectives",
    _parts: PAGES,
    _pages: {},
    _try: {},
    _why: {},
    _remedies: {},
    _asked: {},
    _heard: 0,
    _trouble: "",
  },
  1240,
);

/** Lines of the table, from the top, without its heads. */
export const lines = ({ root }: Mounted) => [...root.querySelectorAll<HTMLElement>(".line:not(.heads)")];
