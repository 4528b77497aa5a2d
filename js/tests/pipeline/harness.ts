/** The real PipelineView in a page. */
import view from "../../src/entries/pipeline";
import type { Schedule, Schedules } from "../../src/model/document.gen";
import { mounting } from "../harness";

export const { start, mount } = mounting<Schedule | Schedules>(view.render, { follow: null, moment: 0 }, 934);
