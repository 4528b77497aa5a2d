/** Tiles of devices with their blocks, as they are at a moment. */

import { hex, type Rgb } from "../../model/color";
import type { Variable } from "../../model/document.gen";
import { exchanges, gathers, permutes, scatters, tells } from "../../model/semantics";
import { type BlockLook, blockMarks } from "../block";
import { deviceBox } from "../grid";
import { fit, fitName, textWidth } from "../measure";
import { axisStroke, axisToken, BOLD, type Box, CENTER, label, type Mark, MONO, type Stroke } from "../scene";
import { type Face, partOf } from "./contents";
import type { Place, Tile } from "./stage";
import type { StepView } from "./view";

const EMPTY: Stroke = { color: "faint", width: 1, dash: [3, 3] };
const TILE = 7;

/** A tile with its id and the blocks that it holds now. */
export function tileMarks(view: StepView, tile: Tile, after = false): Mark[] {
  const { options, stage } = view;
  const { box, members } = tile;
  const [p = 0] = members;
  const folded = members.length > 1;
  const runs = view.active === null || members.some((m) => view.active?.has(m));
  const picked = !folded && options.device === p && !after;
  const idle = after && sender(view, p) === null;
  const stroke: Stroke = picked
    ? { color: "ink", width: 2.2 }
    : { color: "faint", width: 1, ...(idle ? { dash: [4, 3] } : {}) };
  const marks: Mark[] = [{ kind: "rect", ...box, r: TILE, fill: idle ? "bg" : "panel", stroke }];
  marks.push(...nameMarks(view, tile, runs));
  if (!runs) {
    const y = tile.id === "above" ? box.y + 36 : box.y + box.h / 2 + 4;
    const x = tile.id === "above" ? box.x + 10 : (tile.places[0]?.box.x ?? box.x + 30);
    marks.push(label(x, y, fit("does not run", box.x + box.w - x - 6, 11), 11, "muted"));
    return marks;
  }
  for (const place of tile.places) {
    if (stage.motion === "none") marks.push(...plainMarks(view, p, place));
    else marks.push(...movingMarks(view, tile, place, after));
  }
  if (stage.motion === "none") marks.push(...arrowMarks(view, tile));
  return marks;
}

/** The id, with coordinates under or beside it. */
function nameMarks(view: StepView, { box, members, id, coordinates, places }: Tile, runs: boolean): Mark[] {
  const { mesh } = view.trace;
  const [p = 0] = members;
  const text = members.length > 1 ? `×${members.length}` : String(mesh.ids[p] ?? 0);
  const digits = members.length > 1 ? "" : `(${mesh.digits(p).join(",")})`;
  const ink = runs ? "ink" : "muted";
  if (id === "above") {
    const [y, w] = [box.y + 14, textWidth(text, 12, true)];
    const marks: Mark[] = [label(box.x + 9, y, text, 12, ink, BOLD)];
    const room = coordinates && mesh.axes.length > 0 && w + textWidth(digits, 10.5, true) + 24 < box.w;
    if (room) marks.push(label(box.x + 15 + w, y, digits, 10.5, "muted", MONO));
    return marks;
  }
  const x = box.x + 8;
  const block = places[0]?.box ?? box;
  const two = coordinates && block.h >= 32;
  const low = box.h >= 40 && coordinates;
  const middle = block.y + block.h / 2;
  const marks: Mark[] = [label(x, two || low ? middle - 2 : middle + 4, text, 12, ink, BOLD)];
  if (!coordinates || mesh.axes.length === 0) return marks;
  const beside = x + textWidth(text, 12, true) + 6;
  marks.push(
    two || low
      ? label(x, middle + 12, digits, 10, "muted", MONO)
      : label(beside, middle + 4, digits, 10, "muted", MONO),
  );
  return marks;
}

