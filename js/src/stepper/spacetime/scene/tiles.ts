/** Tiles of a row: the blocks of a device as pieces in the colours of their origins, and the strip of those it has met. */
import { hex, NOBODYS, type Rgb } from "../../../core/color";
import type { Variable } from "../../../core/document.gen";
import { type Box, CENTER, EMPTY, label, type Mark, type Stroke } from "../../../draw/marks";
import { fitName, textWidth } from "../../../draw/measure";
import { isFuture } from "../../model/futures";
import { NOT_KNOWN, originName, originsOf, originVariable } from "../../model/origins";
import type { TraceModel } from "../../model/trace";
import { futureMarks } from "../../scene/future";
import type { SpaceRow } from "../model/spacetime";

export type ColorOf = (v: Variable, p: number) => Rgb;

const TILE = 24;
/** Height of a piece where a tile has several. */
const PIECE = 15;
/** More pieces stand side by side, without text. */
const MAX_STACKED = 8;
const SIZE = 10.5;
/** Height that a strip adds to a tile, and of its cells. */
export const STRIP = 13;
const CELL = 8;

/** Whether a tile of a width has room for a strip with a cell for each device. */
export function metFits(devices: number, width: number): boolean {
  return width >= 4 * devices;
}

/** Pieces of a device's tile, with the variables that they belong to. */
function piecesOf(trace: TraceModel, { blocks }: SpaceRow, p: number) {
  return blocks.flatMap((block) => {
    const from = block[0] ? originsOf(trace, block[0], p) : [];
    return from.map((origin) => ({ block, origin, whole: from.length === 1 }));
  });
}

/** Height of the tiles of a row, without a strip. */
export function tileHeight(trace: TraceModel, row: SpaceRow, width: number): number {
  const pieces = piecesOf(trace, row, 0).length;
  return pieces < 2 || pieces > MAX_STACKED || width < PIECE ? TILE : pieces * PIECE;
}

/** A device's tile at a row. */
export function tileMarks(
  trace: TraceModel,
  row: SpaceRow,
  { x, y, w, h: all }: Box,
  p: number,
  color: ColorOf,
  met: ReadonlySet<number> | null,
  followed: number | null,
): Mark[] {
  const [future] = row.shown;
  if (isFuture(future)) return futureMarks(trace, future as Variable, { x, y, w, h: all }, true);
  const pieces = piecesOf(trace, row, p);
  const h = all - (met ? STRIP : 0);
  const stacked = h >= pieces.length * PIECE;
  const holds = followed !== null && pieces.some(({ origin }) => origin === followed);
  const marks: Mark[] = [];
  if (met) marks.push({ kind: "rect", x, y, w, h: all, r: 4, fill: "panel" });
  pieces.forEach(({ block, origin, whole }, k) => {
    const [v] = block as readonly [Variable];
    const part = stacked
      ? { x, y: y + (k * h) / pieces.length, w, h: h / pieces.length }
      : { x: x + (k * w) / pieces.length, y, w: w / pieces.length, h };
    // Where a block is followed, the others step back.
    const alpha = followed === null || origin === followed ? {} : { alpha: 0.4 };
    if (origin >= 0)
      marks.push({
        kind: "rect",
        ...part,
        r: pieces.length > 1 ? 0 : 4,
        fill: hex(colorAt(trace, v, origin, color)),
        ...alpha,
      });
    if (stacked && k > 0) marks.push({ kind: "rect", ...part, h: 0.8, fill: "edge" });
    const text = stacked ? pieceName(trace, block, p, origin, whole, w - 6) : "";
    const ink = origin < 0 ? "muted" : "tile-ink";
    if (text) marks.push(label(x + w / 2, part.y + part.h / 2 + 4, text, SIZE, ink, CENTER));
  });
  const empty = pieces.every(({ origin }) => origin < 0);
  const stroke: Stroke = holds ? { color: "ink", width: 2 } : empty ? EMPTY : { color: "edge", width: 1 };
  marks.push({ kind: "rect", x, y, w, h: all, r: 4, stroke });
  if (met) marks.push(...strip(trace, row, { x: x + 3, y: y + h + 3, w: w - 6, h: CELL }, met, color));
  return marks;
}

/** One cell for each device: filled where its block has been met. */
function strip(trace: TraceModel, { blocks }: SpaceRow, box: Box, met: ReadonlySet<number>, color: ColorOf): Mark[] {
  const v = blocks.flat().find(({ origin }) => origin) ?? blocks.flat()[0];
  const n = trace.mesh.size;
  const w = box.w / n;
  return Array.from({ length: n }, (_, p): Mark => {
    const cell = { kind: "rect", x: box.x + p * w + 0.5, y: box.y, w: w - 1, h: box.h } as const;
    return v && met.has(p)
      ? { ...cell, fill: hex(colorAt(trace, v, p, color)), stroke: { color: "edge", width: 0.8 } }
      : { ...cell, stroke: { color: "faint", width: 0.8 } };
  });
}

/** The colour of a block of the device at a mesh position, as it was at first. */
export function colorAt(trace: TraceModel, v: Variable, origin: number, color: ColorOf): Rgb {
  return origin < 0 ? NOBODYS : color(originVariable(trace, v), origin);
}

/** `k, v of device 6`, `k of 6`, or the id alone, as it fits. */
function pieceName(
  trace: TraceModel,
  block: readonly Variable[],
  p: number,
  origin: number,
  whole: boolean,
  width: number,
): string {
  const [v] = block as readonly [Variable];
  const fits = (text: string) => textWidth(text, SIZE, true) <= width;
  const names = [...new Set(block.map((other) => originVariable(trace, other).name))];
  if (!v.origin) return [names.join(", ")].find(fits) ?? fitName(names[0] ?? "", width, SIZE, true);
  if (origin === NOT_KNOWN) return fits("not known") ? "not known" : "?";
  if (origin < 0) return fits("zeros") ? "zeros" : "0";
  const id = String(trace.mesh.ids[origin] ?? origin);
  const [own = ""] = names;
  const said = whole && block.length === 1 ? originName(trace, v, p, v.name) : "";
  const all = [
    said,
    said.replace(" of device ", " of "),
    ...[names.join(", "), own].flatMap((n) => [`${n} of device ${id}`, `${n} of ${id}`]),
  ];
  return all.find((text) => text !== "" && text.includes(" of ") && fits(text)) ?? id;
}
