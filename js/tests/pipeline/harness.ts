/** The real PipelineView in a page. */

import type { Schedule, Schedules } from "../../src/core/document.gen";
import view from "../../src/pipeline/entry";
import { mounting } from "../harness";

export const { start, mount } = mounting<Schedule | Schedules>(view.render, { follow: null, moment: 0 }, 934);
