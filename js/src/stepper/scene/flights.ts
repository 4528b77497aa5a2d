/** Copies on their way: each in a lane of its own, with the numbers that it carries and the id of its sender. */

import type { Transfer } from "../../collective/model/plan";
import type { Rgb } from "../../core/color";
import { product } from "../../core/mesh";
import { around, axisStroke, axisToken, BOLD, type Box, label, type Mark } from "../../draw/marks";
import { exchanges, gathers, ragged } from "../model/semantics";
import { blockMarks } from "./block";
import { permuted, rowIndex, TAG } from "./cells";
import { type Face, partOf } from "./contents";
import { numbers } from "./look";
import { joined, type Route, routesOf } from "./routes";
import type { Lane, Tile } from "./stage";
import type { StepView } from "./view";

/** A copy: what it covers, its halo included, and how it is drawn. */
export interface Flight {
  /** Mesh positions. */
  source: number;
  destination: number;
  box: Box;
  marks: readonly Mark[];
}

const HALO = 2;

/** All copies of a moment. */
export function flightsOf(view: StepView): readonly Flight[] {
  const { stage, finished, flow } = view;
  if (finished || flow.progress <= 0 || flow.progress >= 1) return [];
  switch (stage.motion) {
    case "gather":
      return view.opened.flatMap((each) =>
        each.stage.lanes.flatMap((lane, i) =>
          i === each.stage.receiver || sendsNothing(each, lane) ? [] : [toSlot(each, lane)],
        ),
      );
    case "gutters":
      return ringFlights(view);
    case "lanes":
    case "permute":
      return laneFlights(view);
    default:
      return [];
  }
}

/** The copy of one member on its way to its slot. */
function toSlot(view: StepView, lane: Lane): Flight {
  const { stage, flow } = view;
  const { slot, tag, tile } = lane;
  const whole = around([slot, tag]);
  // It starts under its tile, which is drawn over it, and comes out through the edge.
  const along = stage.run === "down";
  const start = along
    ? Math.max(tile.box.x + 3, tile.box.x + tile.box.w - whole.w - 3)
    : Math.max(tile.box.y + 3, tile.box.y + tile.box.h - whole.h - 3);
  const end = along ? whole.x : whole.y;
  const by = (start - end) * (1 - flow.progress);
  const [dx, dy] = along ? [by, 0] : [0, by];
  const move = (b: Box): Box => ({ ...b, x: b.x + dx, y: b.y + dy });
  return copy(view, lane.members[0] ?? 0, view.receiver, move(whole), [
    ...pieceMarks(view, lane, move(slot)),
    ...tagMarks(view, lane.members, move(tag), view.inkBetween(lane.members[0] ?? 0, view.receiver)),
  ]);
}

/** What a member sends to the receiver, in a box. */
export function pieceMarks(
  view: StepView,
  lane: Lane,
  box: Box,
  look: { alpha?: number; mark?: number | null } = {},
): Mark[] {
  const { input, output, collective: c, stage } = view;
  const face = pieceOf(view, lane);
  if (!input || !output || !c || !face) return [];
  const [p = 0] = lane.members;
  const v = gathers(c) ? output : input;
  const folded = lane.members.length > 1;
  const text = (element: number) => {
    if (folded) return view.adds ? view.together(lane.members, element) : "";
    return view.text(v, p, element);
  };
  const color = view.color(input, p);
  return blockMarks(box, {
    ...numbers(view, v, face, text),
    fill: color,
    ...(ragged(c) ? { fillAt: (cell: number) => ((face.elements[cell] ?? -1) < 0 ? null : color) } : {}),
    hatch: view.adds ? view.hatch : null,
    ...(stage.bare ? {} : look),
  });
}

/** The face of what a member sends to the receiver. */
export function pieceOf(view: StepView, lane: Lane): Face | null {
  const { stage, collective: c } = view;
  if (ragged(c)) return sentRows(view, lane.members[0] ?? 0);
  if (!stage.face || stage.chunks <= 1) return stage.piece;
  return gathers(c) ? partOf(stage.face, stage.chunks, [lane.rank]) : stage.piece;
}

