/** How a block looks, whatever it is part of: its numbers, its colour, the cell that is worked out. */
import { combined, partsAt } from "../../collective/model/chunks";
import type { Rgb } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import { differing } from "../model/origins";
import { chunkIn } from "./ask";
import type { Face } from "./contents";
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

/** Axes that an input is summed over: its blocks are summands. */
export function partial({ adds, collective, input, output }: Setting, v: Variable): readonly string[] {
  return adds && v.id === input?.id && v.id !== output?.id ? (collective?.axes ?? []) : v.unreduced;
}

/** Colour of a variable's block on a device. */
export function blockColor({ layout, options }: StepView, v: Variable, p: number, without?: readonly string[]): Rgb {
  return layout.blockColor(v, p, options.scheme, without);
}

/** Where a value comes from while it is summed its own place in the mesh keeps its colour. */
export function colorOf(view: StepView, v: Variable, p: number): Rgb {
  return blockColor(view, v, p, v.unreduced);
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