/** A device of many: its id and a swatch of its block, or the swatch alone. */
export function mapMarks(view: StepView): Mark[] {
  const { trace, stage, options } = view;
  const { map } = stage;
  if (!map) return [];
  const v = (view.finished ? view.show.after[0] : view.show.before[0]) ?? view.show.after[0] ?? view.show.before[0];
  const compact = map.density === "compact";
  const hatched = v !== undefined && partial(view, v).length > 0;
  const marks: Mark[] = [];
  const shown = new Set(stage.tiles.flatMap((t) => t.members));
  for (let p = 0; p < trace.mesh.size; p++) {
    const box = deviceBox(trace.mesh, map, p);
    const runs = view.active === null || view.active.has(p);
    const fill = v && runs ? hex(view.color(v, p, partial(view, v))) : "panel";
    marks.push({
      kind: "rect",
      ...box,
      r: compact ? 4 : 1,
      fill,
      hatch: !compact && hatched,
      ...(map.density === "field" ? {} : { stroke: { color: "edge", width: 1 } }),
    });
    if (compact) {
      const id = String(trace.mesh.ids[p] ?? 0);
      const ink = runs && v ? "tile-ink" : "muted";
      if (textWidth(id, 10, true) <= box.w - 4 && box.h >= 12)
        marks.push(label(box.x + box.w / 2, box.y + box.h / 2 + 3.5, id, 10, ink, CENTER));
    }
  }
  const stroke = view.collective ? axisStroke(view.axis, 2) : ({ color: "ink", width: 1.6 } as const);
  for (const p of shown) {
    const box = deviceBox(trace.mesh, map, p);
    const looked = options.device === p;
    const width = looked ? 2.2 : stroke.width;
    marks.push({ kind: "rect", ...box, r: compact ? 4 : 1, stroke: looked ? { color: "ink", width } : stroke });
  }
  return marks;
}

/** Axes that an input is summed over: its blocks are summands. */
export function partial(view: StepView, v: Variable): readonly string[] {
  const c = view.collective;
  return view.adds && v.id === view.input?.id && v.id !== view.output?.id ? (c?.axes ?? []) : v.unreduced;
}

/** Where a value comes from while it is summed its own place in the mesh keeps its colour. */
function colorOf(view: StepView, v: Variable, p: number): Rgb {
  return view.color(v, p, v.unreduced);
}

/** From the blocks before to those after. */
function arrowMarks(view: StepView, tile: Tile): Mark[] {
  const count = view.show.before.length;
  const [last, first] = [tile.places[count - 1]?.box, tile.places[count]?.box];
  if (!last || !first || view.show.after.length === 0) return [];
  const stroke: Stroke = { color: "muted", width: 1.4 };
  const under = first.y >= last.y + last.h;
  const [y, x] = [last.y + Math.min(last.h, first.h) / 2, tile.box.x + tile.box.w - 12];
  const points = under
    ? ([
        [x, last.y + 2],
        [x, first.y + first.h / 2],
      ] as const)
    : ([
        [first.x - 24, y],
        [first.x - 6, y],
      ] as const);
  return [{ kind: "line", points, stroke, arrow: true }];
}

/** A block of a local step. */
function plainMarks(view: StepView, p: number, { v, box, face }: Place): Mark[] {
  const { trace, step } = view;
  const wrong = step.primitive === "error" && trace.doc.error?.variable === v.id;
  const exponent = view.formats.get(v.id)?.exponent ?? "";
  const name = fitName(trace.nameOf(v, p) + (exponent && ` ${exponent}`), Math.max(box.w, 60), 10, true);
  return [
    label(box.x, box.y - 4, name, 10, "muted", MONO),
    ...blockMarks(box, {
      ...numbers(view, v, face, (element) => view.text(v, p, element)),
      fill: view.color(v, p, v.unreduced),
      hatch: v.unreduced.length > 0 ? view.hatch : null,
      ...(wrong ? { stroke: { color: "error", width: 2 } } : {}),
    }),
  ];
}

/** Rows, columns and numbers of a block. */
export function numbers(view: StepView, v: Variable, face: Face, text: (element: number) => string) {
  const corner = view.trace.corner(v);
  return {
    rows: face.rows,
    columns: face.columns,
    size: view.stage.font,
    text: corner && !view.stage.bare ? (cell: number) => text(face.elements[cell] ?? -1) : null,
  };
}

