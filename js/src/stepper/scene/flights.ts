/** Copies on their way: each in a lane of its own, with the numbers that it carries and the id of its sender. */

import type { Transfer } from "../../collective/model/plan";
import type { Rgb } from "../../core/color";
import { around, axisStroke, axisToken, type Box, label, type Mark } from "../../draw/marks";
import { exchanges } from "../model/semantics";
import { blockMarks } from "./block";
import { TAG } from "./cells";
import { partOf } from "./contents";
import { blockColor, givenNumber, inkBetween, keeperOf, numberOf, numbers, partsOf, sumColor, together } from "./look";
import { pieceMarks, sendsNothing, tagMarks } from "./piece";
import type { Lane, Stage, Tile } from "./stage";
import { isSlim } from "./stage";
import type { Flight, Moving } from "./view";
import { hopsOf, rowOf, sideOf, type Way, waysOf, wrapLane } from "./ways";

const HALO = 2;

/** All copies of a moment. */
export function flightsOf(view: Moving): readonly Flight[] {
  const { stage, finished, flow } = view;
  if (finished || flow.progress <= 0 || flow.progress >= 1) return [];
  if (stage.motion === "gutters") return ringFlights(view);
  if (stage.motion !== "gather") return laneFlights(view);
  const sent = stage.lanes.filter((lane, i) => i !== stage.receiver && !sendsNothing(view, lane));
  return sent.map((lane) => toSlot(view, lane));
}

/** The copy of one member on its way to its slot. */
function toSlot(view: Moving, lane: Lane): Flight {
  const { stage, flow, receiver } = view;
  const { slot, tag, tile } = lane;
  const [source = 0] = lane.members;
  const whole = around([slot, tag]);
  // It starts under its tile, which is drawn over it, and comes out through the edge.
  const along = stage.run === "down";
  const start = along
    ? Math.max(tile.box.x + 3, tile.box.x + tile.box.w - whole.w - 3)
    : whole.y < tile.box.y
      ? tile.box.y + 3
      : Math.max(tile.box.y + 3, tile.box.y + tile.box.h - whole.h - 3);
  const end = along ? whole.x : whole.y;
  const by = (start - end) * (1 - flow.progress);
  const [dx, dy] = along ? [by, 0] : [0, by];
  const move = (b: Box): Box => ({ ...b, x: b.x + dx, y: b.y + dy });
  return copy(view, source, receiver, move(whole), [
    ...pieceMarks(view, lane, move(slot)),
    ...tagMarks(view, lane.members, move(tag), inkBetween(view, source, receiver)),
  ]);
}

