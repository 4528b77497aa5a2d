/** The real DiffView in a page. */
import view from "../../src/diff/entry";
import type { DiffDocument } from "../../src/diff/model/kinds";
import { mounting } from "../harness";

export const { mount } = mounting<DiffDocument>(view.render, { selection: -1, sort: "time" }, 934);
