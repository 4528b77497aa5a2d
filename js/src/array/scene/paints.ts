/** How tiles are painted: by their place in the array, by their values, or by the device that holds them. */
import { idColor, type Rgb, type Scheme, tileColors, valueColor } from "../../core/color";
import type { PlacementModel } from "../../core/placement";
import { type BlockView, rangeOf, type ValueRange } from "../../core/values";
import type { Box, Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";

export type ColorBy = "position" | "values" | "device";

export interface Paints {
  scheme: Scheme;
  colorBy: ColorBy;
  /** Values read so far, by tile; empty where none were. */
  values: ReadonlyMap<number, BlockView>;
  range: ValueRange;
  /** Width of a cell that holds any of the numbers; 0 where there are too many; null where no values are shown. */
  cell: number | null;
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
  const cell = colorBy === "values" && values.size > 0 ? cellFor([...values.values()], range) : null;
  return { scheme, colorBy, values, range, cell, fill: fillOf(model, scheme, colorBy, values, range) };
}

/** Width of the widest number of blocks, with the space that keeps neighbours apart; 0 for very many numbers. */
function cellFor(blocks: readonly BlockView[], { write }: ValueRange): number {
  if (blocks.some((block) => block.length > MOST_NUMBERS)) return 0;
  const widths = blocks.flatMap((block) =>
    Array.from({ length: block.length }, (_, i) => textWidth(block.text(i, write), NUMBER, true)),
  );
  return Math.max(...widths, 0) + 6;
}

/** Size of numbers in cells. */
export const NUMBER = 10.5;
/** Numbers of a block at most. */
const MOST_NUMBERS = 1024;

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

/** A plane of a block as colours. */
export function heat(
  block: BlockView,
  { rows, columns, at }: ReturnType<BlockView["plane"]>,
  box: Box,
  { range: { low, high }, scheme }: Paints,
): Mark {
  const rgb = new Uint8Array(rows * columns * 3);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      rgb.set(valueColor(block.number(at(i, j)), low, high, scheme), (i * columns + j) * 3);
    }
  }
  return { kind: "field", ...box, rows, columns, rgb };
}
