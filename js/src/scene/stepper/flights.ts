/** Copies on their way, each along its path, in the colour of its data with the halo of its mesh axis. */
import { combined, partsAt } from "../../model/chunks";
import type { Variable } from "../../model/document.gen";
import type { Transfer } from "../../model/plan";
import { some } from "../../model/text";
import { reduces } from "../../model/trace";
import { blockMarks } from "../block";
import { easeInOut } from "../ease";
import { axisStroke, axisToken, type Box, label, type Mark } from "../scene";
import { face } from "./contents";
import { along, between, type Path, pathBetween } from "./path";
import { chunkBoxes } from "./tiles";
import type { StepView } from "./view";

/** In a group more copies than these hide each other: then only those to one device are shown. */
const CROWD = 24;

export function flightMarks(view: StepView): Mark[] {
  const { played, layout } = view;
  if (!played || view.finished) return [];
  const marks = groupsOf(view).flatMap((group) =>
    flightsOf(view, group).flatMap((t) => oneFlight(view, group, t, played.rounds[view.round] ?? [])),
  );
  const words = layout.strip ? "" : crowdText(view);
  return [
    // A line that is drawn after another's copy would cross its numbers.
    ...marks.filter((m) => m.kind === "line"),
    ...marks.filter((m) => m.kind !== "line"),
    ...(words ? [label(layout.grid.x, layout.height - 3, words, 11, "muted")] : []),
  ];
}

/** Says that not all copies are drawn; empty where they are. */
export function crowdText(view: StepView): string {
  if (view.finished) return "";
  const crowded = groupsOf(view).filter((group) => seated(view, group).length > CROWD);
  const to = crowded.map((group) => view.trace.mesh.ids[group[seen(view, group)] ?? 0]);
  return to.length === 0 ? "" : `copies to ${to.length === 1 ? "device" : "devices"} ${some(to.map(String), 4)} shown`;
}

/** The groups whose copies are drawn. */
function groupsOf(view: StepView): readonly (readonly number[])[] {
  const { collective: c, focus, layout, trace } = view;
  if (!c) return [];
  if (!layout.strip) return trace.groups(c);
  const whole = focus[0] === undefined ? null : view.groupOf(focus[0]);
  return whole ? [whole] : [];
}

/** The transfers of a group that are shown. */
export function flightsOf(view: StepView, group: readonly number[]): readonly Transfer[] {
  const round = seated(view, group);
  if (round.length <= CROWD) return round;
  const to = seen(view, group);
  return round.filter((t) => t.destination === to);
}

/** The transfers of a group between devices whose tiles stand in full. */
function seated(view: StepView, group: readonly number[]): readonly Transfer[] {
  return (view.played?.rounds[view.round] ?? []).filter((t) => {
    const [source, destination] = [group[t.source], group[t.destination]];
    if (source === undefined || destination === undefined || source === destination) return false;
    return view.seats.has(source) && view.seats.has(destination);
  });
}

/** The rank whose arrivals are shown where there are too many: the device's that is looked at, else the first. */
function seen(view: StepView, group: readonly number[]): number {
  const { device } = view.options;
  return Math.max(0, group.indexOf(device ?? view.focus[0] ?? group[0] ?? 0));
}

function oneFlight(view: StepView, group: readonly number[], t: Transfer, round: readonly Transfer[]): Mark[] {
  const [source, destination] = [group[t.source] ?? 0, group[t.destination] ?? 0];
  const [from, to] = ends(view, group, t);
  const [leaves, reaches] = [view.seats.get(source), view.seats.get(destination)];
  if (!from || !to || !leaves || !reaches) return [];
  const axis = axisBetween(view, source, destination);
  const meets = round.some((o) => o.source === t.destination && o.destination === t.source);
  const others = [...view.seats].flatMap(([p, box]) => (p === source || p === destination ? [] : [box]));
  const side = meets ? (source < destination ? -1 : 1) : 0;
  const path = pathBetween({ from, to, leaves, reaches, others, side, lane: view.layout.lane });
  if (view.options.still) {
    return [
      { kind: "line", points: between(path, leaves, reaches), r: 8, stroke: axisStroke(axis, 1.6), arrow: true },
      { kind: "rect", ...from, r: 3, stroke: axisStroke(axis, 2.2) },
    ];
  }
  const line = between(path, leaves, reaches);
  const cells = carried(view, t);
  const b = boxAt(from, to, path, cells, easeInOut(view.progress));
  const grown = (by: number, r: number) => ({ x: b.x - by, y: b.y - by, w: b.w + 2 * by, h: b.h + 2 * by, r });
  return [
    ...(line.length > 1
      ? [{ kind: "line", points: line, r: 8, stroke: axisStroke(axis, 1.1), arrow: true } as const]
      : []),
    { kind: "rect", ...grown(4, 7), fill: axisToken(axis), alpha: 0.16 },
    ...pieceMarks(view, b, group, t, cells),
    { kind: "rect", ...grown(1, 4), stroke: axisStroke(axis, 2) },
  ];
}

/** The mesh axis that a copy moves along. */
function axisBetween({ trace, collective }: StepView, source: number, destination: number): number {
  const [a, b] = [trace.mesh.digits(source), trace.mesh.digits(destination)];
  const axes = (collective?.axes ?? []).map((name) => trace.mesh.axisOf(name));
  return axes.find((axis) => a[axis] !== b[axis]) ?? axes[0] ?? 0;
}

