/** How a block looks, whatever it is part of: its numbers, its colour, the cell that is worked out. */
import type { Rgb } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import type { Stroke } from "../../draw/marks";
import type { Face } from "./contents";
import type { StepView } from "./view";

/** A place that nothing has come to yet. */
export const EMPTY: Stroke = { color: "faint", width: 1, dash: [3, 3] };

/** Rows, columns and numbers of a block. */
export function numbers(view: StepView, v: Variable, face: Face, text: (element: number) => string) {
  const corner = view.trace.corner(v);
  return {
    rows: face.rows,
    columns: face.columns,
    size: view.stage.font,
    text: corner && !view.stage.bare ? (cell: number) => text(face.elements[cell] ?? -1) : null,
  };
}

/** Axes that an input is summed over: its blocks are summands. */
export function partial(view: StepView, v: Variable): readonly string[] {
  const c = view.collective;
  return view.adds && v.id === view.input?.id && v.id !== view.output?.id ? (c?.axes ?? []) : v.unreduced;
}

/** Where a value comes from while it is summed its own place in the mesh keeps its colour. */
export function colorOf(view: StepView, v: Variable, p: number): Rgb {
  return view.color(v, p, v.unreduced);
}

/** The cell of the worked element in a block of a group whose addition is open. */
export function markIn(view: StepView, face: Face, p: number): number | null {
  const { element } = view;
  if (element === null || !(view.stage.open || view.stage.group.includes(p))) return null;
  const cell = face.elements.indexOf(element);
  return cell < 0 ? null : cell;
}
