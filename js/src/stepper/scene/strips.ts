/** Blocks as chunks side by side: what each chunk holds now, which one receives, whose terms it has. */
import type { Rgb } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import { unravel } from "../../core/mesh";
import {
  axisStroke,
  axisToken,
  BOLD,
  type Box,
  CENTER,
  EMPTY,
  label,
  type Mark,
  PARTIAL_DASH,
  type Stroke,
} from "../../draw/marks";
import { fitName } from "../../draw/measure";
import { exchanges, gathers, scatters } from "../model/semantics";
import { blockMarks } from "./block";
import { type Face, partOf } from "./contents";
import { scattered } from "./drawn";
import {
  blockColor,
  chunkOf,
  givenNumber,
  inkBetween,
  keeperOf,
  markIn,
  numberOf,
  numbers,
  partsOf,
  sumColor,
  together,
} from "./look";
import type { Tile } from "./stage";
import type { Moving } from "./view";

/** Chunks side by side: numbers that they hold now, in the colour of where they came from. */
export function stripMarks(view: Moving, p: number, box: Box, face: Face): Mark[] {
  const { stage, trace, finished, adds, groupOf } = view;
  const group = groupOf.get(p);
  if (!group) return [];
  const n = stage.chunks;
  const each = face.columns / n;
  const chunkAt = (cell: number) => Math.floor((cell % face.columns) / each);
  const { v, face: last } = shownNow(view, face);
  const cells = last.columns === face.columns && last.rows === face.rows ? last : face;
  const content = contentOf(view, p, v);
  const whole = trace.corner(v)?.whole === true;
  const mark = markIn(view, cells, p);
  const text = (cell: number): string => {
    const k = chunkAt(cell);
    const number = content.text(k, cells.elements[cell] ?? -1);
    if (number !== "" || content.fill(k) === null) return number;
    const [row, column] = [Math.floor(cell / cells.columns), (cell % cells.columns) % each];
    return givenNumber(view, group[k] ?? p, row * each + column, each);
  };
  const marks = blockMarks(box, {
    ...numbers(view, v, cells, () => ""),
    text: trace.corner(v) && !stage.bare ? text : null,
    fill: null,
    fillAt: (cell) => (whole && (cells.elements[cell] ?? -1) < 0 ? null : content.fill(chunkAt(cell))),
    paleAt: (cell) => content.pale(chunkAt(cell)),
    hatch: adds && !finished ? view.hatch : null,
    plainAt: (cell) => view.hops && partsOf(view, p, chunkAt(cell)).length >= n,
    stroke: EMPTY,
    mark: mark !== null && content.fill(chunkAt(mark)) !== null ? mark : null,
  });
  const w = box.w / n;
  const place = (k: number): Box => ({ x: box.x + k * w, y: box.y, w, h: box.h });
  for (let k = 0; k < n; k++) {
    if (view.empty.has(k)) continue;
    if (content.fill(k) !== null) marks.push(chunkOutline(view, place(k), k === group.indexOf(p)));
    if (!finished) marks.push(...waitingMarks(view, p, k, place(k)));
  }
  // The column that the receiver takes.
  if (stage.motion === "gather" && !finished && !gathers(view.collective) && group === stage.group)
    marks.push(outline(place(stage.lanes[stage.receiver]?.rank ?? 0), 3, view.axis));
  return marks;
}

/** The outline of a chunk that is held: heavy for what a member brought itself, dashed for a part of a sum. */
function chunkOutline({ collective: c, hops, adds, finished }: Moving, at: Box, first: boolean): Mark {
  const own = first && (gathers(c) || (exchanges(c) && hops));
  const stroke: Stroke = own
    ? { color: "tile-ink", width: 2 }
    : { color: "edge", width: 1, ...(adds && !finished ? { dash: PARTIAL_DASH } : {}) };
  return { kind: "rect", ...at, r: 2, stroke };
}

/** What the tiles show: what it becomes, at the end. */
function shownNow({ stage, finished, input }: Moving, face: Face): { v: Variable; face: Face } {
  return finished ? stage.after : { v: stage.tiles[0]?.places[0]?.v ?? input, face };
}

/** The cell that is looked at, written out where blocks have no room for numbers; its name is over the first. */
export function readingMarks(view: Moving, { box, members: [p = 0], places: [place] }: Tile): Mark[] {
  const { stage, element, trace } = view;
  const { reading, font } = stage;
  if (!reading || !place || element === null) return [];
  const { v } = shownNow(view, place.face);
  const shape = trace.corner(v)?.shape ?? [];
  const text = contentOf(view, p, v).text(chunkOf(view, v)(element), element);
  const right = box.x + reading.x + reading.w;
  const marks = [label(right - 4, box.y + box.h / 2 + 4, text, font, "ink", { ...BOLD, mono: true, anchor: "end" })];
  // Over the slots of a meaning stands another name.
  if (stage.tiles[0]?.box !== box || stage.motion === "gather") return marks;
  const name = `${fitName(v.name, right - box.x - 60, 10, true)}[${unravel(element, shape).join(",")}]`;
  return [label(right - 4, box.y - 8, name, 10, "ink", { ...BOLD, mono: true, anchor: "end" }), ...marks];
}

interface Content {
  text: (chunk: number, element: number) => string;
  fill: (chunk: number) => Rgb | null;
  pale: (chunk: number) => number;
}

