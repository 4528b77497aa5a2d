/** The real ReshardPlanView in a page. */

import type { ReshardPlan } from "../../src/core/document.gen";
import view from "../../src/reshard/entry";
import { mounting } from "../harness";

export const { mount } = mounting<ReshardPlan>(view.render, { chunk: 0, threshold: 0 }, 934);
