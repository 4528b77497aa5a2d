/** How tiles are painted: by their place in the array, by their values, or by the device that holds them. */
import { idColor, type Rgb, type Scheme, tileColors, valueColor } from "../model/color";
import type { PlacementModel } from "../model/placement";
import { type BlockView, rangeOf, type ValueRange } from "../model/values";

export type ColorBy = "position" | "values" | "device";

export interface Paints {
  scheme: Scheme;
  colorBy: ColorBy;
  /** Values read so far, by tile; empty where none were. */
  values: ReadonlyMap<number, BlockView>;
  range: ValueRange;
  /** Colour of a tile as a whole; null draws no fill. */
  fill: (tile: number) => Rgb | null;
  /** Leave out the blocks of data: something else moves in their places. */
  bare?: boolean;
}

/** The paints of a placement, with the values that were read by device id. */
export function paintsOf(
  model: PlacementModel,
  scheme: Scheme,
  colorBy: ColorBy,
  blocks: ReadonlyMap<number, BlockView>,
): Paints {
  const values = new Map<number, BlockView>();
  if (blocks.size > 0) {
    model.ids.forEach((id, position) => {
      const block = blocks.get(id);
      const tile = model.tileAt[position] ?? 0;
      if (block && !values.has(tile)) values.set(tile, block);
    });
  }
  const range = rangeOf(values.values());
  return { scheme, colorBy, values, range, fill: fillOf(model, scheme, colorBy, values, range) };
}

function fillOf(
  model: PlacementModel,
  scheme: Scheme,
  colorBy: ColorBy,
  values: Paints["values"],
  { low, high }: ValueRange,
): Paints["fill"] {
  if (model.doc.state === "deleted" || model.doc.shape === null) return () => null;
  if (colorBy === "values") {
    return (tile) => {
      const block = values.get(tile);
      return block ? valueColor(block.middle, low, high, scheme) : null;
    };
  }
  if (colorBy === "position") return tileColors(model, scheme);
  const order = [...model.ids].sort((a, b) => a - b);
  const rank = new Map(order.map((id, i) => [id, i]));
  const first = new Map<number, number>();
  model.tileAt.forEach((tile, p) => {
    if (!first.has(tile)) first.set(tile, rank.get(model.ids[p] ?? 0) ?? 0);
  });
  return (tile) => idColor(first.get(tile) ?? 0, model.size, scheme);
}
