/** What is said of transfers that are under way. */
import { count, some } from "../../core/text";
import type { Transfer } from "./futures";
import { primitiveName, type TraceModel } from "./trace";

/** Two sentences on what is under way after a step; empty where nothing is. */
export function transitText(trace: TraceModel, at: number): readonly [string, string] {
  const all = trace.underWay(at).filter(({ done }) => done !== at);
  const last = all.at(-1);
  if (!last || trace.step(at)?.primitive === "error") return ["", ""];
  const others = all.length > 1 ? `, and ${count(all.length - 1, "other")} with it` : "";
  const begun = `${last.future.name} is on its way${others}: started at ${placeOf(trace, last.start)}`;
  if (last.done === null) return [`${begun}, and never received. What is sent is thrown away.`, ""];
  const end = placeOf(trace, last.done);
  return [`${begun}, received at ${end}.`, `How far a copy has come is not known; ${end} waits for it.`];
}

/** `line 7`; of a step without one its number. */
function placeOf(trace: TraceModel, at: number): string {
  const line = trace.step(at)?.source?.line;
  return line === undefined ? `step ${trace.number(at)}` : `line ${line}`;
}

/** `under way during 2 steps: mul, add`; empty for a transfer that is received at once. */
export function meanwhile(trace: TraceModel, { start, done }: Transfer): string {
  const between = trace.steps
    .slice(start + 1, done ?? trace.steps.length)
    .filter(({ primitive }) => !ENDS.has(primitive));
  if (between.length === 0) return "";
  return `under way during ${count(between.length, "step")}: ${some([...new Set(between.map(primitiveName))], 4)}`;
}

const ENDS: ReadonlySet<string> = new Set(["out_specs", "error"]);