/** What the chunks of a strip hold at the moment. */
function contentOf(view: Moving, p: number, v: Variable): Content {
  if (view.finished) return finalContent(view, p, v);
  const { stage, input, collective, adds } = view;
  const rank = view.groupOf.get(p)?.indexOf(p) ?? -1;
  if (stage.motion === "gather") {
    const there = (k: number) => !gathers(collective) || k === rank;
    return {
      text: (k, element) => (there(k) ? numberOf(view, v, p, element) : ""),
      fill: (k) => (there(k) ? blockColor(view, input, p) : null),
      pale: () => 1,
    };
  }
  const passed = adds ? passedOn(view, rank) : new Set<number>();
  return {
    text: (k, element) => {
      const parts = partsOf(view, p, k);
      if (parts.length === 0) return "";
      return adds ? together(view, parts, element) : numberOf(view, v, p, element);
    },
    fill: (k) => {
      const parts = partsOf(view, p, k);
      if (parts[0] === undefined) return null;
      return adds ? sumColor(view, parts, keeperOf(view, p, k)) : blockColor(view, input, parts[0]);
    },
    pale: (k) => (passed.has(k) ? 0.5 : 1),
  };
}

/** What the chunks of a strip hold in the end: of a scattered sum, a part is all that is kept. */
function finalContent(view: Moving, p: number, v: Variable): Content {
  const { stage, input, output, collective: c } = view;
  const group = view.groupOf.get(p) ?? [];
  const rank = group.indexOf(p);
  const own = scattered(view, p, { x: 0, y: 0, w: stage.chunks, h: 1 });
  const strip = own ? partOf(stage.face, stage.chunks, [rank]).elements : [];
  const kept = (k: number) => !scatters(c) || k === rank;
  const from = (k: number) => (gathers(c) || exchanges(c) ? (group[k] ?? p) : p);
  return {
    text: (k, element) => {
      if (!kept(k)) return "";
      if (!scatters(c)) return numberOf(view, v, p, element);
      const part = own?.face.elements[strip.indexOf(element)];
      return part === undefined ? together(view, group, element) : numberOf(view, output, p, part);
    },
    fill: (k) => {
      if (!kept(k)) return null;
      return view.adds ? blockColor(view, output, p) : blockColor(view, input, from(k));
    },
    pale: () => 1,
  };
}

/** Chunks whose sums a rank has sent on, and that have not come back complete. */
function passedOn(view: Moving, rank: number): Set<number> {
  const { played, flow, stage } = view;
  const passed = new Set<number>();
  for (let r = 0; r <= flow.round && r < (played?.rounds.length ?? 0); r++) {
    for (const t of played?.rounds[r] ?? []) {
      if (t.source === rank && t.op === "add" && (r < flow.arrived || flow.progress > 0))
        for (const k of t.chunks) passed.add(k);
      if (t.destination === rank && r < flow.arrived) for (const k of t.chunks) passed.delete(k);
    }
  }
  const n = stage.group.length;
  for (const k of [...passed]) if ((view.held?.[rank]?.[k] ?? []).length >= n) passed.delete(k);
  return passed;
}

/** The place that receives in this round, and in empty ones the hop that fills them. */
function waitingMarks(view: Moving, p: number, k: number, at: Box): Mark[] {
  const { played, flow, collective: c, stage } = view;
  const group = view.groupOf.get(p) ?? [];
  if (!view.hops || !played) return [];
  const rank = group.indexOf(p);
  const addressed = exchanges(c);
  const arrives = (played.rounds[flow.round] ?? []).find(
    (t) =>
      t.destination === rank &&
      flow.progress < 1 &&
      (addressed ? t.origin === k && t.chunks.includes(rank) : t.chunks.includes(k)),
  );
  const marks: Mark[] = [];
  const axis = arrives ? inkBetween(view, group[arrives.source] ?? p, p) : view.axis;
  // From the neighbour below, or round the end: a ring that runs both ways.
  const upward = arrives !== undefined && (arrives.source - arrives.destination + group.length) % group.length === 1;
  if (arrives) marks.push(outline(at, 2, axis));
  if (partsOf(view, p, k).length > 0 || stage.bare) return marks;
  const hop = played.states.findIndex((held) => (held[rank]?.[k] ?? []).length > 0);
  if (hop <= 0) return marks;
  const middle = [at.x + at.w / 2, at.y + at.h / 2 + 3.5] as const;
  if (arrives) marks.push(label(...middle, upward ? "▴" : "▾", 10, axisToken(axis), { anchor: "middle" }));
  else marks.push(label(...middle, String(hop), 10, "muted", CENTER));
  return marks;
}

/** Under each chunk, whose terms its sum holds: a bar with a place for each member. */
export function barMarks(view: Moving, { members: [p = 0], places: [place] }: Tile): Mark[] {
  const { stage, adds, empty } = view;
  const group = view.groupOf.get(p) ?? [];
  if (!place || !adds || !stage.bars) return [];
  const { box } = place;
  const n = stage.chunks;
  const w = box.w / n;
  const pitch = (w - 4) / n;
  return [...group.keys()].flatMap((k) => {
    const bar = { kind: "rect", x: box.x + k * w + 2, y: box.y + box.h + 3, w: w - 4, h: 3, fill: "line" } as const;
    const parts = partsOf(view, p, k);
    const own = group.flatMap((member, i): Mark[] =>
      parts.includes(member) ? [{ ...bar, x: bar.x + i * pitch, w: pitch, fill: "muted" }] : [],
    );
    return empty.has(k) ? [] : [bar, ...own];
  });
}

/** The outline of a column, in the ink of the axis that it arrives over. */
function outline(at: Box, r: number, axis: number): Mark {
  return { kind: "rect", x: at.x + 0.5, y: at.y + 0.5, w: at.w - 1, h: at.h - 1, r, stroke: axisStroke(axis, 1.8) };
}
