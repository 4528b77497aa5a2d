/** Blocks as chunks side by side: what each chunk holds now, which one receives, how many terms it has. */
import type { Rgb } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import { unravel } from "../../core/mesh";
import { axisStroke, axisToken, BOLD, type Box, CENTER, label, type Mark } from "../../draw/marks";
import { fitName } from "../../draw/measure";
import { exchanges, gathers, scatters } from "../model/semantics";
import { blockMarks } from "./block";
import { type Face, partOf } from "./contents";
import { EMPTY, markIn, numbers } from "./look";
import type { Tile } from "./stage";
import type { StepView } from "./view";

/** Chunks side by side: numbers that they hold now, in the colour of where they came from. */
export function stripMarks(view: StepView, p: number, box: Box, face: Face): Mark[] {
  const { stage, input, output, collective: c } = view;
  const group = view.groupOf(p);
  if (!input || !output || !group || !c) return [];
  const n = stage.chunks;
  const rank = group.indexOf(p);
  const each = face.columns / n;
  const chunkAt = (cell: number) => Math.floor((cell % face.columns) / each);
  const done = view.finished && stage.after !== null;
  const shown = shownNow(view, face);
  const { v } = shown;
  const cells = shown.face.columns === face.columns && shown.face.rows === face.rows ? shown.face : face;
  const content = contentOf(view, p, v, done);
  const whole = view.trace.corner(v)?.whole === true;
  const mark = markIn(view, cells, p);
  const marks = blockMarks(box, {
    ...numbers(view, v, cells, () => ""),
    text:
      view.trace.corner(v) && !stage.bare ? (cell) => content.text(chunkAt(cell), cells.elements[cell] ?? -1) : null,
    fill: null,
    fillAt: (cell) => (whole && (cells.elements[cell] ?? -1) < 0 ? null : content.fill(chunkAt(cell))),
    paleAt: (cell) => content.pale(chunkAt(cell)),
    hatch: view.adds && !done ? view.hatch : null,
    stroke: EMPTY,
    mark: mark !== null && content.fill(chunkAt(mark)) !== null ? mark : null,
  });
  const w = box.w / n;
  for (let k = 0; k < n; k++) {
    if (view.isEmpty(k)) continue;
    const at = { x: box.x + k * w, y: box.y, w, h: box.h };
    const held = content.fill(k) !== null;
    const own = held && (gathers(c) || (exchanges(c) && view.hops)) && k === rank;
    if (held)
      marks.push({
        kind: "rect",
        ...at,
        r: 2,
        stroke: own
          ? { color: "tile-ink", width: 2 }
          : { color: "edge", width: 1, ...(view.adds && !done ? { dash: [4, 3] } : {}) },
      });
    if (!done) marks.push(...waitingMarks(view, p, k, at));
  }
  // The column that the receiver takes.
  if (stage.motion === "gather" && !done && !gathers(c) && group === stage.group) {
    const at = { x: box.x + (stage.lanes[stage.receiver]?.rank ?? 0) * w, y: box.y, w, h: box.h };
    marks.push(outline(at, 3, view.axis));
  }
  const tile = view.seats.get(p);
  if (view.adds && stage.motion === "gutters" && tile && box.y + box.h + 9 <= tile.y + tile.h)
    marks.push(...dotMarks(view, p, box));
  return marks;
}

/** What the tiles show: what it becomes, at the end. */
function shownNow({ stage, finished, input }: StepView, face: Face): { v: Variable; face: Face } {
  return (finished ? stage.after : null) ?? { v: stage.tiles[0]?.places[0]?.v ?? (input as Variable), face };
}

/** The cell that is looked at, written out where blocks have no room for numbers; its name is over the first. */
export function readingMarks(view: StepView, { box, members: [p = 0], places: [place] }: Tile): Mark[] {
  const { stage, element, trace } = view;
  const { reading, font } = stage;
  if (!reading || !place || element === null) return [];
  const { v } = shownNow(view, place.face);
  const shape = trace.corner(v)?.shape ?? [];
  const text = contentOf(view, p, v, view.finished).text(view.chunk(v)(element), element);
  const right = box.x + reading.x + reading.w;
  const marks = [label(right - 4, box.y + box.h / 2 + 4, text, font, "ink", { ...BOLD, mono: true, anchor: "end" })];
  // Over the slots of a meaning stands another name.
  if (stage.tiles[0]?.box !== box || stage.motion === "gather") return marks;
  const name = `${fitName(v.name, right - box.x - 60, 11, true)}[${unravel(element, shape).join(",")}]`;
  return [label(right - 4, box.y - 7, name, 11, "ink", { ...BOLD, mono: true, anchor: "end" }), ...marks];
}

interface Content {
  text: (chunk: number, element: number) => string;
  fill: (chunk: number) => Rgb | null;
  pale: (chunk: number) => number;
}

