/** The real SearchView in a page. */

import type { Search } from "../../src/core/document.gen";
import view from "../../src/search/entry";
import { mounting } from "../harness";

export const { mount } = mounting<Search>(view.render, { candidate: -1 }, 934);
