/** Space-time: rows are steps, downwards; columns are devices. A tile has the colour of where its block came from. */
import type { Rgb } from "../../model/color";
import type { Variable } from "../../model/document.gen";
import { sendersTo } from "../../model/lens";
import { originsOf, originVariable } from "../../model/origins";
import type { SpaceRow, SpaceTime } from "../../model/spacetime";
import { primitiveName, type TraceModel } from "../../model/trace";
import { fit, textWidth } from "../measure";
import { axisStroke, axisToken, BOLD, type Color, field, label, type Mark } from "../scene";
import type { StepperLayout } from "../stepper/layout";
import type { StepperOptions } from "../stepper/view";
import { linkMarks } from "./links";
import { metFits, STRIP, tileHeight, tileMarks } from "./tiles";

export interface SpaceLayout {
  width: number;
  height: number;
  /** Rows that are drawn, with where their tiles stand. */
  rows: readonly PlacedRow[];
  /** Loops at the left of their rows. */
  brackets: readonly { loop: number; y: number; h: number; text: string; open: boolean }[];
  left: number;
  pitch: number;
  tile: number;
  /** What the strips under tiles say; empty where there are none. */
  caption: string;
}

export interface PlacedRow {
  row: SpaceRow;
  y: number;
  h: number;
  text: string;
  note: string;
  /** For each device, those whose blocks have been met; null for rows without a strip. */
  met: readonly ReadonlySet<number>[] | null;
}

export interface SpaceOptions extends Pick<StepperOptions, "scheme" | "device"> {
  /** The tile under the lens: the index of a row, a mesh position. */
  tile: { row: number; device: number } | null;
}

const LABEL = 138;
const BRACKET = 22;
const TOP = 44;
const CAPTION = 18;
/** Between rows with links, and without. */
const LINKS = 34;
const PLAIN = 12;
/** More columns than these have no lines. */
const LINES = 64;
/** Width of a column at most. */
const PITCH = 112;

/** Where rows and columns are; for a folded loop, only the first iteration. */
export function layoutSpace(
  trace: TraceModel,
  space: SpaceTime,
  width: number,
  open: ReadonlySet<number>,
): SpaceLayout {
  const n = trace.mesh.size;
  const left = Math.min(LABEL, width * 0.24) + (space.loops.length > 0 ? BRACKET : 0);
  const right = 26;
  const pitch = Math.min(PITCH, (width - left - right) / n);
  const drawn = space.rows.filter((r) => r.loop < 0 || open.has(r.loop) || r.iteration === firstOf(space, r.loop));
  const small = n > LINES;
  const tile = Math.max(1, pitch - (small ? 0 : Math.min(12, pitch * 0.16)));
  const met = metFits(n, tile) ? space.met : null;
  const rows: PlacedRow[] = [];
  let y = TOP + (met ? CAPTION : 0);
  for (const [i, row] of drawn.entries()) {
    if (i > 0) y += small ? 1 : row.collective ? LINKS : PLAIN;
    const own = met?.rows[space.rows.indexOf(row)] ?? null;
    const h = small ? 6 : tileHeight(trace, row, tile) + (own ? STRIP : 0);
    rows.push({ row, y, h, met: own, ...wordsOf(trace, row) });
    y += h;
  }
  const brackets = space.loops.flatMap(({ name, total, shown }, loop) => {
    const own = rows.filter((r) => r.row.loop === loop);
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last) return [];
    const top = first.y - (first.row.collective ? LINKS - 6 : 0);
    const cut = shown < total ? `, ${shown} shown` : "";
    const text = `${name}, ${total} times${cut}`;
    return [{ loop, y: top, h: last.y + last.h - top, text, open: open.has(loop) }];
  });
  return {
    width,
    height: y + 14,
    rows,
    brackets,
    left,
    pitch,
    tile,
    caption: met ? `strip: the blocks of ${met.of} that ${met.name} has met` : "",
  };
}

function firstOf({ rows }: SpaceTime, loop: number): number {
  return Math.min(...rows.filter((r) => r.loop === loop).map((r) => r.iteration));
}

function wordsOf(trace: TraceModel, row: SpaceRow): { text: string; note: string } {
  const step = trace.step(row.steps[0] ?? 0);
  const names = namesOf(trace, row).join(", ");
  const time = row.iteration >= 0 ? `i=${row.iteration}  ` : "";
  if (row.again) return { text: names, note: `${time}still held` };
  const what = step ? primitiveName(step) : "";
  const axes = row.collective ? ` ${row.collective.axes.join(", ")}` : "";
  return { text: `${what}${axes}`, note: `${time}${names}` };
}

/** The user's names of what devices hold: a block that went round keeps the name that it set out with. */
function namesOf(trace: TraceModel, row: SpaceRow): string[] {
  return [...new Set(row.shown.map((v) => originVariable(trace, v).name))];
}