/** The block of a tile in a collective: what the device has now. */
function movingMarks(view: StepView, tile: Tile, { v, box, face }: Place, after: boolean): Mark[] {
  const { stage, input, collective: c } = view;
  if (!c || !input) return [];
  const [p = 0] = tile.members;
  if (after) return heldMarks(view, tile, box);
  const folded = tile.members.length > 1;
  const summand: Pick<BlockLook, "hatch"> = { hatch: view.adds ? view.hatch : null };
  const mark = markIn(view, face, p);
  if (folded) {
    const text =
      view.adds && stage.motion === "gather" ? (element: number) => view.together(tile.members, element) : () => "";
    return blockMarks(box, { ...numbers(view, v, face, text), fill: colorOf(view, input, p), ...summand, mark });
  }
  if (stage.chunks > 1) return stripMarks(view, p, box, face);
  if (view.finished && stage.motion === "gather" && stage.after) {
    const { v: output, face: last } = stage.after;
    return fittedMarks(view, output, last, box, p, mark);
  }
  if (view.hops) {
    // A block that goes round whole: what is not there yet is an empty place.
    const parts = view.parts(p, 0);
    const has = parts.length > 0;
    const text = (element: number) => (has ? view.text(view.output ?? v, p, element) : "");
    const from = parts[0] ?? p;
    return blockMarks(box, {
      ...numbers(view, v, face, text),
      fill: has ? colorOf(view, input, from) : null,
      ...(has ? {} : { stroke: EMPTY }),
    });
  }
  const text = (element: number) => view.text(v, p, element);
  const alpha = sends(view, p) ? 1 : 0.5;
  return blockMarks(box, { ...numbers(view, v, face, text), fill: colorOf(view, input, p), ...summand, mark, alpha });
}

/** A result in the place of the block before it, whose face it mostly has. */
function fittedMarks(view: StepView, v: Variable, face: Face, box: Box, p: number, mark: number | null): Mark[] {
  const w = (box.w / (view.stage.face?.columns ?? 1)) * face.columns;
  const h = (box.h / (view.stage.face?.rows ?? 1)) * face.rows;
  const at = { x: box.x, y: box.y + (box.h - h) / 2, w, h };
  const look = numbers(view, v, face, (element) => view.text(v, p, element));
  return blockMarks(at, {
    ...look,
    fill: view.color(v, p, v.unreduced),
    mark: face.elements.length === view.stage.face?.elements.length ? mark : null,
  });
}

/** What a member of a permutation holds in the end. */
function heldMarks(view: StepView, tile: Tile, box: Box): Mark[] {
  const { stage, input, output } = view;
  const [p = 0] = tile.members;
  const from = sender(view, p);
  if (!output || !input || !stage.after) return [];
  const { face } = stage.after;
  const arrived = view.flow.arrived > 0;
  if (from === null) {
    const zeros = numbers(view, output, face, (element) => view.text(output, p, element));
    return [
      ...blockMarks(box, { ...zeros, fill: null, stroke: EMPTY, ink: "muted" }),
      label(tile.box.x + tile.box.w + 6, tile.box.y + tile.box.h / 2 - 2, "no sender:", 10, "muted"),
      label(tile.box.x + tile.box.w + 6, tile.box.y + tile.box.h / 2 + 10, "zeros", 10, "ink", { weight: 700 }),
    ];
  }
  if (!arrived && from !== p)
    return blockMarks(box, { ...numbers(view, output, face, () => ""), fill: null, stroke: EMPTY });
  const look = numbers(view, output, face, (element) => view.text(output, p, element));
  return blockMarks(box, { ...look, fill: colorOf(view, input, from) });
}

/** The member that a member of a permutation receives from; null where nobody sends to it. */
export function sender(view: StepView, p: number): number | null {
  const { stage, played, collective: c } = view;
  if (stage.motion !== "permute") return null;
  const rank = stage.group.indexOf(p);
  const from = (played?.rounds[0] ?? []).find((t) => t.destination === rank)?.source;
  if (from === undefined) return tells(c) ? p : null;
  return stage.group[from] ?? null;
}

/** Whether a member of a permutation sends its block to anyone. */
function sends(view: StepView, p: number): boolean {
  const rank = view.stage.group.indexOf(p);
  return !permutes(view.collective) || (view.played?.rounds[0] ?? []).some((t) => t.source === rank);
}

