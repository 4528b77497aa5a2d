/** Devices: in full with the chunks that they hold, or small, and which of them form groups. */

import type { Parts } from "../../../collective/model/plan";
import { hex, positionColor } from "../../../core/color";
import type { MeshModel } from "../../../core/mesh";
import {
  axisToken,
  BOLD,
  type Box,
  CENTER,
  type Color,
  label,
  type Mark,
  type RectMark,
  type Stroke,
} from "../../../draw/marks";
import { fit, textWidth } from "../../../draw/measure";
import { around } from "./outlines";
import { TILE } from "./stage";
import type { CollectiveView } from "./view";

/** Height of the row of chunks at the foot of a tile, and its distance from the edges. */
const STRIP = 12;
const INSET = 7;
/** More chunks than this are drawn as this many. */
const CELLS = 32;

/** A tile in full: id, coordinates, chunks. */
export function tileMarks(view: CollectiveView, p: number, b: Box): Mark[] {
  const { model, options, group } = view;
  const strong = group.includes(p) && view.groups.length > 1;
  const looked = options.device === p;
  const stroke: Stroke = { color: strong || looked ? "ink" : "faint", width: looked ? 2.6 : strong ? 1.8 : 1 };
  const marks: Mark[] = [{ kind: "rect", ...b, r: 7, fill: "bg", stroke }];
  marks.push(...nameMarks(model.mesh, p, b));
  const number = numbered(view) ? view.groupOf(p) : null;
  if (number !== null) marks.push(...badge(b, number, group.includes(p)));
  return [...marks, ...chunkMarks(view, p, b)];
}

/** Its id, and its coordinates below; on a low tile beside it, where there is room. */
function nameMarks(mesh: MeshModel, p: number, b: Box): Mark[] {
  const middle = b.x + b.w / 2;
  const id = String(mesh.ids[p] ?? 0);
  const digits = mesh.axes.length > 0 ? mesh.digits(p).join(",") : "";
  if (b.h >= TILE.h)
    return [
      label(middle, b.y + 19, fit(id, b.w - 8, 13, true), 13, "ink", { ...BOLD, ...CENTER }),
      label(middle, b.y + 34, fit(digits, b.w - 6, 10, true), 10, "muted", CENTER),
    ];
  const [first, second] = [textWidth(id, 13, true), textWidth(digits, 10, true)];
  const gap = Math.min(8, b.w - 4 - first - second);
  if (digits === "" || gap < 3)
    return [label(middle, b.y + 19, fit(id, b.w - 8, 13, true), 13, "ink", { ...BOLD, ...CENTER })];
  const left = middle - (first + second + gap) / 2;
  return [
    label(left, b.y + 19, id, 13, "ink", BOLD),
    label(left + first + gap, b.y + 18.5, digits, 10, "muted", { mono: true }),
  ];
}

/** The number of its group, where groups cannot be outlined. */
function badge(b: Box, number: number, strong: boolean): Mark[] {
  const text = String(number + 1);
  const w = Math.max(15, textWidth(text, 10, true) + 8);
  const at = { x: b.x + b.w - w / 2 - 4, y: b.y - 8, w, h: 15, r: 7 };
  const fill: Color = strong ? "ink" : "bg";
  return [
    { kind: "rect", ...at, fill, stroke: { color: strong ? "ink" : "muted", width: 1 } },
    label(at.x + w / 2, at.y + 11, text, 10, strong ? "bg" : "muted", { ...CENTER, weight: 700 }),
  ];
}

/** Whether groups are numbered: they are not rectangles of tiles. */
export function numbered(view: CollectiveView): boolean {
  const { groups, stage } = view;
  return stage.density === "full" && groups.length > 1 && groups.some((g) => around(stage.boxes, g, 1) === null);
}

/** The place of the chunks in a tile. */
export function stripOf(b: Box): Box {
  return { x: b.x + INSET, y: b.y + b.h - STRIP - INSET, w: b.w - 2 * INSET, h: STRIP };
}

/** The place of one chunk; for a block that is not split, all of it. */
export function chunkBox(view: CollectiveView, b: Box, chunk: number): Box {
  const strip = stripOf(b);
  const n = view.plan?.n ?? 1;
  const cut = (view.played?.states[0]?.[0]?.length ?? 1) > 1;
  return cut ? { ...strip, x: strip.x + (chunk * strip.w) / n, w: strip.w / n } : strip;
}