/** Everything but what is drawn as text of the page: rows' names and brackets. */
export function spaceMarks(
  trace: TraceModel,
  layout: StepperLayout,
  space: SpaceLayout,
  at: number,
  options: SpaceOptions,
): Mark[] {
  const n = trace.mesh.size;
  const marks: Mark[] = headMarks(trace, space);
  const color = (v: Variable, p: number): Rgb => layout.blockColor(v, p, options.scheme);
  const x = (p: number) => space.left + p * space.pitch;
  const middle = (p: number) => x(p) + space.tile / 2;
  if (space.caption)
    marks.push(label(space.left, TOP + 9, fit(space.caption, space.width - space.left, 11), 11, "muted"));
  space.rows.forEach(({ row, y, h, met }, i) => {
    const before = space.rows[i - 1];
    if (row.steps.includes(at)) marks.push(...currentMarks(trace, space, row, y, h));
    const v = row.shown[0] as Variable;
    const own = originVariable(trace, v);
    if (n > LINES) {
      const rgb = new Uint8Array(
        Array.from({ length: n }, (_, p) => color(own, Math.max(0, originsOf(trace, v, p)[0] ?? p))).flat(),
      );
      marks.push(...field({ x: space.left, y, w: n * space.pitch, h }, 1, n, rgb, n));
      return;
    }
    if (row.collective && before)
      marks.push(
        ...linkMarks(trace, row, { y0: before.y + before.h + 1, y1: y, middle, color, space, device: options.device }),
      );
    for (let p = 0; p < n; p++)
      marks.push(
        ...tileMarks(trace, row, { x: x(p), y, w: space.tile, h }, p, color, met?.[p] ?? null, options.device),
      );
  });
  return [...marks, ...lensMarks(trace, space, options)];
}

/** The band behind the current row, in the inks of the axes that it sends over. */
function currentMarks(trace: TraceModel, space: SpaceLayout, { collective }: SpaceRow, y: number, h: number): Mark[] {
  const top = collective ? y - LINKS + 4 : y - 3;
  const inks: readonly Color[] = collective ? collective.axes.map((a) => axisToken(trace.mesh.axisOf(a))) : ["muted"];
  const part = (y + h + 3 - top) / inks.length;
  return inks.map((fill, k) => ({ kind: "rect", x: 0, y: top + k * part, w: space.width, h: part, fill, alpha: 0.1 }));
}

/** The tile under the lens, and the tiles that its block came from. */
function lensMarks(trace: TraceModel, space: SpaceLayout, { tile }: SpaceOptions): Mark[] {
  const at = tile && space.rows[tile.row];
  if (!at || trace.mesh.size > LINES) return [];
  const before = space.rows[tile.row - 1];
  const outline = (p: number, y: number, h: number, color: Color): Mark => {
    const x = space.left + p * space.pitch;
    return { kind: "rect", x: x - 2, y: y - 2, w: space.tile + 4, h: h + 4, r: 5, stroke: { color, width: 2.2 } };
  };
  const axis = trace.mesh.axisOf(at.row.collective?.axes[0] ?? "");
  const from = before ? sendersTo(trace, at.row, tile.device) : [];
  return [
    ...from.map((p) => outline(p, before?.y ?? 0, before?.h ?? 0, axisToken(axis))),
    outline(tile.device, at.y, at.h, "ink"),
  ];
}

/** Devices over their columns, with the rail of a mesh of one axis. */
function headMarks(trace: TraceModel, { left, pitch, tile }: SpaceLayout): Mark[] {
  const { mesh } = trace;
  const n = mesh.size;
  const marks: Mark[] = [];
  const last = mesh.axes.length - 1;
  const inner = mesh.meshShape[last] ?? n;
  // A bracket over the devices of each row of the mesh; the last axis runs from column to column.
  const every = Math.max(1, Math.ceil(textWidth(String(n - 1), 11, true) / pitch + 0.2));
  for (let p = 0; p < n; p += every)
    marks.push(
      label(left + p * pitch + tile / 2, 36, String(mesh.ids[p] ?? p), 11, "ink", { ...BOLD, anchor: "middle" }),
    );
  if (last < 0) return marks;
  for (let start = 0; start < n; start += inner) {
    const [x0, x1] = [left + start * pitch, left + (start + inner - 1) * pitch + tile];
    const points = [
      [x0, 20],
      [x1, 20],
    ] as const;
    const alone = last === 0;
    marks.push({ kind: "line", points, stroke: axisStroke(alone ? 0 : last - 1, 1.6), arrow: alone });
    const digits = mesh.digits(start);
    const names = alone
      ? (mesh.axes[0]?.name ?? "")
      : mesh.axes
          .slice(0, last)
          .map((a, i) => `${a.name}=${digits[i]}`)
          .join(" ");
    const text = fit(names, x1 - x0 + 8, 11, true);
    marks.push(label((x0 + x1) / 2, 14, text, 11, axisToken(alone ? 0 : last - 1), { ...BOLD, anchor: "middle" }));
  }
  return marks;
}