/** A copy with its halo: a line and a glow in the ink and pattern of the axis whose link it crosses. */
function copy(view: Moving, source: number, destination: number, inner: Box, content: readonly Mark[]): Flight {
  const axis = inkBetween(view, source, destination);
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

/** Copies of a ring: from a tile to its neighbour in the gutter between them, between the last and the first round the side. */
function ringFlights(view: Moving): Flight[] {
  const { flow, stage } = view;
  return hopsOf(view).map(({ transfer, group, source, destination, from, to, at, wrap }) => {
    // It starts under its block, which is drawn over it, and ends under the other one.
    const end = at.y + to.box.y - from.box.y;
    const { swatch, width } = stage.carried;
    const alone = stage.bare && !swatch;
    const w = alone ? width : wrap === null ? at.w : Math.min(at.w, width);
    const [block, last] = [from, to].map(({ box, places }) => places[0]?.box ?? box) as [Box, Box];
    const edge = from.box.x + from.box.w;
    const side = stage.reading ? edge + 3 : block.x + block.w - (isSlim(stage) ? -4 : w);
    const lane = edge + wrapLane(view, wrap ?? 0) - w / 2;
    const [x, y] =
      wrap === null
        ? [
            Math.max(block.x, Math.min(at.x + (at.w - w) / 2, block.x + block.w - w)),
            at.y + (end - at.y) * flow.progress,
          ]
        : aroundAt(side, lane, side, at.y, end, flow.progress);
    const box = { ...at, x, y, w };
    const bare = swatch && (stage.bare || wrap !== null);
    const ends = wrap !== null && stage.carried.ends;
    const flight = copy(view, source, destination, box, chunkMarks(view, group, transfer, box, bare, ends));
    return isSlim(stage) ? flight : { ...flight, box: seen(seen(flight.box, block), last) };
  });
}

/** What of a copy is seen beside a block that is drawn over it. */
function seen(copy: Box, lid: Box): Box {
  const { x, y, w, h } = copy;
  const [right, bottom] = [lid.x + lid.w, lid.y + lid.h];
  if (x >= right || y >= bottom || x + w <= lid.x || y + h <= lid.y) return copy;
  // It goes out of its row, or along it.
  if (y + 2 * HALO < lid.y) return { ...copy, h: lid.y - y };
  if (y + h - 2 * HALO > bottom) return { ...copy, y: bottom, h: y + h - bottom };
  const from = Math.min(x + w, right);
  return { ...copy, x: from, w: x + w - from };
}

/** Three thirds of a way: out of the row, along a lane, into the other row. */
function aroundAt(x0: number, lane: number, x1: number, y0: number, y1: number, t: number): readonly [number, number] {
  if (t < 1 / 3) return [x0 + (lane - x0) * 3 * t, y0];
  if (t < 2 / 3) return [lane, y0 + (y1 - y0) * (3 * t - 1)];
  return [lane + (x1 - lane) * (3 * t - 2), y1];
}

/** Size of copies that go by lanes, with their tag. */
function laneCopy({ carried: { width: block, height: h, swatch: bare, tag } }: Stage) {
  return { w: block + tag, h, block, bare, tag };
}

/** Copies that go by lanes: back under the tile where they go, or to what is held afterwards. */
function laneFlights(view: Moving): Flight[] {
  const { stage, flow } = view;
  const { ways, width } = waysOf(view);
  const held = stage.motion === "permute";
  const size = laneCopy(stage);
  const side = sideOf(stage);
  const [out, long] = side.down ? [size.w, size.h] : [size.h, size.w];
  return ways.flatMap((way) => {
    const [from, to] = way.tiles;
    const edge = side.edge(from.box);
    const lane = edge + (held ? 14 : 0) + (way.lane + 0.5) * width - out / 2;
    const hidden = (order: number) => edge - 4 - out - order * (out + 7);
    const [start, end] = held
      ? [Math.max(from.box.x + 3, hidden(0)), to.box.x - TAG.w - 8]
      : [hidden(way.leaves), hidden(way.arrives)];
    const row = (tile: Tile) => (side.down ? rowOf(tile, long) : side.middle(tile.box) - long / 2);
    const [u, v] = aroundAt(start, lane, end, row(from), row(to), flow.progress);
    // What would come out at the other side of its tile is not on its way yet.
    return u < side.start(from.box) + 3 ? [] : [laneCopyAt(view, way, side.box(u, v, size), size)];
  });
}

function laneCopyAt(view: Moving, { transfer }: Way, box: Box, size: ReturnType<typeof laneCopy>): Flight {
  const { stage } = view;
  const [source, destination] = [stage.group[transfer.source] ?? 0, stage.group[transfer.destination] ?? 0];
  // Where all chunks have no room, those of a copy with fewer may have; of one with more the first, and how many follow.
  const { bare } = size;
  const most = stage.carried.chunks;
  const shown = Math.min(most, transfer.chunks.length);
  const more = bare ? 0 : transfer.chunks.length - shown;
  const w = stage.chunks > 1 && !bare ? (size.block / most) * shown : size.block;
  // The tag is the last of it that goes under a tile: of what goes on to the right, it is at the left.
  const first = stage.motion === "permute";
  const block = { ...box, x: box.x + (first ? size.tag : size.block - w), w };
  const tag = { x: first ? box.x : box.x + size.block + 4, y: box.y + (box.h - TAG.h) / 2, ...TAG };
  const inner = { ...box, x: Math.min(tag.x, block.x), w: box.w - (size.block - w) };
  return copy(view, source, destination, inner, [
    ...(more > 0 ? countedMarks(view, transfer, block, more) : chunkMarks(view, stage.group, transfer, block, bare)),
    ...(size.tag ? tagMarks(view, [source], tag, inkBetween(view, source, destination)) : []),
  ]);
}

/** The first chunks of a copy that has no room for all, and in place of the last how many there are beside those. */
function countedMarks(view: Moving, t: Transfer, box: Box, more: number): Mark[] {
  const { stage } = view;
  const first = stage.carried.chunks - 1;
  const w = box.w / stage.carried.chunks;
  const rest = { ...box, x: box.x + first * w, w };
  const text = first > 0 ? `+${more + 1}` : `×${more + 1}`;
  const some = { ...t, chunks: t.chunks.slice(0, first) };
  const others = { ...t, chunks: t.chunks.slice(first) };
  return [
    ...(first > 0 ? chunkMarks(view, stage.group, some, { ...box, w: first * w }, false) : []),
    ...chunkMarks(view, stage.group, others, rest, true),
    { kind: "rect", ...rest, fill: "bg", alpha: 0.7 },
    label(rest.x + w / 2, rest.y + rest.h / 2 + 3.8, text, 10.5, "ink", { mono: true, anchor: "middle" }),
  ];
}

/** The chunks that a copy carries: what its sender held when the round began; of each row all numbers, or its `ends`. */
function chunkMarks(
  view: Moving,
  group: readonly number[],
  t: Transfer,
  box: Box,
  bare: boolean,
  ends = false,
): Mark[] {
  const { stage, trace, input, output, collective: c, adds } = view;
  const source = group[t.source] ?? 0;
  const permutes = stage.motion === "permute";
  const strip = stage.chunks > 1;
  // Rows of an all-to-all's strip are by origin; what is sent is addressed by its destination.
  const from = exchanges(c) ? [t.origin] : t.chunks;
  const face = strip ? partOf(stage.face, stage.chunks, from.length === t.chunks.length ? from : t.chunks) : stage.face;
  const each = face.columns / Math.max(1, t.chunks.length);
  const held = (k: number) => (permutes ? [source] : partsOf(view, source, strip ? k : 0));
  const chunkOfCell = (cell: number) => t.chunks[Math.floor((cell % face.columns) / each)] ?? 0;
  const color = (k: number): Rgb => {
    if (adds) return sumColor(view, held(k), keeperOf(view, source, k));
    return blockColor(view, input, (exchanges(c) ? group[t.origin] : held(k)[0]) ?? source);
  };
  // What goes to one destination has its place there by who it is from.
  const addressed = exchanges(c) && strip ? partOf(stage.face, stage.chunks, [t.origin]) : face;
  const text = (cell: number): string => {
    const element = face.elements[cell] ?? -1;
    if (adds) return together(view, held(chunkOfCell(cell)), element);
    const own = Math.floor(cell / face.columns) * each + ((cell % face.columns) % each);
    const member = group[chunkOfCell(cell)] ?? source;
    return exchanges(c)
      ? numberOf(view, output, member, addressed.elements[own] ?? -1)
      : numberOf(view, permutes ? input : output, source, element) || givenNumber(view, member, own, each);
  };
  const corner = trace.corner(permutes ? input : output);
  const fillAt = (cell: number) => (corner?.whole && (face.elements[cell] ?? -1) < 0 ? null : color(chunkOfCell(cell)));
  const fill = color(t.chunks[0] ?? 0);
  const hatch = adds ? view.hatch : null;
  const plainAt = (cell: number) => held(chunkOfCell(cell)).length >= group.length;
  const written = bare || !corner ? null : text;
  if (ends && written) {
    const first = (row: number) => row * face.columns;
    const said = (row: number) => `${written(first(row))}–${written(first(row + 1) - 1)}`;
    const look = { ...numbers(view, output, face, () => ""), columns: 1, text: said, fill, hatch };
    return blockMarks(box, { ...look, plainAt: (row) => plainAt(first(row)) });
  }
  return blockMarks(box, {
    ...numbers(view, output, face, () => ""),
    text: written,
    fill,
    ...(strip ? { fillAt } : {}),
    hatch,
    plainAt,
  });
}
