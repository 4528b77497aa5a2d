/** The real view of an array on groups, in a page. */
import view from "../../src/entries/mpmd";
import type { MpmdPlacement } from "../../src/model/document.gen";
import { mounting } from "../harness";

export const { mount } = mounting<MpmdPlacement>(view.render, { selection: null }, 900);
