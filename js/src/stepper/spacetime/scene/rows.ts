/** Space-time: rows are steps, downwards; columns are devices. A tile has the colour of where its block came from. */
import type { Variable } from "../../../core/document.gen";
import { axisToken, BOLD, type Color, field, label, type Mark } from "../../../draw/marks";
import { fit } from "../../../draw/measure";
import { differing, originsOf, sameBlocks } from "../../model/origins";
import type { TraceModel } from "../../model/trace";
import type { StepperLayout } from "../../scene/layout";
import type { StepperOptions } from "../../scene/view";
import { sendersTo } from "../model/lens";
import { headMarks } from "./head";
import { CAPTION, CUT, type Folded, LINES, type PlacedRow, type SpaceLayout, TOP } from "./layout";
import { type Links, linkMarks, rowLinks } from "./links";
import { type ColorOf, colorAt, tileMarks } from "./tiles";
import { endMarks, looseMarks, startOf, trunkTo } from "./trunks";

export interface SpaceOptions extends Pick<StepperOptions, "scheme" | "device"> {
  /** The tile under the lens: the index of a row, a mesh position. */
  tile: { row: number; device: number } | null;
  /** The fold that the program is in. */
  folded?: Folded | null;
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
  space.captions.forEach((text, k) => {
    marks.push(label(space.left, TOP + 9 + k * CAPTION, fit(text, space.width - space.left, 11), 11, "muted"));
  });
  marks.push(...looseMarks(trace, layout, space, options.scheme));
  for (const placed of space.rows) {
    const { row, y, h, met, leftOut } = placed;
    if (row.steps.includes(at)) marks.push(...currentMarks(trace, space, placed));
    if (leftOut !== null) marks.push(...cutMarks(space, placed, options.folded ?? null));
    if (n > LINES) {
      const v = row.shown[0] as Variable;
      const rgb = new Uint8Array(
        Array.from({ length: n }, (_, p) => colorAt(trace, v, originsOf(trace, v, p)[0] ?? p, color)).flat(),
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
  marks.push(...endMarks(trace, space));
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
    trunk: trunkTo(trace, space, placed),
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

/** What is said of rows that are left out, with a band where the program is among them. */
function cutMarks(space: SpaceLayout, placed: PlacedRow, folded: Folded | null): Mark[] {
  const [y, said] = [placed.y - CUT / 2, placed.leftOut ?? ""];
  if (folded?.row !== placed) return [label(space.left, y + 4, said, 11, "muted")];
  const text = fit(`${said}: now ${folded.text}`, space.width - space.left, 11, true);
  return [
    { kind: "rect", x: 0, y: y - CUT / 2 + 2, w: space.width, h: CUT - 4, fill: "muted", alpha: 0.1 },
    label(space.left, y + 4, text, 11, "ink", BOLD),
  ];
}

/** The tile under the lens, and the tiles that its block came from. */
function lensMarks(trace: TraceModel, space: SpaceLayout, { tile }: SpaceOptions): Mark[] {
  const at = tile && space.rows[tile.row];
  if (!at || trace.mesh.size > LINES) return [];
  const before = startOf(trace, space, at) ?? space.rows[tile.row - 1];
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