/** Chunks side by side: numbers that they hold now, in the colour of where they came from. */
function stripMarks(view: StepView, p: number, box: Box, face: Face): Mark[] {
  const { stage, input, output, collective: c } = view;
  const group = view.groupOf(p);
  if (!input || !output || !group || !c) return [];
  const n = stage.chunks;
  const rank = group.indexOf(p);
  const each = face.columns / n;
  const chunkAt = (cell: number) => Math.floor((cell % face.columns) / each);
  const done = view.finished && stage.after !== null;
  const shown = done && stage.after ? stage.after : { v: stage.tiles[0]?.places[0]?.v ?? input, face };
  const { v } = shown;
  const cells = shown.face.columns === face.columns && shown.face.rows === face.rows ? shown.face : face;
  const content = contentOf(view, p, v, done);
  const marks = blockMarks(box, {
    ...numbers(view, v, cells, () => ""),
    text:
      view.trace.corner(v) && !stage.bare ? (cell) => content.text(chunkAt(cell), cells.elements[cell] ?? -1) : null,
    fill: null,
    fillAt: (cell) => content.fill(chunkAt(cell)),
    paleAt: (cell) => content.pale(chunkAt(cell)),
    hatch: view.adds && !done ? view.hatch : null,
    stroke: EMPTY,
    mark: markIn(view, cells, p),
  });
  const w = box.w / n;
  for (let k = 0; k < n; k++) {
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
    marks.push({
      kind: "rect",
      x: at.x + 0.5,
      y: at.y + 0.5,
      w: at.w - 1,
      h: at.h - 1,
      r: 3,
      stroke: axisStroke(view.axis, 1.8),
    });
  }
  if (
    view.hops &&
    view.adds &&
    stage.motion === "gutters" &&
    box.y + box.h + 9 <= (tileOf(view, p)?.y ?? 0) + (tileOf(view, p)?.h ?? 0)
  )
    marks.push(...dotMarks(view, p, box));
  return marks;
}

function tileOf(view: StepView, p: number): Box | undefined {
  return view.seats.get(p);
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
  const arrives = (played.rounds[flow.round] ?? []).some(
    (t) =>
      t.destination === rank &&
      flow.progress < 1 &&
      (addressed ? t.origin === k && t.chunks.includes(rank) : t.chunks.includes(k)),
  );
  const marks: Mark[] = [];
  if (arrives)
    marks.push({
      kind: "rect",
      x: at.x + 0.5,
      y: at.y + 0.5,
      w: at.w - 1,
      h: at.h - 1,
      r: 2,
      stroke: axisStroke(view.axis, 1.8),
    });
  if (view.parts(p, k).length > 0 || stage.bare) return marks;
  const hop = played.states.findIndex((held) => (held[rank]?.[k] ?? []).length > 0);
  if (hop <= 0) return marks;
  const middle = [at.x + at.w / 2, at.y + at.h / 2 + 3.5] as const;
  if (arrives) marks.push(label(...middle, "▾", 10, axisToken(view.axis), { anchor: "middle" }));
  else marks.push(label(...middle, String(hop), 10, "muted", CENTER));
  return marks;
}

/** Under each chunk, how many of the terms its sum holds. */
function dotMarks(view: StepView, p: number, box: Box): Mark[] {
  const { stage } = view;
  const [n, w] = [stage.chunks, box.w / stage.chunks];
  const pitch = Math.min(7, (w - 2) / n);
  const r = Math.min(2.2, pitch / 2 - 0.4);
  if (r < 1) return [];
  const marks: Mark[] = [];
  for (let k = 0; k < n; k++) {
    const has = view.parts(p, k).length;
    for (let i = 0; i < n; i++) {
      const [x, y] = [box.x + k * w + w / 2 + (i - (n - 1) / 2) * pitch, box.y + box.h + 6];
      const dot = { kind: "rect", x: x - r, y: y - r, w: 2 * r, h: 2 * r, r } as const;
      marks.push(i < has ? { ...dot, fill: "muted" } : { ...dot, stroke: { color: "muted", width: 0.8 } });
    }
  }
  return marks;
}

/** The cell of the worked element in a block of the picked group. */
export function markIn(view: StepView, face: Face, p: number): number | null {
  const { element } = view;
  if (element === null || !view.stage.group.includes(p)) return null;
  const cell = face.elements.indexOf(element);
  return cell < 0 ? null : cell;
}