/** What a device holds: its chunks in their places, hatched while sums wait for more. */
function chunkMarks(view: CollectiveView, p: number, b: Box): Mark[] {
  const { played, plan, arrived, options } = view;
  const rank = view.groups[view.groupOf(p) ?? -1]?.indexOf(p) ?? -1;
  const strip = stripOf(b);
  // What is received takes the place of what was sent, once it is there.
  const sends = plan?.semantics.starts === "nothing" && (options.phase === 0 || arrived === 0) && rank >= 0;
  const held = sends ? [[rank]] : played?.states[options.phase === 0 ? 0 : arrived]?.[rank];
  const edge: Mark = { kind: "rect", ...strip, r: 2, stroke: { color: "faint", width: 1 } };
  if (!held || !plan || plan.n < 2) return view.c && options.lit === null ? [edge] : [];
  const done = options.phase >= 1;
  const cells = Math.min(CELLS, held.length);
  const w = strip.w / cells;
  const marks: Mark[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const chunk = Math.floor((cell * held.length) / cells);
    const parts = held[chunk] ?? [];
    if (parts.length === 0 || (done && plan.semantics.cuts === "sent" && chunk !== rank)) continue;
    const whole = !view.reduces || parts.length === plan.n;
    marks.push({
      kind: "rect",
      x: strip.x + cell * w,
      y: strip.y,
      w,
      h: strip.h,
      fill: chunkColor(view, held.length === 1 ? null : chunk, parts),
      ...(whole ? {} : { hatch: true }),
    });
  }
  if (cells > 1 && w >= 4) marks.push({ kind: "grid", ...strip, rows: 1, columns: cells, color: "cell" });
  return [...marks, edge];
}

/**
 * Colour of a chunk: by its place in the whole; of a block that is not split, by the device that it is
 * from; a sum of several is of none.
 */
export function chunkColor(view: CollectiveView, chunk: number | null, parts: Parts): `#${string}` {
  const n = view.plan?.n ?? 1;
  const at = chunk ?? (view.reduces && parts.length > 1 ? null : (parts[0] ?? 0));
  return hex(
    at === null ? positionColor(0, 1, 0, 1, view.options.scheme) : positionColor(at, n, 0, 1, view.options.scheme),
  );
}

/** A device of many. */
export function smallMarks(view: CollectiveView): Mark[] {
  const { stage, model, group, options, axis } = view;
  const chosen = new Set(group);
  const lit = axis === null ? "muted" : axisToken(axis);
  const ids = stage.density === "compact";
  const r = ids ? 5 : stage.density === "cell" ? 2 : 0;
  // Thousands of devices are one background with the group on it.
  if (stage.density === "field") {
    const xs = stage.boxes.map((b) => b.x);
    const ys = stage.boxes.map((b) => b.y);
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    const end = stage.boxes.reduce((e, b) => ({ x: Math.max(e.x, b.x + b.w), y: Math.max(e.y, b.y + b.h) }), { x, y });
    const ground: RectMark = {
      kind: "rect",
      x,
      y,
      w: end.x - x,
      h: end.y - y,
      fill: "bg",
      stroke: { color: "line", width: 1 },
    };
    if (group.length === stage.boxes.length) return [{ ...ground, fill: lit, alpha: 0.55 }];
    return [ground, ...group.map((p): Mark => ({ kind: "rect", ...larger(stage.boxes[p] as Box), fill: lit }))];
  }
  return stage.boxes.flatMap((b, p): Mark[] => {
    const inGroup = chosen.has(p);
    const looked = options.device === p;
    const stroke: Stroke = { color: looked ? "ink" : inGroup ? lit : "faint", width: looked ? 2.4 : inGroup ? 1.8 : 1 };
    const marks: Mark[] = [{ kind: "rect", ...b, r, fill: "bg", stroke }];
    if (inGroup) marks.push({ kind: "rect", ...b, r, fill: lit, alpha: ids ? 0.14 : 0.55 });
    if (!ids) return marks;
    const id = fit(String(model.mesh.ids[p] ?? 0), b.w - 4, 11, true);
    return [
      ...marks,
      label(b.x + b.w / 2, b.y + b.h / 2 + 4, id, 11, inGroup ? "ink" : "muted", { ...BOLD, ...CENTER }),
    ];
  });
}

/** At least large enough to be seen. */
function larger(b: Box): Box {
  const [w, h] = [Math.max(2, b.w), Math.max(2, b.h)];
  return { x: b.x - (w - b.w) / 2, y: b.y - (h - b.h) / 2, w, h };
}
