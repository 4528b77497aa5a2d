/** A schedule in words: its head, its figures, what a cell says. */
import { bytes, percent } from "../../core/format";
import { type Badge, count, some } from "../../core/text";
import { ratioOf, type ScheduleModel } from "./schedule";
import { taskText } from "./tasks";

const KIND_NAMES = ["forward", "backward", "input half of backward", "weight half of backward"] as const;

/** A number with at most `digits` decimals, without zeros at the end. */
export function short(value: number, digits = 2): string {
  return String(Number(value.toFixed(digits)));
}

export function sizeText({ tasks }: ScheduleModel): string {
  const stages =
    tasks.stages === tasks.ranks
      ? count(tasks.stages, "stage")
      : `${tasks.stages} stages on ${count(tasks.ranks, "rank")}`;
  return `${stages} × ${count(tasks.microbatches, "microbatch", "microbatches")}`;
}

export function badgesOf(model: ScheduleModel): Badge[] {
  const { run } = model;
  const most = Math.max(...run.peaks);
  const waste = run.wasted.some((w) => w > 0);
  const links = model.doc.send_bytes;
  const sent = links.length > 0 ? ` of ${bytes(Math.max(...links))}${links.length > 1 ? " at most" : ""}` : "";
  return [
    {
      strong: percent(model.bubble),
      text: waste ? "idle or wasted" : "idle",
      tone: "warn",
      title: fractionText(model),
      to: model.bubble > 0 ? "idle" : undefined,
    },
    ...(model.trains
      ? [
          {
            strong: String(most),
            text: "activations kept",
            tone: "plain",
            to: "kept",
          } as const,
        ]
      : []),
    {
      strong: String(run.messages),
      text: `${run.messages === 1 ? "send" : "sends"}${sent}`,
      tone: "plain",
      to: run.messages > 0 ? "sends" : undefined,
    },
  ];
}

/** How much of all time is idle, and of which rank most: the answer, in one sentence. */
export function answerOf(model: ScheduleModel): string {
  const { run, tasks } = model;
  const share = percent(model.bubble);
  const lost = Array.from(run.idle, (idle, r) => idle + (run.wasted[r] ?? 0));
  const waste = run.wasted.some((w) => w > 0) ? "idle or wasted" : "idle";
  const unit = tasks.tick.length > 0 ? "ticks" : "units";
  const [most, least] = [Math.max(...lost), Math.min(...lost)];
  if (most <= 0) return "No rank is ever idle";
  if (most - least < 1e-9)
    return `${share} ${waste}: every rank loses ${short(most, 1)} of ${short(run.makespan, 1)} ${unit}`;
  const where = rankText(model, lost.indexOf(most));
  return `${share} ${waste}: most on ${where}, ${short(most, 1)} of ${short(run.makespan, 1)} ${unit}`;
}

/** Which of several is over first, and which keeps least. */
export function comparedText(models: readonly ScheduleModel[]): string {
  const long = (m: ScheduleModel) => m.run.makespan;
  const [first, second] = [...models].sort((a, b) => long(a) - long(b));
  if (!first || !second) return "";
  const by = long(second) - long(first);
  if (by < 1e-9) return `${first.doc.name} and ${second.doc.name} are shortest: ${short(long(first))} units`;
  return `${first.doc.name} is shortest: ${short(long(first))} units, ${percent(first.bubble)} idle`;
}

/** `3 ÷ 11`, or nothing where the times make no such fraction. */
export function fractionText(model: ScheduleModel): string {
  const { fraction } = model;
  return fraction ? `${fraction[0]} ÷ ${fraction[1]}` : "";
}

/** What a rank is called: a coordinate of the mesh where there is one. */
export function rankText(model: ScheduleModel, rank: number): string {
  const { doc, mesh, tasks } = model;
  const size = mesh?.axes.find((a) => a.name === doc.axis)?.size ?? tasks.ranks;
  const lanes = tasks.ranks / size;
  return lanes > 1 ? `${doc.axis}=${Math.floor(rank / lanes)}.${rank % lanes}` : `${doc.axis}=${rank}`;
}

/** A cell in words, for screen readers and the tooltip. */
export function cellText(model: ScheduleModel, task: number): string {
  const { tasks, run } = model;
  const fused = fusedWith(model, task);
  const kind = KIND_NAMES[tasks.kind[task] ?? 0];
  const parts = [
    rankText(model, tasks.rank[task] ?? 0),
    `time ${short(run.start[task] ?? 0)} to ${short(run.end[task] ?? 0)}`,
    `${kind} of microbatch ${tasks.microbatch[task]}, stage ${tasks.stage[task]}`,
    ...(tasks.wasted[task] ? ["nothing uses it"] : []),
    ...(fused.length > 0 ? [`at the same time as ${some(fused.map((t) => taskText(tasks, t)))}`] : []),
  ];
  return parts.join(", ");
}

/** Other tasks of a task's unit. */
function fusedWith({ tasks }: ScheduleModel, task: number): number[] {
  const found: number[] = [];
  for (const step of [-1, 1]) {
    for (let t = task + step; t >= 0 && t < tasks.size && tasks.unit[t] === tasks.unit[task]; t += step) found.push(t);
  }
  return found.sort((a, b) => a - b);
}

/** What a task waited for, and what waits for it: what a tooltip adds. */
export function needsText(model: ScheduleModel, task: number): string {
  const { tasks, run } = model;
  const needs = [run.needs[2 * task] ?? -1, run.needs[2 * task + 1] ?? -1].filter((n) => n >= 0);
  if (needs.length === 0) return "waits for nothing";
  const said = needs.map((n) => {
    const far = tasks.rank[n] !== tasks.rank[task];
    return `${taskText(tasks, n)}${far ? ` of rank ${tasks.rank[n]}` : ""}, done at ${short(run.end[n] ?? 0)}`;
  });
  return `needs ${said.join(" and ")}`;
}

/** The whole schedule, as `print(view)` says it. */
export function summaryText(model: ScheduleModel): string {
  const { doc, run } = model;
  const kept = Array.from(run.peaks).slice(0, 8).join(", ");
  return (
    `${doc.name || "schedule"}: idle ${percent(model.bubble)}, ` +
    (model.trains ? `keeps ${kept}${run.peaks.length > 8 ? " …" : ""} activations, ` : "") +
    `${count(run.messages, "send")}, ${short(run.makespan)} steps long`
  );
}

/** What one unit of time is. */
export function unitText(model: ScheduleModel): string {
  const { durations } = model;
  if (!model.trains) return "a forward task takes 1";
  const [forward = 1] = durations.forward;
  if (durations.forward.length > 1) return "each stage takes a time of its own";
  return `a forward task takes ${short(forward)}, a backward task ${short(forward * ratioOf(durations))}`;
}
