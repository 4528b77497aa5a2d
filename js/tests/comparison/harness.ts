/** The real ShardingComparison in a page. */
import view from "../../src/comparison/entry";
import type { Comparison } from "../../src/core/document.gen";
import { type Mounted, mounting } from "../harness";

export const { start, mount } = mounting<Comparison>(view.render, { choices: {}, selection: null }, 1240);

/** Lines in the page, from the top, without column heads and details. */
export const lines = ({ root }: Mounted) => [...root.querySelectorAll<HTMLElement>("[data-line]")];
