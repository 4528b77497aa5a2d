/** How elements were made, in words: loaded when a step is first chosen or pointed at. */

import type { Variable } from "../../core/document.gen";
import { unravel } from "../../core/mesh";
import { clauses, count, some } from "../../core/text";
import { axisToken, type Mark } from "../../draw/marks";
import { caption } from "../model/caption";
import { arithmetic, type Source, sourcesOf } from "../model/sources";
import { cellBox } from "./drawn";
import { numberOf } from "./look";
import type { Drawn, StepView } from "./view";

/** `s[0,1] on device 4: 8 + 4 = 12; from 2 elements on devices 4, 5`; empty where the result has no such element. */
export function worked(view: StepView): string {
  const { element, input, output, receiver: device, trace } = view;
  const shape = (v: Variable | null) => v && trace.corner(v)?.shape.join();
  if (element === null || !output || shape(input) !== shape(output) || trace.end(view.step) === "start") return "";
  const place = placeOf(view, { v: output, device, element });
  return `${place} on device ${trace.mesh.ids[device]}: ${fromText(view, output, device, element)}.`;
}

/** What happens in words, after the element that is worked out. */
export function said(view: StepView): string {
  return clauses([worked(view), ...caption(view)], " ");
}

/** `c[0,1] = 5 + 4 = 9, from devices 4, 5`, or that it is not known. */
export function fromText(view: StepView, v: Variable, device: number, cell: number | null): string {
  const { trace, step } = view;
  if (cell === null || !view.show.after.includes(v) || step.inputs.length === 0) return "";
  const sources = sourcesOf(trace, step, v, device, cell);
  if (sources === null) return STEPS.has(step.primitive) ? "" : "which elements it came from is not known";
  if (sources.length === 0) return "no sender: zeros";
  const said = arithmetic(
    trace,
    step,
    sources,
    (s) => numberOf(view, s.v, s.device, s.element ?? -1),
    numberOf(view, v, device, cell),
  );
  const devices = [...new Set(sources.map((s) => s.device))].map((p) => trace.mesh.ids[p] ?? 0);
  const away = devices.length > 1 || sources[0]?.device !== device;
  const places = sources.length === 1 ? placeOf(view, sources[0]) : count(sources.length, "element");
  const where = away ? ` on ${devices.length === 1 ? "device" : "devices"} ${some(devices, 6)}` : "";
  return clauses([said, `from ${places}${where}`]);
}

/** Ends of a region: a block is a part of an array, or an array is made of blocks. */
const STEPS: ReadonlySet<string> = new Set(["in_specs", "out_specs", "error"]);

function placeOf({ trace }: StepView, source: Source | undefined): string {
  const shape = source && trace.corner(source.v)?.shape;
  if (!source || !shape) return "";
  if (source.element === null) return `an element of ${source.v.name} that is not shown`;
  return `${source.v.name}${shape.length > 0 ? `[${unravel(source.element, shape).join(",")}]` : ""}`;
}

/** The cells that the one that is pointed at came from, on every device. */
export function sourceMarks(view: StepView, drawn: readonly Drawn[]): Mark[] {
  const color = view.collective ? axisToken(view.axis) : "ink";
  return (pointedSources(view) ?? []).flatMap(({ v, device, element }) =>
    drawn.flatMap((d): Mark[] => {
      const box = d.v.id === v.id && d.device === device && element !== null ? cellBox(d, element) : null;
      if (!box) return [];
      const inner = { x: box.x + 1, y: box.y + 1, w: Math.max(0, box.w - 2), h: Math.max(0, box.h - 2), r: 2 };
      return [
        { kind: "rect", ...inner, stroke: { color: "bg", width: 4 } },
        { kind: "rect", ...inner, stroke: { color, width: 2.2 } },
      ];
    }),
  );
}

/** The elements that what is pointed at came from; null where that is not known, and for what the step did not make. */
function pointedSources({ trace, step, show, slots, options: { lit } }: StepView): readonly Source[] | null {
  const v = lit?.slot == null ? undefined : slots[lit.slot];
  return lit && lit.cell !== null && v && show.after.includes(v)
    ? sourcesOf(trace, step, v, lit.device, lit.cell)
    : null;
}
