/** How a block looks, whatever it is part of: its numbers, its colour, the cell that is worked out. */
import { combined, partsAt } from "../../collective/model/chunks";
import type { Rgb } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import { differing } from "../model/origins";
import { gathers, scatters } from "../model/semantics";
import { chunkIn } from "./ask";
import { pieceColors } from "./colors";
import { type Face, faceOf } from "./contents";
import type { Setting } from "./setting";
import type { Moving, StepView } from "./view";

/** Rows, columns and numbers of a block. */
export function numbers({ trace, stage }: Setting, v: Variable, face: Face, text: (element: number) => string) {
  return {
    rows: face.rows,
    columns: face.columns,
    size: stage.font,
    text: trace.corner(v) && !stage.bare ? (cell: number) => text(face.elements[cell] ?? -1) : null,
  };
}

/** A variable's number on a device, as the step writes its numbers. */
export function numberOf({ trace, formats }: Setting, v: Variable, device: number, element: number): string {
  const corner = trace.corner(v);
  const format = formats.get(v.id);
  return corner && format && element >= 0 ? format.text(corner.elements.value(corner.start(device) + element)) : "";
}

/** The number at a place of what a member gives to all: of a large result those of its last chunks were not kept. */
export function givenNumber(view: Moving, p: number, cell: number, columns: number): string {
  const { trace, input, collective } = view;
  const face = gathers(collective) ? faceOf(trace, input, [64, columns]) : null;
  return face?.columns === columns ? numberOf(view, input, p, face.elements[cell] ?? -1) : "";
}

/** What some members' numbers make together. */
export function together(view: Moving, members: readonly number[], element: number): string {
  const { trace, formats, collective, input } = view;
  const corner = trace.corner(input);
  const format = formats.get(input.id);
  if (!corner || !format || element < 0 || members.length === 0) return "";
  return format.text(combined(collective, corner, members, element, input.dtype));
}

/** What JAX returned for an element of the sum, where the result has it in the same place. */
export function finalText(view: Moving, element: number): string {
  const { input, output, trace } = view;
  const [from, to] = [trace.corner(input), trace.corner(output)];
  if (!from || !to) return "";
  return from.shape.join() === to.shape.join()
    ? numberOf(view, output, view.receiver, element)
    : together(view, view.stage.group, element);
}

/** Mesh positions whose parts a device's chunk holds now. */
export function partsOf({ groupOf, held }: StepView, device: number, chunk: number): readonly number[] {
  const group = groupOf.get(device) ?? [];
  return partsAt(held, group.indexOf(device), chunk).map((r) => group[r] ?? 0);
}

/** Which chunk an element of what is sent or received belongs to. */
export function chunkOf({ trace, collective, plan, input, output }: Moving, v: Variable): (element: number) => number {
  return chunkIn(trace, collective, plan.n, v, v.id === input.id && v.id !== output.id);
}

/** Whether blocks of a variable are terms of a sum. */
export function partial({ adds, input, output }: Setting, v: Variable): boolean {
  return (adds && v.id === input?.id && v.id !== output?.id) || v.unreduced.length > 0;
}

/** Colour of a variable's block on a device. */
export function blockColor({ layout, options }: StepView, v: Variable, p: number): Rgb {
  return layout.blockColor(v, p, options.scheme);
}

/** Colour of the first cell of a block, and of each where it is joined from pieces. */
export function fills(view: StepView, v: Variable, p: number, face: Face) {
  const at = pieceColors(view.trace, v, p, (root, from) => blockColor(view, root, from));
  const fill = blockColor(view, v, p);
  return at ? { fill, fillAt: (cell: number) => at(Math.max(0, face.elements[cell] ?? 0)) } : { fill };
}

/** Colour of a chunk of a sum: one term has its device's, several have that of the result on the device that keeps it. */
export function sumColor(view: Moving, parts: readonly number[], keeper: number): Rgb {
  const [only, ...more] = parts;
  return more.length === 0 ? blockColor(view, view.input, only ?? keeper) : blockColor(view, view.output, keeper);
}

/** The device whose result a chunk of a sum is part of: of a scattered one, the member of its number. */
export function keeperOf({ collective, groupOf }: Moving, p: number, chunk: number): number {
  return scatters(collective) ? (groupOf.get(p)?.[chunk] ?? p) : p;
}

/** Mesh axis whose link a copy crosses from one position to another: the first, if there are several. */
export function inkBetween({ trace: { mesh }, collective, axis }: Moving, from: number, to: number): number {
  const along = differing(mesh, from, to);
  return collective.axes.map((name) => mesh.axisOf(name)).find((a) => along.includes(a)) ?? axis;
}

/** The cell of the worked element in a block of a group whose addition is open. */
export function markIn({ stage, element }: StepView, face: Face, p: number): number | null {
  if (element === null || !(stage.open || stage.group.includes(p))) return null;
  const cell = face.elements.indexOf(element);
  return cell < 0 ? null : cell;
}
