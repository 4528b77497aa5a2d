/** Space-time: rows are steps, downwards; columns are devices. A tile has the colour of where its block came from. */
import { hex, type Rgb } from "../../model/color";
import type { Variable } from "../../model/document.gen";
import { sendersTo } from "../../model/lens";
import { originName, originsOf, originVariable } from "../../model/origins";
import { linksOf, type SpaceRow, type SpaceTime } from "../../model/spacetime";
import { primitiveName, reduces, type TraceModel } from "../../model/trace";
import { fit, fitName, textWidth } from "../measure";
import { axisStroke, axisToken, BOLD, type Box, CENTER, type Color, field, label, type Mark } from "../scene";
import type { StepperLayout } from "../stepper/layout";
import type { StepperOptions } from "../stepper/view";

export interface SpaceLayout {
  width: number;
  height: number;
  /** Rows that are drawn, with where their tiles stand. */
  rows: readonly { row: SpaceRow; y: number; h: number; text: string; note: string }[];
  /** Loops at the left of their rows. */
  brackets: readonly { loop: number; y: number; h: number; text: string; open: boolean }[];
  left: number;
  pitch: number;
  tile: number;
}

export interface SpaceOptions extends Pick<StepperOptions, "scheme" | "device"> {
  /** The tile under the lens: the index of a row, a mesh position. */
  tile: { row: number; device: number } | null;
}

const LABEL = 118;
const BRACKET = 22;
const TOP = 44;
const TILE = 24;
/** Between rows with links, and without. */
const LINKS = 34;
const PLAIN = 12;
/** More columns than these have no text, and more than those no lines. */
const TEXT = 32;
const LINES = 64;

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
  const pitch = Math.min(86, (width - left - right) / n);
  const drawn = space.rows.filter((r) => r.loop < 0 || open.has(r.loop) || r.iteration === firstOf(space, r.loop));
  const small = n > LINES;
  const rows: SpaceLayout["rows"][number][] = [];
  let y = TOP;
  for (const [i, row] of drawn.entries()) {
    if (i > 0) y += small ? 1 : row.collective ? LINKS : PLAIN;
    const h = small ? 6 : TILE;
    rows.push({ row, y, h, ...wordsOf(trace, row) });
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
    tile: Math.max(1, pitch - (small ? 0 : Math.min(12, pitch * 0.16))),
  };
}

function firstOf({ rows }: SpaceTime, loop: number): number {
  return Math.min(...rows.filter((r) => r.loop === loop).map((r) => r.iteration));
}

function wordsOf(trace: TraceModel, row: SpaceRow): { text: string; note: string } {
  const step = trace.step(row.steps[0] ?? 0);
  const names = namesOf(trace, row).join(", ");
  const what = step ? primitiveName(step) : "";
  const axes = row.collective ? ` ${row.collective.axes.join(", ")}` : "";
  return { text: `${what}${axes}`, note: row.iteration >= 0 ? `i=${row.iteration}  ${names}` : names };
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
  space.rows.forEach(({ row, y, h }, i) => {
    const current = row.steps.includes(at);
    const before = space.rows[i - 1];
    if (current) {
      const top = row.collective ? y - LINKS + 4 : y - 3;
      const axis = row.collective ? trace.mesh.axisOf(row.collective.axes[0] ?? "") : 0;
      const fill = row.collective ? axisToken(axis) : "muted";
      marks.push({ kind: "rect", x: 0, y: top, w: space.width, h: y + h + 3 - top, r: 4, fill, alpha: 0.1 });
    }
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
        ...linkMarks(trace, row, {
          y0: before.y + before.h,
          y1: y,
          middle,
          color,
          from: before.row.shown[0] ?? v,
          space,
        }),
      );
    for (let p = 0; p < n; p++)
      marks.push(...tileMarks(trace, row, { x: x(p), y, w: space.tile, h }, p, color, options));
  });
  return [...marks, ...lensMarks(trace, space, options)];
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

type ColorOf = (v: Variable, p: number) => Rgb;

