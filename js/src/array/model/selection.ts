/** What is looked at: the trait that Python shares, and what of it lights up in the picture. */
import type { PlacementModel } from "../../core/placement";

/** The two panels of a picture. */
export type Which = "array" | "mesh";

/** A device (by id), a tile (by its part along each dimension), both, or a mesh axis (by name). */
export interface Selection {
  device?: number;
  tile?: readonly number[];
  axis?: string;
}

/** What is highlighted: a tile with the devices that hold it, the one asked for first; or the groups of a mesh axis. */
export interface Highlight {
  tile: number | null;
  positions: readonly number[];
  axis: number | null;
}

export function highlightOf(model: PlacementModel, selection: Selection | null): Highlight | null {
  if (!selection) return null;
  if (selection.axis !== undefined) {
    const axis = model.axes.findIndex((a) => a.name === selection.axis);
    return axis < 0 ? null : { tile: null, positions: [], axis };
  }
  if (selection.device !== undefined) {
    const position = model.ids.indexOf(selection.device);
    return position < 0 ? null : highlightDevice(model, position);
  }
  return selection.tile ? highlightTile(model, model.tileIndex(selection.tile)) : null;
}

export function highlightDevice(model: PlacementModel, position: number): Highlight {
  if (model.doc.shape === null) return { tile: null, positions: [position], axis: null };
  const tile = model.tileAt[position] ?? 0;
  const others = model.holders(tile).filter((p) => p !== position);
  return { tile, positions: [position, ...others], axis: null };
}

/** A tile, with its first addressable holder first: that one's values can be shown. */
export function highlightTile(model: PlacementModel, tile: number): Highlight {
  const holders = model.holders(tile);
  const here = holders.find((p) => model.addressable(p)) ?? holders[0];
  return here === undefined ? { tile, positions: [], axis: null } : highlightDevice(model, here);
}

/** The selection that a pinned highlight is. */
export function selectionOf(model: PlacementModel, lit: Highlight | null): Selection | null {
  if (!lit) return null;
  if (lit.axis !== null) return { axis: model.axes[lit.axis]?.name ?? "" };
  const position = lit.positions[0];
  const out: Selection = {};
  if (position !== undefined) out.device = model.ids[position] ?? 0;
  if (lit.tile !== null) out.tile = model.parts(lit.tile);
  return out;
}

/** Whether two highlights light the same things. */
export function sameLit(a: Highlight | null, b: Highlight | null): boolean {
  if (a === null || b === null) return a === b;
  return a.tile === b.tile && a.axis === b.axis && a.positions[0] === b.positions[0];
}