/** A copy on its way; where the lane is narrower than it is, it becomes smaller half way. */
function boxAt(from: Box, to: Box, path: Path, { rows, columns }: Cells, t: number): Box {
  const [x, y] = along(path, t);
  const [w, h] = [from.w + (to.w - from.w) * t, from.h + (to.h - from.h) * t];
  // Numbers are worth a little more than the lane has.
  const room = (axis: 0 | 1, readable: number) => {
    const lane = path.room[axis];
    return Math.min(path.most[axis], readable <= 2 * lane ? Math.max(lane, readable) : lane);
  };
  const least = Math.min(1, room(0, 15 * columns) / w);
  const lowest = Math.min(1, room(1, 13 * rows) / h);
  const scale = (by: number) => 1 - (1 - by) * Math.min(1, 1.5 * (1 - Math.abs(2 * t - 1)));
  const [sw, sh] = [
    w * scale(Math.min(least, Math.max(0.6, lowest))),
    h * scale(Math.min(lowest, Math.max(0.6, least))),
  ];
  return { x: x - sw / 2, y: y - sh / 2, w: sw, h: sh };
}

/** Where a copy leaves and where it arrives: the cells of its chunks. */
export function ends(view: StepView, group: readonly number[], t: Transfer): readonly [Box | null, Box | null] {
  const [source, destination] = [group[t.source] ?? 0, group[t.destination] ?? 0];
  const { starts = "nothing", cuts = "none", by_origin = false } = view.collective?.semantics ?? {};
  const part = (p: number, index: number, chunks: readonly number[], sends: boolean) => {
    const box = view.box(p, index);
    const v = view.slots[index]?.v;
    const chunk = v && view.chunks(v, sends);
    if (!box || !v || !chunk) return box;
    const { rows, columns } = face(view.trace, v);
    const all = chunkBoxes(box, rows, columns, chunk);
    return union(chunks.flatMap((number) => all.get(number) ?? []));
  };
  const whole = (p: number, index: number) => view.box(p, index);
  if (cuts === "none") {
    const passedOn = starts === "source" && view.round > 0;
    return [whole(source, passedOn ? view.work : 0), whole(destination, view.work)];
  }
  if (by_origin) return [part(source, 0, t.chunks, true), part(destination, view.work, [t.origin], false)];
  return [part(source, view.work, t.chunks, true), part(destination, view.work, t.chunks, true)];
}

function union(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const x = Math.min(...boxes.map((b) => b.x));
  const y = Math.min(...boxes.map((b) => b.y));
  return { x, y, w: Math.max(...boxes.map((b) => b.x + b.w)) - x, h: Math.max(...boxes.map((b) => b.y + b.h)) - y };
}

/** The variable and the cells of its block that a copy carries. */
function carried(view: StepView, t: Transfer): Cells {
  const { before, after } = view.show;
  // A gathered block is sent in the chunks that it has; other kinds send of the block before.
  const v = view.collective?.semantics.cuts === "received" ? (after[0] ?? before[0]) : before[0];
  return v ? cellsOf(view, v, t) : NONE;
}

/** The copy itself, with its numbers where they have room. */
function pieceMarks(view: StepView, b: Box, group: readonly number[], t: Transfer, cells: Cells): Mark[] {
  const { collective: c, played, trace } = view;
  const input = view.show.before[0];
  const source = group[t.source];
  if (!c || !input || source === undefined) return [];
  const held = (chunk: number) => partsAt(played?.states[view.round], t.source, chunk);
  const gathers = c.semantics.cuts === "received";
  const v = gathers ? (view.show.after[0] ?? input) : input;
  const corner = trace.corner(v);
  if (gathers) {
    const chunk = view.chunks(v);
    const from = (i: number) => group[held(chunk?.(cells.numbers[i] ?? 0) ?? 0)[0] ?? t.source] ?? source;
    const text = (i: number) => corner?.elements.text(corner.start(source) + (cells.numbers[i] ?? 0)) ?? "";
    const some = cells.numbers.length > 0;
    return blockMarks(b, {
      rows: cells.rows,
      columns: cells.columns,
      text: corner && some ? text : null,
      fill: some ? null : view.color(input, source),
      fillAt: (i) => view.color(input, from(i)),
    });
  }
  const adds = reduces(c);
  const parts = held(t.chunks[0] ?? 0);
  const moved = c.semantics.by_origin ? t.origin : (parts[0] ?? t.source);
  const origin = adds ? source : (group[moved] ?? source);
  const sums = adds ? combined(trace, c, input, group, parts.length > 0 ? parts : [t.source]) : null;
  const text = (i: number) => {
    const cell = cells.numbers[i];
    if (cell === undefined || !corner) return "";
    return sums ? sums(cell).replace(/\+$/, "") : corner.elements.text(corner.start(origin) + cell);
  };
  return blockMarks(b, {
    rows: cells.rows,
    columns: cells.columns,
    text: corner && cells.numbers.length > 0 ? text : null,
    fill: view.color(input, origin, adds ? c.axes : []),
    hatch: adds ? view.hatch : null,
  });
}

/** The cells of a block that a copy carries, in rows and columns; none where they are no rectangle. */
function cellsOf(view: StepView, v: Variable, t: Transfer): Cells {
  const { rows, columns } = face(view.trace, v);
  const all = Array.from({ length: rows * columns }, (_, cell) => cell);
  const cut = (view.collective?.semantics.cuts ?? "none") !== "none";
  const chunk = cut ? view.chunks(v, true) : null;
  if (!chunk) return view.ragged ? NONE : { numbers: all, rows, columns };
  const wanted = new Set(t.chunks);
  const numbers = all.filter((cell) => wanted.has(chunk(cell)));
  const across = new Set(numbers.map((cell) => cell % columns)).size;
  return numbers.length % across === 0 ? { numbers, rows: numbers.length / across, columns: across } : NONE;
}

interface Cells {
  numbers: readonly number[];
  rows: number;
  columns: number;
}

const NONE: Cells = { numbers: [], rows: 1, columns: 1 };
