/** The real KernelView in a page. */

import type { Kernel } from "../../src/core/document.gen";
import view from "../../src/kernel/entry";
import { mounting } from "../harness";

export const { mount } = mounting<Kernel>(view.render, { fault: 0 }, 934);
