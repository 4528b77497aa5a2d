/** Colours of blocks: equal blocks have one colour, different blocks never do. */
import { NOBODYS, positionColor, type Rgb, type Scheme } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import { unravel } from "../../core/mesh";
import { NOT_KNOWN, originsOf, originVariable } from "../model/origins";
import type { TraceModel } from "../model/trace";

/** The colour of a variable's block on the device at a mesh position. */
export type BlockColor = (v: Variable, position: number, scheme: Scheme) => Rgb;

/**
 * The colour of the first device that holds an equal block, by its place in the mesh along the axes over which blocks
 * differ. A block that was only moved keeps the colour that it had where it was made.
 */
export function blockColors(trace: TraceModel): BlockColor {
  const { mesh } = trace;
  // Mixing a colour takes longer than painting it.
  const mixed = new Map<string, Rgb>();
  const colorOf: BlockColor = (v, position, scheme) => {
    const [from, ...more] = originsOf(trace, v, position);
    if (v.origin && from !== undefined && from >= 0 && more.length === 0)
      return colorOf(originVariable(trace, v), from, scheme);
    if (from === NOT_KNOWN) return NOBODYS;
    const axes = trace.colorAxes(v);
    const digits = mesh.digits(trace.firstEqual(v)?.[position] ?? position);
    // Of three axes and more, the last one alone chooses how light it is.
    const cut = Math.max(1, axes.length - 1);
    const [i, n] = place(axes.slice(0, cut), digits, mesh.meshShape);
    const [j, m] = place(axes.slice(cut), digits, mesh.meshShape);
    const key = `${i} ${n} ${j} ${m} ${scheme}`;
    let color = mixed.get(key);
    if (!color) {
      color = positionColor(i, n, j, m, scheme);
      mixed.set(key, color);
    }
    return color;
  };
  return colorOf;
}

/** A place along some axes as one number, and how many there are. */
function place(axes: readonly number[], digits: readonly number[], shape: readonly number[]): [number, number] {
  let [at, all] = [0, 1];
  for (const axis of axes) {
    const size = shape[axis] ?? 1;
    [at, all] = [at * size + (digits[axis] ?? 0), all * size];
  }
  return [at, all];
}

/** For a block that is joined from pieces, the colour of each element: of the block that its piece was. */
export function pieceColors(
  trace: TraceModel,
  v: Variable,
  position: number,
  color: (v: Variable, position: number) => Rgb,
): ((element: number) => Rgb) | null {
  const joined = trace.joined(v);
  const corner = trace.corner(v);
  if (!joined || !corner) return null;
  const { axis } = joined;
  const from = originsOf(trace, { ...v, origin: joined }, position);
  const size = trace.local(v, axis) / from.length;
  const root = trace.variable(joined.variable) ?? v;
  return (element) => {
    const p = from[Math.floor((unravel(element, corner.shape)[axis] ?? 0) / size)] ?? NOT_KNOWN;
    return p < 0 ? NOBODYS : color(root, p);
  };
}