/** Whether a member of a ragged exchange has no rows for the receiver. */
export function sendsNothing(view: StepView, lane: Lane): boolean {
  return ragged(view.collective) && pieceOf(view, lane)?.elements.every((i) => i < 0) === true;
}

/** The rows that a member sends to the receiver, by its own offsets and sizes, from the first place on. */
function sentRows({ stage, trace, step, receiver, input }: StepView, p: number): Face | null {
  const rank = stage.group.indexOf(receiver);
  const [from = [], sizes = []] = [2, 3].map((k) => {
    const v = trace.variable(step.inputs[k] ?? -1);
    const corner = v && trace.corner(v);
    const many = product(corner?.shape ?? []) / stage.group.length;
    return Array.from({ length: many }, (_, i) => corner?.elements.number(corner.start(p) + rank * many + i) ?? 0);
  });
  const rows = from.flatMap((at, i) => Array.from({ length: sizes[i] ?? 0 }, (_, row) => at + row));
  const [all = 0, ...rest] = (input && trace.corner(input)?.shape) ?? [];
  const inner = product(rest);
  const place = (cell: number) => {
    const row = rows[Math.floor(cell / inner)] ?? all;
    return row < all ? row * inner + (cell % inner) : -1;
  };
  return stage.piece && { ...stage.piece, elements: stage.piece.elements.map(place) };
}

/** Ids of senders, in the ink of an axis: for a folded row, how many there are. */
export function tagMarks(view: StepView, members: readonly number[], { x, y, w, h }: Box, axis: number): Mark[] {
  const { mesh } = view.trace;
  const text = members.length > 1 ? `×${members.length}` : String(mesh.ids[members[0] ?? 0] ?? 0);
  const size = text.length > 2 ? 8.5 : 10.5;
  const color = axisToken(axis);
  return [
    { kind: "rect", x, y, w, h, r: 4, fill: "bg", stroke: { color, width: 1.4 } },
    label(x + w / 2, y + h / 2 + size * 0.36, text, size, color, { ...BOLD, anchor: "middle" }),
  ];
}

/** A copy with its halo: a line and a glow in the ink and pattern of the axis whose link it crosses. */
function copy(view: StepView, source: number, destination: number, inner: Box, content: readonly Mark[]): Flight {
  const axis = view.inkBetween(source, destination);
  const grown = (by: number): Box => ({ x: inner.x - by, y: inner.y - by, w: inner.w + 2 * by, h: inner.h + 2 * by });
  return {
    source,
    destination,
    box: grown(HALO),
    marks: [
      { kind: "rect", ...grown(HALO + 1.5), r: 6, fill: axisToken(axis), alpha: 0.16 },
      { kind: "rect", ...grown(HALO - 1), r: 4, fill: "bg" },
      ...content,
      { kind: "rect", ...grown(HALO - 1), r: 4, stroke: axisStroke(axis, 2) },
    ],
  };
}

/** The rows of each group that is drawn, by rank. */
export function columnsOf(view: StepView): { group: readonly number[]; tiles: readonly Tile[] }[] {
  const { stage, trace, collective: c } = view;
  const byDevice = new Map(
    stage.tiles.flatMap((t) => (t.members.length === 1 ? [[t.members[0] ?? 0, t] as const] : [])),
  );
  const groups = c && stage.frames.length > 0 ? trace.groups(c) : [stage.group];
  return groups.map((group) => ({ group, tiles: group.flatMap((p) => byDevice.get(p) ?? []) }));
}

