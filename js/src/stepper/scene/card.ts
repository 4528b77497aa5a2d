/** A step of a trace as one scene, for the picture without a page: what happens, and every device's blocks. */

import type { Scheme } from "../../core/color";
import type { Plan, Step } from "../../core/document.gen";
import { axisTokens } from "../../core/text";
import { BOLD, label, type Mark, MONO, PAD, type Scene, type Span, shift, spans } from "../../draw/marks";
import { fit, textWidth, wrapped } from "../../draw/measure";
import { takenBy } from "../model/head";
import type { Moment } from "../model/timeline";
import { primitiveName, type TraceModel } from "../model/trace";
import { RULES } from "./rules";
import { StepperLayout, stepperMarks } from "./stepper";

const LINE = 20;
export interface StepPicture {
  width: number;
  scheme: Scheme;
  /** Names of variables that every device shows beside the step's own. */
  watch?: readonly string[];
  algorithm?: Plan["algorithm"];
  /** Mesh position that is looked at. */
  device?: number | null;
  /** Lines of the head and height of the devices; null for what the step's head takes, and any step's devices. */
  room?: { lines: number; height: number } | null;
}

/** The last layout of a trace: all pictures of a film have one. */
const LAYOUTS = new WeakMap<TraceModel, StepperLayout>();

function lastLayout(trace: TraceModel, width: number, watch: readonly string[] = []): StepperLayout {
  const last = LAYOUTS.get(trace);
  if (last?.width === width && last.watch.join() === watch.join()) return last;
  const layout = new StepperLayout(trace, width, watch);
  LAYOUTS.set(trace, layout);
  return layout;
}

/** The picture of a moment. */
export function stepScene(
  trace: TraceModel,
  moment: Moment,
  { width, scheme, watch, algorithm, device = null, room = null }: StepPicture,
): Scene {
  const inner = width - 2 * PAD;
  const step = trace.step(moment.step);
  const layout = lastLayout(trace, inner, watch);
  const options = { scheme, algorithm: algorithm ?? "meaning", device, still: false, rules: RULES } as const;
  const head = step ? headMarks(trace, step, moment.step, inner) : [];
  const top = (room?.lines ?? head.length) * LINE + 14;
  const height = (room?.height ?? layout.height) + top + 2 * PAD;
  const frame = { x: 0.5, y: 0.5, w: width - 1, h: height - 1, r: 8 };
  return {
    width,
    height,
    marks: [
      { kind: "rect", ...frame, fill: "bg", stroke: { color: "line", width: 1 } },
      ...shift(head, PAD, PAD),
      ...shift(stepperMarks(layout, moment, options), PAD, PAD + top),
    ],
  };
}

/** The room that a step takes from its beginning to its end. */
export function roomOf(trace: TraceModel, at: number, picture: StepPicture): { lines: number; height: number } {
  const { width, scheme, watch, algorithm = "meaning", device = null } = picture;
  const step = trace.step(at);
  const layout = lastLayout(trace, width - 2 * PAD, watch);
  const options = { scheme, algorithm, device, still: false, rules: RULES };
  const marks = [0, 0.5, 1].flatMap((phase) => stepperMarks(layout, { step: at, phase }, options));
  const height = Math.ceil(Math.max(0, ...marks.map(bottomOf))) + 4;
  return { lines: step ? headMarks(trace, step, at, width - 2 * PAD).length : 0, height };
}

function bottomOf(m: Mark): number {
  if (m.kind === "line") return Math.max(...m.points.map(([, y]) => y));
  return m.y + (m.kind === "disc" ? m.r : m.kind === "text" ? 0 : m.h);
}

/** A line each: which step, its types, what happens, where it is written, why it stops. */
function headMarks(trace: TraceModel, step: Step, at: number, width: number): Mark[] {
  const types = (ids: readonly number[]): Span[][] =>
    [...new Set(ids)].slice(0, 3).flatMap((id) => {
      const v = trace.variable(id);
      return v ? [[{ text: `${v.name} ` }, ...spans(axisTokens(v.type, trace.mesh))]] : [];
    });
  const error = step.primitive === "error" ? trace.doc.error : null;
  const lines: ((y: number) => Mark)[] = [];
  const title: Span[] = [
    { text: `${trace.number(at)}/${trace.number(trace.steps.length - 1)}   ` },
    { text: primitiveName(step), weight: 700 },
    { text: step.collective ? ` ${step.collective.axes.join(", ")}` : "" },
  ];
  lines.push((y) => label(0, y, title, 14, "ink", MONO));
  const { changed } = trace.doc;
  if (changed) {
    const where = changed.line > 0 ? `line ${changed.line} changed: ` : "";
    lines.push((y) => label(0, y, fit(`${where}${changed.title}`, width, 12), 12, "muted"));
  }
  for (const row of packed([...types(takenBy(trace, step)), [{ text: "→" }], ...types(step.outputs)], width))
    lines.push((y) => label(0, y, row, 12, "ink", MONO));
  for (const text of wrapped(error ? error.explanation : step.sentence, width))
    lines.push((y) => label(0, y, text, 12, "muted"));
  if (error) {
    const said = `${error.error}: ${error.message.split("\n", 1)[0] ?? ""}`;
    for (const text of wrapped(said, width)) lines.push((y) => label(0, y, text, 12, "error"));
    for (const { code } of error.fixes) lines.push((y) => label(0, y, fit(code, width, 12, true), 12, "ink", MONO));
  }
  const { source } = step;
  if (source) lines.push((y) => label(0, y, fit(source.text, width, 12, true), 12, "ink", BOLD));
  return lines.map((line, i) => line(14 + i * LINE));
}

/** Types in as many rows as they take; one that is wider than a row stands alone, cut. */
function packed(items: readonly (readonly Span[])[], width: number): Span[][] {
  const rows: Span[][] = [];
  const length = (row: readonly Span[]) => textWidth(row.map((s) => s.text).join(""), 12, true);
  for (const item of items) {
    const last = rows.at(-1);
    const whole = length(item) <= width ? item : [{ text: fit(item.map((s) => s.text).join(""), width, 12, true) }];
    const joined = last && [...last, { text: "   " }, ...whole];
    if (joined && length(joined) <= width) rows[rows.length - 1] = joined;
    else rows.push([...whole]);
  }
  return rows;
}