/** What the chunks of a strip hold at the moment. */
function contentOf(view: StepView, p: number, v: Variable, done: boolean): Content {
  const { stage, input, collective: c } = view;
  const group = view.groupOf(p) ?? [];
  const rank = group.indexOf(p);
  const solid = () => 1;
  const source = input ?? v;
  if (done) {
    // A part of the sum is all that is kept.
    const own = view.scattered(p, { x: 0, y: 0, w: stage.chunks, h: 1 });
    const strip = stage.face && own ? partOf(stage.face, stage.chunks, [rank]).elements : [];
    const kept = (k: number) => !scatters(c) || k === rank;
    const from = (k: number) => (gathers(c) || exchanges(c) ? (group[k] ?? p) : p);
    const color = (k: number) => (view.adds ? view.color(view.output ?? v, p, []) : view.color(source, from(k)));
    return {
      text: (k, element) => {
        if (!kept(k)) return "";
        if (!scatters(c)) return view.text(v, p, element);
        const part = view.output && own ? own.face.elements[strip.indexOf(element)] : undefined;
        return part === undefined || !view.output ? view.together(group, element) : view.text(view.output, p, part);
      },
      fill: (k) => (kept(k) ? color(k) : null),
      pale: solid,
    };
  }
  if (stage.motion === "gather") {
    const fills = gathers(c);
    return {
      text: (k, element) => (fills && k !== rank ? "" : view.text(v, p, element)),
      fill: (k) => (fills && k !== rank ? null : view.color(source, p)),
      pale: solid,
    };
  }
  const passed = view.adds ? passedOn(view, rank) : new Set<number>();
  return {
    text: (k, element) => {
      const parts = view.parts(p, k);
      if (parts.length === 0) return "";
      return view.adds ? view.together(parts, element) : view.text(v, p, element);
    },
    fill: (k) => {
      const parts = view.parts(p, k);
      if (parts.length === 0) return null;
      return view.color(source, view.adds ? p : (parts[0] ?? p), view.adds ? (c?.axes ?? []) : []);
    },
    pale: (k) => (passed.has(k) ? 0.5 : 1),
  };
}

/** Chunks whose sums a rank has sent on, and that have not come back complete. */
function passedOn(view: StepView, rank: number): Set<number> {
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
function waitingMarks(view: StepView, p: number, k: number, at: Box): Mark[] {
  const { played, flow, collective: c, stage } = view;
  if (!view.hops || !played || !c) return [];
  const rank = view.groupOf(p)?.indexOf(p) ?? -1;
  const addressed = exchanges(c);
  const arrives = (played.rounds[flow.round] ?? []).find(
    (t) =>
      t.destination === rank &&
      flow.progress < 1 &&
      (addressed ? t.origin === k && t.chunks.includes(rank) : t.chunks.includes(k)),
  );
  const marks: Mark[] = [];
  const axis = arrives ? view.inkBetween(view.groupOf(p)?.[arrives.source] ?? p, p) : view.axis;
  if (arrives) marks.push(outline(at, 2, axis));
  if (view.parts(p, k).length > 0 || stage.bare) return marks;
  const hop = played.states.findIndex((held) => (held[rank]?.[k] ?? []).length > 0);
  if (hop <= 0) return marks;
  const middle = [at.x + at.w / 2, at.y + at.h / 2 + 3.5] as const;
  if (arrives) marks.push(label(...middle, "▾", 10, axisToken(axis), { anchor: "middle" }));
  else marks.push(label(...middle, String(hop), 10, "muted", CENTER));
  return marks;
}

/** Under each chunk, how many of the terms its sum holds. */
function dotMarks(view: StepView, p: number, box: Box): Mark[] {
  const { stage } = view;
  const [n, w] = [stage.chunks, box.w / stage.chunks];
  const pitch = Math.min(7, (w - 7) / n);
  const r = Math.min(2.2, pitch / 2 - 0.4);
  if (r < 1) return [];
  const marks: Mark[] = [];
  for (let k = 0; k < n; k++) {
    const has = view.parts(p, k).length;
    for (let i = 0; i < n && !view.isEmpty(k); i++) {
      const [x, y] = [box.x + k * w + w / 2 + (i - (n - 1) / 2) * pitch, box.y + box.h + 6];
      const dot = { kind: "rect", x: x - r, y: y - r, w: 2 * r, h: 2 * r, r } as const;
      marks.push(i < has ? { ...dot, fill: "muted" } : { ...dot, stroke: { color: "muted", width: 0.8 } });
    }
  }
  return marks;
}

/** The outline of a column, in the ink of the axis that it arrives over. */
function outline(at: Box, r: number, axis: number): Mark {
  return { kind: "rect", x: at.x + 0.5, y: at.y + 0.5, w: at.w - 1, h: at.h - 1, r, stroke: axisStroke(axis, 1.8) };
}