/** Copies of a ring: from a tile to the one below in the gutter between them, from the last to the first round the side. */
function ringFlights(view: StepView): Flight[] {
  const { played, flow, stage } = view;
  const { progress: t } = flow;
  return columnsOf(view).flatMap(({ group, tiles }) =>
    (played?.rounds[flow.round] ?? []).flatMap((transfer) => {
      const [from, to] = [tiles[transfer.source], tiles[transfer.destination]];
      const at = from && chunkBox(view, from, transfer.chunks);
      if (!from || !to || !at) return [];
      const [source, destination] = [group[transfer.source] ?? 0, group[transfer.destination] ?? 0];
      const content = (box: Box) => chunkMarks(view, group, transfer, box, stage.bare);
      if (transfer.destination === transfer.source + 1) {
        const [y0, y1] = [from.box.y + from.box.h - at.h - 3, to.box.y + 3];
        const box = { ...at, y: y0 + (y1 - y0) * t };
        return [copy(view, source, destination, box, content(box))];
      }
      const edge = from.box.x + from.box.w;
      const lane = edge + ((stage.room?.w ?? 30) - at.w) / 2;
      const [x, y] = aroundAt(edge - at.w - 3, lane, edge - at.w - 3, rowOf(from, at), rowOf(to, at), t);
      const box = { ...at, x, y };
      return [copy(view, source, destination, box, content(box))];
    }),
  );
}

/** Three thirds of a way: out of the row, along a lane, into the other row. */
function aroundAt(x0: number, lane: number, x1: number, y0: number, y1: number, t: number): readonly [number, number] {
  if (t < 1 / 3) return [x0 + (lane - x0) * 3 * t, y0];
  if (t < 2 / 3) return [lane, y0 + (y1 - y0) * (3 * t - 1)];
  return [lane + (x1 - lane) * (3 * t - 2), y1];
}

/** Where what is so high stands in the middle of a tile's block. */
export function rowOf(tile: Tile, { h }: Box): number {
  const place = tile.places[0]?.box ?? tile.box;
  return place.y + (place.h - h) / 2;
}

/** Where chunks stand in a tile: the box about them. */
export function chunkBox({ stage }: StepView, tile: Tile, chunks: readonly number[]): Box | null {
  const place = tile.places[0]?.box;
  const [first, last] = [Math.min(...chunks), Math.max(...chunks)];
  if (!place) return null;
  if (stage.chunks <= 1) return place;
  const w = place.w / stage.chunks;
  return { ...place, x: place.x + first * w, w: (last - first + 1) * w };
}

/** Ways of a round's copies, with the place of each among those that leave and arrive in the same row. */
export function routesIn(view: StepView): readonly (Route & { leaves: number; arrives: number })[] {
  const { stage, played, flow, plan, collective: c } = view;
  const row = rowIndex(stage.lanes.map((lane) => lane.members.map((p) => stage.group.indexOf(p))));
  if (!plan || !c) return [];
  const receiver = stage.group.indexOf(view.receiver);
  const round =
    stage.motion === "permute"
      ? permuted({ trace: view.trace, plan, c, receiver })
      : (played?.rounds[flow.round] ?? []);
  const routes = routesOf(joined(round), row);
  return routes.map((route) => ({
    ...route,
    leaves: routes.filter((o) => o.from === route.from && o.lane > route.lane).length,
    arrives: routes.filter((o) => o.to === route.to && o.lane > route.lane).length,
  }));
}

/** Size of copies that go by lanes, with their tag. */
function laneCopy({ stage: { carried, motion, tiles } }: StepView) {
  const high = tiles[0]?.places[0]?.box.h ?? 0;
  const { width: block, swatch: bare } = carried;
  return { w: block + TAG.w + 4, h: motion === "permute" ? high : Math.min(high, 40), block, bare };
}

/** Width of each lane beside the tiles, or between what is sent and what is held afterwards. */
export function laneWidth(view: StepView): number {
  const { room, motion } = view.stage;
  const lanes = 1 + Math.max(0, ...routesIn(view).map((route) => route.lane));
  return ((room?.w ?? 0) - (motion === "permute" ? 28 : 0)) / lanes;
}

