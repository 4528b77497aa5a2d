/** What the tile of a device shows at a step: blocks before and after, and how large each would like to be. */
import type { Step, Variable } from "../../model/document.gen";
import type { Corner, TraceModel } from "../../model/trace";
import { faceOf } from "../block";
import { textWidth } from "../measure";

export interface Contents {
  before: readonly Variable[];
  after: readonly Variable[];
  /** Watched variables that the step does not show anyway. */
  watch: readonly Variable[];
}

export function contents(trace: TraceModel, step: Step, watch: readonly number[]): Contents {
  const get = (ids: readonly number[]) =>
    [...new Set(ids)].flatMap((id) => trace.variable(id) ?? []).filter((v) => v.drawn);
  const inputs = get(step.inputs);
  const arrays = inputs.filter((v) => v.shape.length > 0);
  const before = step.primitive === "in_specs" ? [] : (arrays.length > 0 ? arrays : inputs).slice(0, 2);
  const after = get(step.outputs).slice(0, step.primitive === "in_specs" ? 3 : 2);
  const own = new Set([...before, ...after].map((v) => v.id));
  return { before, after, watch: get(watch).filter((v) => !own.has(v.id)) };
}

/** Rows and columns that a variable is drawn with. */
export function face(trace: TraceModel, v: Variable): { rows: number; columns: number } {
  const corner = trace.corner(v);
  return faceOf(corner ? corner.shape : v.shape.map((n) => Math.min(n, 8)));
}

/** The height that a block likes: its rows are lower where there are many, and where the picture must be small. */
export function blockHeight(trace: TraceModel, v: Variable, dense: boolean): number {
  const { rows } = face(trace, v);
  return Math.max(20, dense ? Math.min(76, rows * (rows > 2 ? 14 : 18)) : Math.min(116, rows * (rows > 4 ? 14 : 20)));
}

/** Width of a cell that has room for the variable's numbers and a mark behind them, by some of them. */
export function cellWidth(trace: TraceModel, v: Variable, dense: boolean): number {
  const corner = trace.corner(v);
  // Rows that are too low for numbers need no room for them.
  if (!corner || (dense && face(trace, v).rows > 5)) return dense ? 14 : 22;
  const characters = longest(corner);
  const size = dense ? 9.5 : characters > 3 ? 10.5 : 12;
  return Math.max(dense ? 14 : 24, textWidth("0".repeat(Math.min(7, characters + 1)), size, true) + (dense ? 2 : 4));
}

/** Characters of the longest of some of the numbers. */
export function longest({ elements }: Corner): number {
  const every = Math.max(1, Math.floor(elements.length / SAMPLES));
  let characters = 1;
  for (let i = 0; i < elements.length; i += every) characters = Math.max(characters, elements.text(i).length);
  return characters;
}

const SAMPLES = 48;
