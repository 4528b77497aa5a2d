/** Space-time: rows are steps, downwards; columns are devices. A tile has the colour of where its block came from. */
import type { Variable } from "../../model/document.gen";
import { sendersTo } from "../../model/lens";
import type { Met } from "../../model/meetings";
import { differing, originsOf, originVariable, sameBlocks } from "../../model/origins";
import { type SpaceRow, type SpaceTime, visibleRows } from "../../model/spacetime";
import { primitiveName, type TraceModel } from "../../model/trace";
import { fit, textWidth } from "../measure";
import { axisStroke, axisToken, BOLD, type Color, field, label, type Mark } from "../scene";
import type { StepperLayout } from "../stepper/layout";
import type { StepperOptions } from "../stepper/view";
import { type Links, linkMarks, rowLinks } from "./links";
import { type ColorOf, metFits, STRIP, tileHeight, tileMarks } from "./tiles";

export interface SpaceLayout {
  width: number;
  height: number;
  /** Rows that are drawn, with where their tiles stand. */
  rows: readonly PlacedRow[];
  /** Loops at the left of their rows. */
  brackets: readonly { loop: number; x: number; y: number; h: number; text: string; open: boolean }[];
  /** Where the names of rows begin, right of the brackets. */
  names: number;
  left: number;
  /** Height between rows with lines. */
  links: number;
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
  /** What is said in place of lines from the row above, where rows between are left out. */
  leftOut: string | null;
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
/** Between rows with links, as much as there is room for; and without. */
const LINKS = [58, 46, 34] as const;
const PLAIN = 12;
/** Between rows of which some are left out. */
const CUT = 24;
/** More columns than these have no lines. */
const LINES = 64;
/** Width of a column at most. */
const PITCH = 112;

/** Where rows and columns are; the lines between rows are as high as `room` allows for all. */
export function layoutSpace(
  trace: TraceModel,
  space: SpaceTime,
  width: number,
  open: ReadonlySet<number>,
  room = 0,
): SpaceLayout {
  const n = trace.mesh.size;
  const depth = Math.max(0, ...space.loops.map((loop) => loop.depth + 1));
  const names = depth * BRACKET;
  const left = Math.min(LABEL, width * 0.24) + names;
  const right = 26;
  const pitch = Math.min(PITCH, (width - left - right) / n);
  const small = n > LINES;
  const tile = Math.max(1, pitch - (small ? 0 : Math.min(12, pitch * 0.16)));
  const met = metFits(n, tile) ? space.met : null;
  const visible = visibleRows(space, open);
  const place = (links: number) => {
    const rows: PlacedRow[] = [];
    let y = TOP + (met ? CAPTION : 0);
    for (const { row, index, leftOut } of visible) {
      if (index > 0) y += leftOut !== null ? CUT : small ? 1 : row.collective ? links : PLAIN;
      const own = met?.rows[index] ?? null;
      const h = small ? 6 : tileHeight(trace, row, tile) + (own ? STRIP : 0);
      rows.push({ row, y, h, met: own, leftOut: leftOut === null ? null : cutText(leftOut), ...wordsOf(trace, row) });
      y += h;
    }
    return { rows, links, height: y + 14 };
  };
  const [most, ...less] = LINKS;
  let placed = place(most);
  for (const links of less) if (placed.height > room) placed = place(links);
  const { rows, links, height } = placed;
  const brackets = space.loops.flatMap(({ name, depth, total, shown }, loop) => {
    const own = rows.filter(({ row }) => row.path.some((at) => at.loop === loop));
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last) return [];
    const top = first.y - (first.row.collective ? links - 6 : 0);
    const cut = shown < total ? `, ${shown} shown` : "";
    const text = `${name}, ${total} times${cut}`;
    return [{ loop, x: depth * BRACKET, y: top, h: last.y + last.h - top, text, open: open.has(loop) }];
  });
  const caption = met ? captionOf(met, n, width - left) : "";
  return { width, height, rows, links, brackets, names, left, pitch, tile, caption };
}

/** What the colours and the strips of tiles say: in full where it fits. */
function captionOf({ of, name, rows }: Met, devices: number, width: number): string {
  const strip = `strip: the blocks of ${of} that ${name} has met`;
  const last = rows.findLast((row) => row !== null);
  const all = last?.every((blocks) => blocks.size === devices);
  const follow = `Follow a colour down: each block of ${of} visits every device; ${strip}`;
  return all && textWidth(follow, 11) <= width ? follow : strip;
}

/** What is written where iterations are left out: of 0, only a part of one is. */
function cutText(iterations: number): string {
  return iterations === 0 ? "⋮" : `⋮  ${iterations} more ${iterations === 1 ? "iteration" : "iterations"}`;
}