/** Copies that go by lanes: back under the tile where they go, or to what is held afterwards. */
function laneFlights(view: StepView): Flight[] {
  const { stage, flow } = view;
  const size = laneCopy(view);
  const pitch = stage.motion === "permute" ? laneWidth(view) : size.w + 8;
  return routesIn(view).flatMap((route) => {
    const from = stage.lanes[route.from]?.tile;
    const held = stage.holds[route.to];
    const to = held ?? stage.lanes[route.to]?.tile;
    if (!from || !to) return [];
    const edge = from.box.x + from.box.w;
    const lane = edge + (held ? 18 + (pitch - 8 - size.w) / 2 : 12) + route.lane * pitch;
    const hidden = (order: number) => edge - 4 - size.w - order * (size.w + 7);
    const [start, end] = held
      ? [Math.max(from.box.x + 3, hidden(0)), to.box.x + 4]
      : [hidden(route.leaves), hidden(route.arrives)];
    const y = (tile: Tile) => rowOf(tile, { ...tile.box, h: size.h });
    const [x, top] = aroundAt(start, lane, end, y(from), y(to), flow.progress);
    // What would come out at the other side of its tile is not on its way yet.
    return x < from.box.x + 3 ? [] : [laneCopyAt(view, route, { x, y: top, w: size.w, h: size.h }, size)];
  });
}

function laneCopyAt(view: StepView, { transfer }: Route, box: Box, size: { block: number; bare: boolean }): Flight {
  const { stage } = view;
  const [source, destination] = [stage.group[transfer.source] ?? 0, stage.group[transfer.destination] ?? 0];
  const each = stage.chunks > 1 && !size.bare ? size.block / stage.carried.chunks : size.block;
  const w = stage.chunks > 1 && !size.bare ? each * transfer.chunks.length : size.block;
  const block = { ...box, x: box.x + size.block - w, w };
  const tag = { x: box.x + size.block + 4, y: box.y + (box.h - TAG.h) / 2, ...TAG };
  const inner = { ...box, x: block.x, w: box.w - (size.block - w) };
  return copy(view, source, destination, inner, [
    ...chunkMarks(view, stage.group, transfer, block, size.bare),
    ...tagMarks(view, [source], tag, view.inkBetween(source, destination)),
  ]);
}

/** The chunks that a copy carries: what its sender held when the round began. */
function chunkMarks(view: StepView, group: readonly number[], t: Transfer, box: Box, bare = false): Mark[] {
  const { stage, input, output, collective: c } = view;
  const source = group[t.source] ?? 0;
  if (!input || !output || !c || !stage.face) return [];
  const permutes = stage.motion === "permute";
  const strip = stage.chunks > 1;
  // Rows of an all-to-all's strip are by origin; what is sent is addressed by its destination.
  const from = exchanges(c) ? [t.origin] : t.chunks;
  const face = strip ? partOf(stage.face, stage.chunks, from.length === t.chunks.length ? from : t.chunks) : stage.face;
  const each = face.columns / Math.max(1, t.chunks.length);
  const held = (k: number) => (permutes ? [source] : view.parts(source, strip ? k : 0));
  const chunkOfCell = (cell: number) => t.chunks[Math.floor((cell % face.columns) / each)] ?? 0;
  const color = (k: number): Rgb => {
    if (view.adds) return view.color(input, source, c.axes);
    if (exchanges(c)) return view.color(input, group[t.origin] ?? source);
    return view.color(input, held(k)[0] ?? source);
  };
  const text = (cell: number): string => {
    const element = face.elements[cell] ?? -1;
    const k = chunkOfCell(cell);
    if (view.adds) return view.together(held(k), element);
    if (exchanges(c)) {
      const destination = group[t.chunks[0] ?? 0];
      return t.chunks.length === 1 && destination !== undefined ? view.text(output, destination, element) : "";
    }
    return permutes ? view.text(input, source, element) : view.text(output, source, element);
  };
  const corner = view.trace.corner(output);
  const fillAt = (cell: number) => (corner?.whole && (face.elements[cell] ?? -1) < 0 ? null : color(chunkOfCell(cell)));
  return blockMarks(box, {
    ...numbers(view, output, face, () => ""),
    text: bare || !corner ? null : text,
    fill: color(t.chunks[0] ?? 0),
    ...(strip ? { fillAt } : {}),
    hatch: view.adds && held(t.chunks[0] ?? 0).length < group.length ? view.hatch : null,
  });
}
