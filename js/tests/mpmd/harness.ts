/** The real view of an array on groups, in a page. */

import type { MpmdPlacement } from "../../src/core/document.gen";
import view from "../../src/mpmd/entry";
import { mounting } from "../harness";

export const { mount } = mounting<MpmdPlacement>(view.render, { selection: null }, 900);