/** What iterations of nested loops are called, from the outermost. */
const INDICES = ["i", "j", "k", "l"];

function wordsOf(trace: TraceModel, row: SpaceRow): { text: string; note: string } {
  const step = trace.step(row.steps[0] ?? 0);
  const names = namesOf(trace, row).join(", ");
  const time = row.path.map(({ iteration }, level) => `${INDICES[level] ?? "i"}=${iteration}  `).join("");
  if (row.again) return { text: names, note: `${time}still held` };
  const what = step ? primitiveName(step) : "";
  const axes = row.collective ? ` ${row.collective.axes.join(", ")}` : "";
  return { text: `${what}${axes}`, note: `${time}${names}` };
}

/** The user's names of what devices hold: a block that went round keeps the name that it set out with. */
function namesOf(trace: TraceModel, row: SpaceRow): string[] {
  return [...new Set(row.shown.map((v) => originVariable(trace, v).name))];
}

/** Everything but what is drawn as text of the page, and the row whose blocks are on their way. */
export function spaceMarks(
  trace: TraceModel,
  layout: StepperLayout,
  space: SpaceLayout,
  at: number,
  options: SpaceOptions,
  moving?: PlacedRow,
): Mark[] {
  const n = trace.mesh.size;
  const marks: Mark[] = headMarks(trace, space);
  const color: ColorOf = (v, p) => layout.blockColor(v, p, options.scheme);
  const x = (p: number) => space.left + p * space.pitch;
  if (space.caption)
    marks.push(label(space.left, TOP + 9, fit(space.caption, space.width - space.left, 11), 11, "muted"));
  for (const placed of space.rows) {
    const { row, y, h, met, leftOut } = placed;
    if (row.steps.includes(at)) marks.push(...currentMarks(trace, space, placed));
    if (leftOut !== null) marks.push(label(space.left, y - CUT / 2 + 4, leftOut, 11, "muted"));
    if (n > LINES) {
      const v = row.shown[0] as Variable;
      const own = originVariable(trace, v);
      const rgb = new Uint8Array(
        Array.from({ length: n }, (_, p) => color(own, Math.max(0, originsOf(trace, v, p)[0] ?? p))).flat(),
      );
      marks.push(...field({ x: space.left, y, w: n * space.pitch, h }, 1, n, rgb, n));
      continue;
    }
    const links = placed === moving ? null : linksTo(trace, layout, space, placed, options);
    if (links) marks.push(...linkMarks(trace, links));
    for (let p = 0; p < n; p++)
      marks.push(
        ...tileMarks(trace, row, { x: x(p), y, w: space.tile, h }, p, color, met?.[p] ?? null, options.device),
      );
    marks.push(...equalMarks(trace, space, placed));
  }
  return [...marks, ...lensMarks(trace, space, options)];
}

/** What goes from the row above to a row; null where nothing does, or the row above is left out. */
export function linksTo(
  trace: TraceModel,
  layout: StepperLayout,
  space: SpaceLayout,
  placed: PlacedRow,
  { scheme, device }: Pick<SpaceOptions, "scheme" | "device">,
): Links | null {
  const above = space.rows[space.rows.indexOf(placed) - 1];
  if (!placed.row.collective || placed.leftOut !== null || !above || trace.mesh.size > LINES) return null;
  return rowLinks(trace, placed.row, {
    y0: above.y + above.h + 1,
    y1: placed.y,
    middle: (p) => space.left + p * space.pitch + space.tile / 2,
    color: (v, p) => layout.blockColor(v, p, scheme),
    space,
    device,
  });
}

/** Between tiles whose blocks are known to be equal. */
function equalMarks(trace: TraceModel, { left, pitch, tile }: SpaceLayout, { row, y, h }: PlacedRow): Mark[] {
  const { mesh } = trace;
  const r = (pitch - tile) / 2;
  if (r < EQUAL) return [];
  return Array.from({ length: mesh.size - 1 }, (_, p): Mark[] => {
    if (!row.shown.every((v) => sameBlocks(trace, v, p, p + 1))) return [];
    const axis = differing(mesh, p, p + 1)[0] ?? 0;
    const x = left + (p + 1) * pitch - r;
    return [{ kind: "disc", x, y: y + h / 2, r, color: axisToken(axis), hollow: false, sign: "=" }];
  }).flat();
}

/** Radius under which a sign in a disc could not be read. */
const EQUAL = 5.5;

/** The band behind the current row, in the inks of the axes that it sends over. */
function currentMarks(trace: TraceModel, space: SpaceLayout, { row, y, h, leftOut }: PlacedRow): Mark[] {
  const { collective } = row;
  const top = collective && leftOut === null ? y - space.links + 4 : y - 3;
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