/** A device's block at a row, in pieces where it has those of several. */
function tileMarks(
  trace: TraceModel,
  row: SpaceRow,
  box: Box,
  p: number,
  color: ColorOf,
  { device }: Pick<StepperOptions, "device">,
): Mark[] {
  const v = row.shown[0] as Variable;
  const own = originVariable(trace, v);
  const from = originsOf(trace, v, p);
  const marks: Mark[] = [];
  // A device that is looked at: where its block goes and comes from stands out.
  const followed = device === null || from.includes(device);
  const w = box.w / from.length;
  from.forEach((origin, k) => {
    const piece = { ...box, x: box.x + k * w, w };
    const alpha = followed ? {} : { alpha: 0.4 };
    if (origin >= 0)
      marks.push({ kind: "rect", ...piece, r: from.length > 1 ? 0 : 4, fill: hex(color(own, origin)), ...alpha });
  });
  const empty = from.every((origin) => origin < 0);
  const picked = device !== null && followed;
  marks.push({
    kind: "rect",
    ...box,
    r: 4,
    stroke: picked
      ? { color: "ink", width: 2 }
      : { color: empty ? "faint" : "edge", width: 1, ...(empty ? { dash: [3, 3] } : {}) },
  });
  if (trace.mesh.size > TEXT || from.length > 1) return marks;
  const text = empty ? "0" : tileName(trace, row, p, box.w - 4);
  marks.push(label(box.x + box.w / 2, box.y + box.h / 2 + 4, text, 10.5, empty ? "muted" : "tile-ink", CENTER));
  return marks;
}

/** `k, v of device 6`, `k of 6` for each, or the id alone. */
function tileName(trace: TraceModel, { shown }: SpaceRow, p: number, width: number): string {
  const [v] = shown as readonly [Variable];
  const first = new Set(shown.map((other) => originVariable(trace, other).name));
  const name = originName(trace, { ...v, name: originVariable(trace, v).name }, p, originVariable(trace, v).name);
  const all = name.replace(/^[^ ]+(?= of device )/, [...first].join(", "));
  const fits = [all, all.replace(" of device ", " of "), name.replace(" of device ", " of ")].find(
    (text) => textWidth(text, 10.5, true) <= width,
  );
  const [from = p] = originsOf(trace, v, p);
  return fits ?? (v.origin ? String(trace.mesh.ids[from] ?? from) : fitName(name, width, 10.5, true));
}

interface Between {
  y0: number;
  y1: number;
  middle: (p: number) => number;
  color: ColorOf;
  from: Variable;
  space: SpaceLayout;
}

/** Lines of blocks on their way to a row: the core has the colour of the data, the outline the ink of the axis. */
function linkMarks(trace: TraceModel, row: SpaceRow, { y0, y1, middle, color, from, space }: Between): Mark[] {
  const c = row.collective;
  if (!c) return [];
  const axis = trace.mesh.axisOf(c.axes[0] ?? "");
  const { pairs, knots } = linksOf(trace, c);
  const source = originVariable(trace, from);
  const colorAt = (p: number) => hex(color(source, Math.max(0, originsOf(trace, from, p)[0] ?? p)));
  const thin = pairs.length > 4 * trace.mesh.size;
  const width = thin ? 1.4 : Math.min(5, space.pitch * 0.16);
  const ribbon = (
    points: readonly (readonly [number, number])[],
    core: `#${string}`,
    dash: readonly number[] = [],
  ): Mark[] => [
    { kind: "line", points, stroke: { color: axisToken(axis), width: width + (thin ? 0.6 : 1.8) } },
    { kind: "line", points, stroke: { color: core, width, ...(dash.length > 0 ? { dash } : {}) } },
  ];
  const marks: Mark[] = [];
  for (const group of knots) {
    const xs = group.map(middle);
    const x = xs.reduce((a, b) => a + b, 0) / xs.length;
    const y = (y0 + y1) / 2;
    for (const p of group) marks.push(...ribbon(curve(middle(p), y0, x, y), colorAt(p), [4, 2.6]));
    for (const p of group) marks.push(...ribbon(curve(x, y, middle(p), y1), hex(color(row.shown[0] ?? from, p))));
    marks.push({ kind: "disc", x, y, r: 7, color: axisToken(axis), hollow: false, sign: "+" });
  }
  const n = trace.mesh.size;
  const edge = space.left + n * space.pitch + 12;
  for (const [a, b] of pairs) {
    // A ring's last block leaves at one side and comes in at the other.
    const round = reduces(c) || Math.abs(b - a) < n - 1 || n <= 2 ? 0 : Math.sign(a - b);
    const [x0, x1] = [middle(a), middle(b)];
    if (round === 0) marks.push(...ribbon(curve(x0, y0, x1, y1), colorAt(a)));
    else {
      const y = (y0 + y1) / 2;
      const [out, into] = round > 0 ? [edge, space.left - 12] : [space.left - 12, edge];
      marks.push(...ribbon(curve(x0, y0, out, y), colorAt(a)), ...ribbon(curve(into, y, x1, y1), colorAt(a)));
    }
  }
  return marks;
}

/** An S from one point to another, upright at both ends. */
function curve(x0: number, y0: number, x1: number, y1: number): readonly (readonly [number, number])[] {
  return Array.from({ length: 13 }, (_, i) => {
    const t = i / 12;
    const s = t * t * (3 - 2 * t);
    return [x0 + (x1 - x0) * s, y0 + (y1 - y0) * t] as const;
  });
}
