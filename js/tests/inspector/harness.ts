/** The real Inspector in a page. */

import type { Namespace } from "../../src/core/document.gen";
import view from "../../src/inspector/entry";
import { type Mounted, mounting } from "../harness";

export const { start, mount } = mounting<Namespace>(
  view.render,
  { selection: null, search: "", following: true, _asked: {}, _opened: null },
  460,
);

/** Lines of the list, from the top. */
export const rows = ({ root }: Mounted) => [...root.querySelectorAll<HTMLElement>(".row")];
export const names = (mounted: Mounted) => rows(mounted).map((row) => row.querySelector(".name b")?.textContent ?? "");
