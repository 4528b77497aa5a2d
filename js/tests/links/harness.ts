/** The real LinksView in a page. */

import type { Links } from "../../src/core/document.gen";
import view from "../../src/links/entry";
import { mounting } from "../harness";

export const { mount } = mounting<Links>(view.render, { order: 0 }, 934);
