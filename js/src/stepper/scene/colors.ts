/** Colours of blocks: by the place in the mesh of the device that each was made on. */
import { NOBODYS, positionColor, type Rgb, type Scheme } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import { NOT_KNOWN, originsOf, originVariable } from "../model/origins";
import type { TraceModel } from "../model/trace";

/** The colour of a variable's block on the device at a mesh position, `without` some axes that it varies over. */
export type BlockColor = (v: Variable, position: number, scheme: Scheme, without?: readonly string[]) => Rgb;

/**
 * Colours by the place in the mesh along the axes that a block varies over. A block that was only moved keeps the colour
 * that it had where it was made.
 */
export function blockColors(trace: TraceModel): BlockColor {
  const { mesh } = trace;
  // Mixing a colour takes longer than painting it.
  const mixed = new Map<string, Rgb>();
  const at = (digits: readonly number[], axis: number | undefined) =>
    axis === undefined ? ([0, 1] as const) : ([digits[axis] ?? 0, mesh.meshShape[axis] ?? 1] as const);
  const colorOf: BlockColor = (v, position, scheme, without = []) => {
    const [from, ...more] = originsOf(trace, v, position);
    if (v.origin && from !== undefined && from >= 0 && more.length === 0)
      return colorOf(originVariable(trace, v), from, scheme);
    if (from === NOT_KNOWN) return NOBODYS;
    const [a, b] = trace.colorAxes(v, without);
    const digits = mesh.digits(position);
    const place = [...at(digits, a), ...at(digits, b)] as const;
    const key = `${place} ${scheme}`;
    let color = mixed.get(key);
    if (!color) {
      color = positionColor(...place, scheme);
      mixed.set(key, color);
    }
    return color;
  };
  return colorOf;
}
