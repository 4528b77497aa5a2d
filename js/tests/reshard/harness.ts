/** The real ReshardPlanView in a page. */
import view from "../../src/entries/reshard";
import type { ReshardPlan } from "../../src/model/document.gen";
import { mounting } from "../harness";

export const { mount } = mounting<ReshardPlan>(view.render, { chunk: 0, threshold: 0 }, 934);
