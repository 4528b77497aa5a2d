/** A collective whose groups run across the mesh: all hold their additions below their tiles, or the picked one alone. */

import { railAcross, railDown, railRoom } from "../../draw/axes";
import { type Box, label, type Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { gathers } from "../model/semantics";
import { type Ask, adds, chunksOf, gridOf, lastOf, pieceFace, ROOM, stripped, stripVariable, tileFace } from "./ask";
import { cellOf, FONTS, fewerBeside, GROWTH, resultName, shownPart, TAG, WHOLE } from "./cells";
import type { Face } from "./contents";
import { LINE } from "./downrows";
import { titleOf } from "./map";
import { type Lane, PLAIN, type Stage, type Tile } from "./stage";

interface Row {
  rows: number;
  pad: number;
  gap: number;
  lane: number;
  /** Height of a row of a block. */
  cell?: number;
  /** Whether every group holds its addition. */
  open: boolean;
  /** Whether the addition of the picked group lies over the next rows, so that tiles keep their places. */
  cover?: boolean;
}

/** In wide cards, and in pictures, all groups are open before rows of a block are left out. */
function rowsIn({ trace, c, mixed, width, room }: Ask): readonly Row[] {
  const several = trace.groups(c).length > 1;
  if (mixed && several)
    return ROWS.flatMap((row) => [
      { ...row, open: false, cover: true },
      ...LOW.map((lane) => ({ ...row, lane, open: false, cover: true })),
    ]);
  return ROWS.flatMap((row) => [
    ...(several && (width > WIDE || room >= ROOM) ? [{ ...row, open: true }] : []),
    { ...row, open: false },
    ...((trace.mesh.meshShape[0] ?? 1) > 2 && row.cell
      ? LOW.map((lane) => ({ ...row, lane, open: false, cover: true }))
      : []),
  ]);
}

/** Low lanes over other rows: with room for what says whose a copy is, and with less. */
const LOW = [TAG.h + 4, 14];

/** Of a card of 1100 px. */
const WIDE = 840;

const CELL = 20;

const ROWS: readonly Omit<Row, "open">[] = [
  { rows: 4, pad: 7, gap: 12, lane: 36 },
  { rows: 4, pad: 4, gap: 12, lane: 26, cell: 18 },
  { rows: 3, pad: 7, gap: 12, lane: 36 },
  { rows: 3, pad: 4, gap: 12, lane: 26, cell: 18 },
  { rows: 2, pad: 7, gap: 12, lane: 36 },
  { rows: 2, pad: 5, gap: 10, lane: 34 },
  { rows: 2, pad: 4, gap: 12, lane: 26, cell: CELL },
  { rows: 1, pad: 10, gap: 12, lane: 36 },
  { rows: 1, pad: 5, gap: 10, lane: 34 },
];
const TOP = 40;
/** Height of an id over its block. */
const HEAD = 15;
/** Height of an id and a name over a block, with what is under it. */
const NAMED = 36;
/** For tiles that stand close already. */
const CLOSE = { gap: 14, pad: 4, coordinates: true, under: true } as const;
/** Between columns: for the sign between two tiles, and margins of a tile; at last, ids over blocks and the sum under its terms. */
const TIGHT = [
  { gap: 54, pad: 12, coordinates: true, under: false },
  { gap: 34, pad: 8, coordinates: true, under: false },
  { gap: 26, pad: 5, coordinates: false, under: false },
  { gap: 14, pad: 4, coordinates: true, under: false },
  { gap: 26, pad: 4, coordinates: true, under: true },
  CLOSE,
] as const;
/** All margins with all digits, the best first; where there is more room than needed, numbers stand wider apart. */
const WAYS = TIGHT.flatMap((tight) =>
  FONTS.flatMap((font) =>
    (tight === TIGHT[0] && font === FONTS[0] ? GROWTH : [0]).map((grow) => [tight, font, grow] as const),
  ),
);
/** Room for the words that say which group is open, and for its buttons. */
const PAGER = 140;

/** Sizes of a picture whose groups run across it, and where its rows and columns begin. */
interface Sizes {
  row: Row;
  tight: (typeof TIGHT)[number];
  font: number;
  face: Face;
  piece: Face;
  block: Size;
  slot: Size;
  tile: Size;
  /** From the corner of a tile to its block. */
  inset: { x: number; y: number };
  coordinates: boolean;
  above: boolean;
  /** Index of the picked group. */
  picked: number;
  /** Left edges of columns, top edges of rows. */
  x: readonly number[];
  y: readonly number[];
  /** Right end of the last tile, width of the result beside it, and of the whole picture. */
  right: number;
  result: number;
  width: number;
  /** Height of an open addition, and of the whole picture. */
  opened: number;
  height: number;
  /** Whether the addition lies over the picked group, because there is no row under it. */
  up: boolean;
}

type Size = Pick<Box, "w" | "h">;
const NONE: Size = { w: 0, h: 0 };

/** The stage of a meaning whose groups are the rows of a mesh; null where it is too wide or too high. */
export function acrossStage(ask: Ask): Stage | null {
  const { least, width, home, trace } = ask;
  const [down = 1, across = 1] = trace.mesh.meshShape;
  // What needs more than there is has no room with any margins.
  if (!wholeMesh(ask) || (!home && (least.w * across > width || least.h * down > ask.room))) return null;
  const most = home ? home.height : ask.room;
  const natural = tileFace(ask, [1, 4096]).columns / chunksOf(ask);
  const all = fewerBeside(natural);
  const alone = all.filter(([, beside]) => beside === 0);
  // A later collective leaves columns out before it leaves the tiles of the first.
  for (const [columns, beside] of home ? alone : ask.mixed ? all : alone.slice(0, 1)) {
    const ways = home ? WAYS : WAYS.filter((way) => leastOf(ask, Math.min(columns, natural), beside, way) <= width);
    for (const row of ways.length > 0 ? rowsIn(ask) : []) {
      let first: Sizes | null = null;
      let high: boolean | null = null;
      for (const way of ways) {
        if (way[0].under === high) continue;
        const sizes = sizesOf(ask, row, columns, ...way);
        // Other digits, and margins at the sides, make it no lower.
        if (sizes && sizes.height > most) high = way[0].under;
        if (!sizes || sizes.height > most || sizes.width > width || sizes.right + beside > width) continue;
        // Steps that cut or assemble an array show it beside the tiles.
        if (sizes.right + WHOLE <= width) return place(ask, sizes);
        first ??= sizes;
      }
      if (first) return place(ask, first);
    }
  }
  return null;
}

/** The least width of a picture with so many columns of a block, or of each of its chunks. */
function leastOf(ask: Ask, columns: number, beside: number, [tight, font, grow]: (typeof WAYS)[number]): number {
  const [, across = 1] = ask.trace.mesh.meshShape;
  const piece = columns * (cellOf(ask, font, tight.gap < 20) + grow);
  const tile = Math.max(ask.least.w, chunksOf(ask) * piece + 2 * tight.pad);
  const result = adds(ask) && !tight.under ? piece + 38 : 0;
  return leftOf(ask) + across * (tile + tight.gap) - tight.gap + Math.max(beside, result + 8);
}

/** Whether every group is a row of the mesh. */
function wholeMesh({ trace, c, motion }: Ask): boolean {
  const [rows = 1, columns = 1, ...more] = trace.mesh.meshShape;
  if (motion !== "gather" || trace.mesh.size > 16 || rows < 1 || columns < 2 || more.length > 0) return false;
  const groups = trace.groups(c);
  return (
    trace.mesh.axes.length === 2 &&
    groups.length === rows &&
    groups.every((g, y) => g.length === columns && g.every((p, x) => p === y * columns + x))
  );
}

/** Sizes for so many rows of a block; null where it has fewer. */
function sizesOf(
  ask: Ask,
  row: Row,
  columns: number,
  tight: (typeof TIGHT)[number],
  font: number,
  grow: number,
): Sizes | null {
  const face = tileFace(ask, [row.rows, columns * chunksOf(ask)]);
  if (face.rows < row.rows) return null;
  const { mesh } = ask.trace;
  const [down = 1, across = 1] = mesh.meshShape;
  const { under, pad } = tight;
  const at = ask.home && gridOf(ask.home);
  const cell = cellOf(ask, font, tight.gap < 20) + grow;
  const piece = pieceFace(ask, face);
  const high = row.cell ?? CELL;
  const block = { w: face.columns * cell, h: row.rows * high };
  const slot = { w: piece.columns * cell, h: piece.rows * high };
  const coordinates = tight.coordinates && (ask.home ? ask.home.tiles[0]?.coordinates === true : under || row.rows > 1);
  // A home has gaps of its own; where there is none, tiles with results under them stand farther apart.
  if (at ? at.gap < tight.gap : tight === CLOSE) return null;
  const least = at ? NONE : ask.least;
  // Where tiles are high enough, the id stands over the block in every step.
  const above = under || (ask.home ? ask.home.tiles[0]?.id === "above" : least.h >= block.h + NAMED);
  const beside = { x: pad + idRoom(ask, coordinates) + 8, y: at ? Math.max(row.pad, (at.h - block.h) / 2) : row.pad };
  const w = Math.max(least.w, (above ? pad : beside.x) + block.w + pad);
  const inset = above ? { x: (w - block.w) / 2, y: under ? row.pad + HEAD : NAMED - 4 } : beside;
  const own = { w, h: Math.max(least.h, inset.y + block.h + row.pad) };
  if (at && (own.w > at.w || own.h > at.h)) return null;
  const tile = at ? { w: at.w, h: at.h } : own;
  // Without much between tiles, tags stand in the column of their tile, or under the signs.
  const within = gathers(ask.c) && block.w > slot.w + TAG.w;
  if (
    tight.gap < 20 &&
    !within &&
    !tagsOver(ask, { tight, above, inset, slot, row }) &&
    (inset.x < TAG.w - 4 || (inset.x < TAG.w + 6 && slot.h < 56))
  )
    return null;
  const picked = ask.trace.groups(ask.c).indexOf(ask.group);
  const up = row.cover === true && picked === down - 1;
  const opened = row.lane + slot.h + (row.cover ? 4 : 12) + (adds(ask) && under ? slot.h + sumGap(up) : 0);
  const left = leftOf(ask);
  const x = at?.x ?? Array.from({ length: across }, (_, i) => left + i * (tile.w + tight.gap));
  const before = (i: number) => (row.open ? i : i > picked && !row.cover ? 1 : 0) * opened;
  const roomUnder = (i: number) =>
    (at?.y[i + 1] ?? (ask.home?.height ?? 0) - LINE - 6) - (at?.y[i] ?? 0) - (at?.h ?? 0);
  const bands = row.open ? Array.from({ length: down }, (_, i) => i) : row.cover ? [] : [picked];
  if (at && bands.some((i) => roomUnder(i) < opened)) return null;
  const y = at?.y ?? Array.from({ length: down }, (_, i) => TOP + i * (tile.h + row.gap) + before(i));
  const right = (x.at(-1) ?? 0) + tile.w;
  const result = resultRoom(ask, slot, under);
  const last = (y.at(-1) ?? 0) + tile.h + (row.open || (picked === down - 1 && !row.cover) ? opened : 0);
  const height = ask.home?.height ?? Math.ceil(last + (ask.mixed ? block.h + 20 : frameGap(row) + 2) + LINE);
  // What lies over other rows ends with the last of them.
  if (row.cover && opened > (up ? (y[picked] ?? 0) - TOP : last - (y[picked] ?? 0) - tile.h)) return null;
  const shown = { up, row, tight, font, face, piece, block, slot, tile, inset, coordinates, above };
  return { picked, x, y, right, result, width: right + result + 8, opened, height, ...shown };
}

/** Where the frames of groups begin: right of the rail. */
function leftOf({ trace }: Ask): number {
  return railRoom(trace.mesh, 0) + 2;
}

/** Between a frame and its tiles. */
function frameGap({ gap }: Row): number {
  return Math.min(6, gap / 2);
}

/** Width of the ids left of blocks. */
function idRoom({ trace: { mesh } }: Ask, coordinates: boolean): number {
  const [down = 1, across = 1] = mesh.meshShape;
  const ids = textWidth(String(Math.max(...mesh.ids)), 12, true);
  return Math.max(TAG.w, ids, coordinates ? textWidth(`(${down - 1},${across - 1})`, 10, true) : 0);
}

/** Width of the result beside the terms. The words over it are as wide as the result, at least. */
function resultRoom(ask: Ask, slot: Size, under: boolean): number {
  if (!adds(ask) || under) return 0;
  const { output, trace, group, receiver } = ask;
  const name = `${resultName(output)}on device ${trace.mesh.ids[group[receiver] ?? 0] ?? 0}`;
  return Math.max(slot.w, textWidth(name, 11)) + 38;
}

function place(ask: Ask, sizes: Sizes): Stage {
  const { row, tight, font, face, piece, picked, x, y, right, tile, height } = sizes;
  const { trace, group, receiver, width } = ask;
  const groups = trace.groups(ask.c);
  const tiles = groups.flatMap((g, down) => g.map((p, across) => tileAt(ask, sizes, p, down, across)));
  const lanes = tiles.slice(picked * x.length, (picked + 1) * x.length).map((own, i) => laneOf(ask, sizes, own, i));
  // Where one is open, the corner beside the rail says which, and goes to the others.
  const corner = { x: right + 12, width: width - right - 12 };
  const covered = coveredBy(sizes);
  const shown = groups.filter((g) => !g.some((p) => covered.has(p)));
  const title = row.open || corner.width < PAGER ? "" : titleOf(ask, corner.width);
  const left = leftOf(ask);
  return {
    ...PLAIN,
    motion: "gather",
    run: "across",
    font,
    tiles,
    covered,
    rails: railMarks(ask, sizes),
    fixed: title ? [label(corner.x, 9, title, 11, "muted")] : [],
    frames: shown.map((g) => groupFrame(ask, sizes, g, groups.indexOf(g))),
    signs: shown
      .map((g) => y[groups.indexOf(g)] ?? 0)
      .flatMap((top) => x.slice(1).map((at) => [at - tight.gap / 2, top + tile.h / 2] as const)),
    group,
    lanes,
    receiver,
    piece,
    ...sumOf(ask, sizes, lanes[0]?.slot.x ?? 0),
    face,
    after: lastOf(ask, [row.rows, face.columns]),
    chunks: chunksOf(ask),
    open: row.open,
    pager: title ? corner.x + textWidth(title, 11) + 6 : null,
    line: { x: left - 2, y: height - LINE + 20, width: width - left },
    room: { x: left, y: roomTop(sizes), w: right - left, h: sizes.opened },
    note: shownPart(ask, face),
    width,
    height,
  };
}

/** Where the addition of the picked group begins. */
function roomTop({ y, picked, tile, opened, up }: Sizes): number {
  return (y[picked] ?? 0) + (up ? -opened : tile.h);
}

function railMarks(ask: Ask, { x, y, tile }: Sizes): Mark[] {
  const { mesh } = ask.trace;
  const rows = y.map((top, i) => [top, tile.h, String(i)] as const);
  const columns = x.map((left) => [left, tile.w] as const);
  return [...railDown(mesh, 0, leftOf(ask) - 4, rows), ...railAcross(mesh, 1, TOP - 6, columns)];
}

function tileAt(ask: Ask, sizes: Sizes, p: number, down: number, across: number): Tile {
  const { tile, inset, block, face, above, coordinates } = sizes;
  const [x, y] = [sizes.x[across] ?? 0, sizes.y[down] ?? 0];
  return {
    members: [p],
    box: { x, y, ...tile },
    places: [
      {
        v: stripVariable(ask, false),
        box: { x: x + inset.x, y: y + inset.y, ...block },
        face,
        room: above && inset.y > HEAD + 7 ? tile.w - inset.x - 4 : 0,
      },
    ],
    id: above ? "above" : "beside",
    coordinates,
  };
}

/** Between two columns of tiles. */
function gapOf({ x, tile }: Sizes): number {
  return (x[1] ?? 0) - (x[0] ?? 0) - tile.w;
}

/** Between the terms and their sum: over terms stand the tags. */
function sumGap(up: boolean): number {
  return up ? 24 : 14;
}

/** Where slots and results of the picked group stand. */
function slotTop({ y, picked, tile, row, slot, up }: Sizes): number {
  return up ? (y[picked] ?? 0) - row.lane - slot.h : (y[picked] ?? 0) + tile.h + row.lane;
}

/** Mesh positions of the rows that the addition lies over. */
function coveredBy(sizes: Sizes): ReadonlySet<number> {
  const { row, x, y, tile, picked, opened } = sizes;
  const top = roomTop(sizes);
  const rows = y.flatMap((at, i) => (row.cover && i !== picked && at < top + opened && at + tile.h > top ? [i] : []));
  return new Set(rows.flatMap((i) => x.map((_, across) => i * x.length + across)));
}

/** Whether tags stand over their slots: beside one that is not far from the edge of its tile they would meet the sign, and the rail. */
function tagsOver(
  ask: Ask,
  { tight, above, inset, slot, row }: Pick<Sizes, "tight" | "above" | "inset" | "slot" | "row">,
) {
  if (tight.under) return true;
  const narrow = above && inset.x < TAG.w + 5 && slot.w >= 2 * TAG.w + 8;
  return narrow && (tight.gap > 20 || (ask.home !== null && row.lane >= 24));
}

function laneOf(ask: Ask, sizes: Sizes, tile: Tile, rank: number): Lane {
  const { slot, block, inset, tight } = sizes;
  const y = slotTop(sizes);
  const over = tagsOver(ask, sizes);
  // A piece hangs under the chunk that it is, so that its lane is straight.
  const chunk = gathers(ask.c) ? rank : stripped(ask) ? ask.receiver : 0;
  const x = tile.box.x + inset.x + (block.w * chunk) / ask.plan.n;
  return {
    members: tile.members,
    rank,
    tile,
    slot: { x, y, ...slot },
    tag: over
      ? { x, y: y - TAG.h - 3, ...TAG }
      : chunk === 0 && inset.x < TAG.w && gathers(ask.c)
        ? { x: x + slot.w + 3, y: y + slot.h - TAG.h - 1, ...TAG }
        : { x: x - TAG.w - (tight.gap < 20 ? 2 : 5), y: y + slot.h - TAG.h - 1, ...TAG },
    sign: adds(ask) && rank > 0 ? [tile.box.x - gapOf(sizes) / 2, y + slot.h / 2] : null,
  };
}

function groupFrame(ask: Ask, { row, tile, right, opened, up, ...sizes }: Sizes, group: readonly number[], i: number) {
  const adding = row.open || i === sizes.picked;
  const [left, pad] = [leftOf(ask), frameGap(row)];
  const result = adding && adds(ask) ? sizes.result + 4 : 0;
  const box = {
    x: left - pad - 2,
    y: (sizes.y[i] ?? 0) - pad - (adding && up ? opened - pad : 0),
    w: right - left + 2 * pad + 4 + result,
    h: tile.h + 2 * pad + (adding ? opened - pad : 0),
  };
  return { group, box, picked: adding && !row.open };
}

/** The result and the words over it: beside the terms, or under the first one, whoever receives. */
function sumOf(ask: Ask, sizes: Sizes, first: number): Pick<Stage, "result" | "header"> {
  if (!adds(ask)) return { result: null, header: null };
  const { slot, piece, tight, right, width, up } = sizes;
  const { under } = tight;
  const by = (slot.h + sumGap(up)) * (up ? -1 : 1);
  const [x, y] = under ? [first, slotTop(sizes) + by] : [right + 34, slotTop(sizes)];
  const header = x + (under ? slot.w + 26 : 0);
  return {
    result: {
      box: { x, y, ...slot },
      face: piece,
      name: [x, y - 8],
      sign: [under ? x + slot.w + 13 : x - 16, y + slot.h / 2],
      rule: { x: x - 4, y: up ? y + slot.h + 4 : y - 7, w: under ? slot.w + 8 : 0, h: 0 },
    },
    header: { x: header, y: y + (under ? Math.min(9, slot.h - 14) : -22), lines: 2, width: width - header },
  };
}
