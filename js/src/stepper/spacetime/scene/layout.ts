/** Where the rows of space-time stand: steps downwards, loops in brackets at their left, devices across. */

import { bytes } from "../../../core/format";
import { textWidth } from "../../../draw/measure";
import { isFuture, type Transfer } from "../../model/futures";
import { originVariable } from "../../model/origins";
import { primitiveName, type TraceModel } from "../../model/trace";
import type { Met } from "../model/meetings";
import { type SpaceRow, type SpaceTime, visibleRows } from "../model/spacetime";
import { BRACKET, type Bracket, bracketsOf } from "./brackets";
import { metFits, STRIP, tileHeight } from "./tiles";

export interface SpaceLayout {
  width: number;
  height: number;
  /** Rows that are drawn, with where their tiles stand. */
  rows: readonly PlacedRow[];
  /** Loops at the left of their rows. */
  brackets: readonly Bracket[];
  /** Where the names of rows begin, right of the brackets. */
  names: number;
  left: number;
  /** Height between rows with lines. */
  links: number;
  pitch: number;
  tile: number;
  /** Lines over the rows: what colours and strips say, and what is known of the program as a whole. */
  captions: readonly string[];
}

export interface PlacedRow {
  row: SpaceRow;
  /** Its index among all rows. */
  index: number;
  y: number;
  h: number;
  text: string;
  note: string;
  /** What is said in place of lines from the row above, where rows between are left out. */
  leftOut: string | null;
  /** For each device, those whose blocks have been met; null for rows without a strip. */
  met: readonly ReadonlySet<number>[] | null;
}

const LABEL = 138;
export const TOP = 44;
export const CAPTION = 18;
/** Between rows with links, as much as there is room for; and without. */
const LINKS = [58, 46, 34] as const;
const PLAIN = 12;
/** Under a row whose blocks set out and are received later. */
export const LEAVING = 26;
/** Under the last row, where something is sent and never received. */
const THROWN = 62;
/** Between rows of which some are left out. */
export const CUT = 24;
/** More columns than these have no lines. */
export const LINES = 64;
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
  const depth = Math.max(0, ...space.rows.map(({ path }) => path.length));
  const names = depth * BRACKET;
  const left = Math.min(LABEL, width * 0.24) + names;
  const right = 26;
  const pitch = Math.min(PITCH, (width - left - right) / n);
  const small = n > LINES;
  const tile = Math.max(1, pitch - (small ? 0 : Math.min(12, pitch * 0.16)));
  const met = metFits(n, tile) ? space.met : null;
  const captions = [met ? captionOf(met, n, width - left) : "", ...(small ? [] : factsOf(space, width - left))].filter(
    (text) => text !== "",
  );
  const visible = visibleRows(space, open);
  const place = (links: number) => {
    const rows: PlacedRow[] = [];
    let y = TOP + captions.length * CAPTION;
    for (const { row, index, leftOut } of visible) {
      const starts = transferOf(trace, rows.at(-1)?.row, "start") !== null;
      if (index > 0) y += leftOut !== null ? CUT : small ? 1 : row.collective ? links : starts ? LEAVING : PLAIN;
      const own = met?.rows[index] ?? null;
      const h = small ? 6 : tileHeight(trace, row, tile) + (own ? STRIP : 0);
      rows.push({
        row,
        index,
        y,
        h,
        met: own,
        leftOut: leftOut === null ? null : cutText(leftOut),
        ...wordsOf(trace, row),
      });
      y += h;
    }
    const thrown = !small && trace.transfers.some(({ done }) => done === null);
    return { rows, links, height: y + (thrown ? THROWN : 14) };
  };
  const [most, ...less] = LINKS;
  let placed = place(most);
  for (const links of less) if (placed.height > room) placed = place(links);
  const { rows, links, height } = placed;
  const brackets = bracketsOf(space, rows, links, open);
  return { width, height, rows, links, brackets, names, left, pitch, tile, captions };
}

/** Where the program is while it runs iterations that are folded: the row under them, and the iteration. */
export interface Folded {
  row: PlacedRow;
  text: string;
}

/** The fold that a step is in; null where the step's own row is drawn. */
export function foldedAt(
  trace: TraceModel,
  { rows: all }: SpaceTime,
  { rows }: SpaceLayout,
  step: number,
): Folded | null {
  const index = all.findLastIndex(({ steps: [first = 0] }) => first <= step);
  const row = rows.find((placed) => placed.index >= index);
  const inside = trace.step(all[index]?.steps[0] ?? -1);
  const now = trace.step(step);
  return row && inside && row.index > index && row.leftOut !== null
    ? { row, text: trace.iterations(now ?? inside) || trace.iterations(inside) }
    : null;
}

/** What the colours and the strips of tiles say: in full where it fits. */
function captionOf({ of, name, rows }: Met, devices: number, width: number): string {
  const strip = `strip: the blocks of ${of} that ${name} has met`;
  const last = rows.findLast((row) => row !== null);
  const all = last?.every((blocks) => blocks.size === devices);
  const follow = `Follow a colour down: each block of ${of} visits every device; ${strip}`;
  return all && textWidth(follow, 11) <= width ? follow : strip;
}

/** What is known of the whole program, as much as fits. */
function factsOf({ met, home }: SpaceTime, width: number): string[] {
  const after = met?.complete ? `After ${met.complete} iterations each ${met.name} has met all ${met.of}.` : "";
  const last = home
    ? `Hop ${home.hop} only brings the blocks home: ${bytes(home.bytes)} of the ${bytes(home.total)}.`
    : "";
  const fits = (text: string) => text !== "" && textWidth(text, 11) <= width;
  const both = `${after} ${last}`.trim();
  return fits(both) ? [both] : [after, last].filter(fits);
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
  const what = step?.primitive === "error" ? (trace.doc.error?.error ?? "error") : step ? primitiveName(step) : "";
  const sends = transferOf(trace, row, "start") ? "sends " : row.skipped > 0 ? `${row.skipped} steps later  ` : "";
  const axes = row.collective ? ` ${row.collective.axes.join(", ")}` : "";
  return { text: `${what}${axes}`, note: `${time}${sends}${names}` };
}

/** The transfer that a row starts, or receives; null for any other row. */
export function transferOf(trace: TraceModel, row: SpaceRow | undefined, end: "start" | "done"): Transfer | null {
  const step = row && !row.again ? trace.step(row.steps[0] ?? -1) : null;
  return step && trace.end(step) === end ? trace.transfer(step) : null;
}

/** The user's names of what devices hold: a block that went round keeps the name that it set out with. */
function namesOf(trace: TraceModel, row: SpaceRow): string[] {
  return [...new Set(row.shown.map((v) => (isFuture(v) ? v : originVariable(trace, v)).name))];
}
