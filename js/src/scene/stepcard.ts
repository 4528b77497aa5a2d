/** A step of a trace as one scene, for the picture without a page: what happens, and every device's blocks. */
import type { Scheme } from "../model/color";
import { axisTokens } from "../model/text";
import { primitiveName, type TraceModel } from "../model/trace";
import { shift, spans } from "./card";
import { fit } from "./measure";
import { BOLD, label, type Mark, MONO, type Scene, type Span } from "./scene";
import { layoutStepper, stepperMarks } from "./stepper";

const PAD = 16;

/** The picture of a step done. */
export function stepScene(
  trace: TraceModel,
  at: number,
  watch: readonly number[],
  width: number,
  scheme: Scheme,
): Scene {
  const inner = width - 2 * PAD;
  const step = trace.step(at);
  const layout = layoutStepper(trace, inner);
  const options = { scheme, algorithm: "meaning", watch, device: null, still: true } as const;
  const head: Mark[] = [];
  if (step) {
    const types = (ids: readonly number[]): Span[] =>
      [...new Set(ids)].slice(0, 3).flatMap((id) => {
        const v = trace.variable(id);
        return v ? [{ text: `${v.name} ` }, ...spans(axisTokens(v.type, trace.mesh)), { text: "   " }] : [];
      });
    head.push(
      label(
        0,
        14,
        [{ text: `${at + 1}/${trace.steps.length}   ` }, { text: primitiveName(step), weight: 700 }],
        14,
        "ink",
        MONO,
      ),
    );
    head.push(label(0, 36, [...types(step.inputs), { text: "→   " }, ...types(step.outputs)], 12, "ink", MONO));
    head.push(label(0, 58, fit(step.sentence, inner, 12), 12, "muted"));
    if (step.source) head.push(label(0, 78, fit(step.source.text, inner, 12, true), 12, "ink", BOLD));
  }
  const body = shift(stepperMarks(trace, layout, { step: at, phase: 1 }, options), PAD, PAD + 92);
  const height = layout.height + 92 + 2 * PAD;
  return {
    width,
    height,
    marks: [
      {
        kind: "rect",
        x: 0.5,
        y: 0.5,
        w: width - 1,
        h: height - 1,
        r: 8,
        fill: "bg",
        stroke: { color: "line", width: 1 },
      },
      ...shift(head, PAD, PAD),
      ...body,
    ],
  };
}
