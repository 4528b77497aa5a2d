/** Schedules as Python wrote them: `python -m tests.fixtures`. */
import type { Schedule, Schedules } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { type Changes, decodeSchedules, ScheduleModel } from "../../src/pipeline/model/schedule";
import schedules from "./schedules.json";

export type ScheduleName = keyof typeof schedules;
export const SCHEDULES = Object.keys(schedules) as ScheduleName[];

/** A wire document of its own. */
export function wire(name: ScheduleName): Schedule | Schedules {
  return reviveBytes(schedules[name]) as unknown as Schedule | Schedules;
}

export function models(name: ScheduleName, changes?: Changes): ScheduleModel[] {
  return decodeSchedules(wire(name)).schedules.map((doc) => new ScheduleModel(doc, changes));
}

export function model(name: ScheduleName, changes?: Changes): ScheduleModel {
  return models(name, changes)[0] as ScheduleModel;
}
