/** A collective whose picked group runs down: members under one another, what they send and receive at the right. */
import { DOTTED } from "../../model/caption";
import { product } from "../../model/mesh";
import { tells } from "../../model/semantics";
import { fitName, textWidth } from "../measure";
import { type Box, label, type Mark } from "../scene";
import { type Ask, adds, pieceFace, rowsOf, stripped, stripVariable, tileFace } from "./ask";
import { railAcross, railDown, railRoom } from "./axes";
import type { Face } from "./contents";
import { type MapRoom, mapRails, OVER_ROOM, placeMap, roomOfMap, titleOf } from "./map";
import { joined, lanesOf } from "./routes";
import type { Lane, Stage, Tile } from "./stage";

/** Sizes of rows: as generous as the height allows. */
interface Row {
  /** Rows of a block, and the height of one. */
  rows: number;
  cell: number;
  /** Over and under the block, and between tiles. */
  pad: number;
  gap: number;
}

/** What shrinks when width is short: lanes first, then margins, then coordinates. */
interface Tight {
  lane: number;
  pad: number;
  coordinates: boolean;
  /** Whether a group over several axes has a rail of each. */
  rails: boolean;
}

const TIGHT: readonly Tight[] = [
  { lane: 62, pad: 10, coordinates: true, rails: true },
  { lane: 48, pad: 8, coordinates: true, rails: true },
  { lane: 34, pad: 4, coordinates: false, rails: true },
  { lane: 34, pad: 4, coordinates: false, rails: false },
];
export const FONTS = [11.5, 11, 10.5] as const;
export const GROWTH = [10, 6, 3, 0] as const;
const TAG = { w: 20, h: 16 } as const;
const COLUMN_GAP = 18;
const GUTTER_GAP = 4;
/** Over the tiles: coordinates and rail, or the header of the addition. */
const TOP = 34;
/** Where no second axis is named over them. */
const LOW_TOP = 24;
/** Of the running line and its margins. */
export const LINE = 38;
const DOTS = 9;
const HEAD = 17;
/** Width of the words over the slots: on which device, who holds the same. */
const HEADER = 210;

export function downStage(ask: Ask): Stage {
  const over = mapOver(ask);
  const fixed = fixedOf(ask, over);
  const whole = over ? fixedOf(ask, false) : fixed;
  for (const choice of choicesOf(ask)) {
    const stage = place(ask, choice.whole ? whole : fixed, choice);
    if (stage.width <= ask.width) return { ...stage, width: ask.width };
  }
  const tight = { lane: 26, pad: 3, coordinates: false, rails: false };
  const least = { whole: false, open: false, map: over, columns: 1, tight, font: 10.5, grow: 0, swatch: true };
  const bare = BARE.map((cell) => place(ask, fixed, { ...least, bare: cell }));
  return { ...((bare.find((stage) => stage.width <= ask.width) ?? bare.at(-1)) as Stage), width: ask.width };
}

/** What may shrink, the best first: lanes, margins, the size of digits, the other groups, numbers of copies, columns. */
function* choicesOf(ask: Ask): Generator<Choice> {
  const whole = wholeMesh(ask);
  const over = mapOver(ask);
  const all = { map: over, columns: 64, swatch: false, bare: 0 };
  const tights = nested(ask) ? TIGHT : TIGHT.slice(0, 3);
  if (whole && ask.motion === "gather" && ask.trace.groups(ask.c).length > 1)
    for (const tight of TIGHT.slice(0, 2))
      for (const grow of GROWTH) yield { ...all, whole, open: true, tight, font: FONTS[0], grow };
  const copies = ask.motion === "lanes" ? [false, true] : [false];
  const ways: Partial<Choice>[] = [
    ...(whole ? [{ whole }] : []),
    ...(over ? [] : copies.map((swatch) => ({ map: true, swatch }))),
    ...[64, 16, 8, 4, 2, 1].flatMap((columns) => copies.map((swatch) => ({ columns, swatch }))),
  ];
  for (const way of ways) {
    for (const tight of tights) {
      for (const font of FONTS) {
        // Where there is more room than needed, numbers stand wider apart.
        const roomy = tight === TIGHT[0] && font === FONTS[0];
        for (const grow of roomy ? GROWTH : [0]) yield { ...all, whole: false, open: false, ...way, tight, font, grow };
      }
    }
  }
}

/** What does not depend on what shrinks. */
interface Fixed {
  row: Row;
  members: readonly (readonly number[])[];
  top: number;
  height: number;
  /** Lanes that copies need beside the tiles, and chunks of the largest copy. */
  lanes: number;
  chunks: number;
}

function fixedOf(ask: Ask, over: boolean): Fixed {
  const { motion } = ask;
  const rounds = motion === "permute" ? [permuted(ask)] : motion === "gather" ? [] : ask.trace.played(ask.plan).rounds;
  const sizes = vertical(ask, over);
  const chunks = Math.max(1, ...rounds.flatMap((round) => joined(round).map((t) => t.chunks.length)));
  const lanes = motion === "permute" || motion === "lanes" ? lanesOf(rounds, rowIndex(sizes.members)) : 0;
  return { ...sizes, lanes, chunks };
}

/** How high it is at any width. */
export function downHeight(ask: Ask): number {
  const height = vertical(ask, false).height;
  return mapOver(ask) ? Math.max(height, vertical(ask, true).height) : height;
}

/** Whether the map stands over the group: beside it there is no room in cards of less than 560 px. */
function mapOver({ trace, c, width }: Ask): boolean {
  return width < 536 && trace.groups(c).length > 1;
}

/** Whether every group is a column of the mesh, so that all can be drawn where they are. */
function wholeMesh({ trace, c, motion }: Ask): boolean {
  const [rows = 1, columns = 1, ...more] = trace.mesh.meshShape;
  if (trace.mesh.size > 16 || more.length > 0 || motion === "lanes" || motion === "permute") return false;
  const groups = trace.groups(c);
  return (
    groups.length === columns && groups.every((g, x) => g.length === rows && g.every((p, y) => p === y * columns + x))
  );
}

interface Choice {
  whole: boolean;
  /** Whether all groups hold their additions, instead of the picked one alone. */
  open: boolean;
  /** Whether the whole mesh stands in small beside the group, or over it. */
  map: boolean;
  columns: number;
  tight: Tight;
  font: number;
  /** Extra width of cells. */
  grow: number;
  /** Copies without numbers: where there is no width for those of many chunks. */
  swatch: boolean;
  /** Width of a cell of blocks without numbers; 0 with them. */
  bare: number;
}

function place(
  ask: Ask,
  { row, members, top, height, lanes, chunks }: Fixed,
  { whole, open, map: mapped, columns: most, tight, font, grow, swatch, bare }: Choice,
): Stage {
  const { trace, c, motion, group, receiver } = ask;
  const { mesh } = trace;
  const gutters = motion === "gutters";
  const cellWidth = bare || cellOf(ask, font) + grow;
  const face = tileFace(ask, [row.rows, most * (stripped(ask) ? ask.plan.n : 1)]);
  const piece = pieceFace(ask, face);
  const block = { w: face.columns * cellWidth, h: row.rows * row.cell };
  const above = gutters && members.length <= DOTTED;
  const dots = above && adds(ask) ? DOTS : 0;
  // Coordinates have a line of their own under ids in rows that are high enough.
  const under = block.h >= 32 || block.h + 2 * row.pad >= 40;
  const nest = whole || !tight.rails ? null : nested(ask);
  const railed = whole || along(ask) !== null || nest !== null;
  const coordinates = tight.coordinates && mesh.axes.length > 1 && (under || !railed);
  // All groups have tiles of one width.
  const ids = Math.max(
    ...members.map((ranks) => idWidth(ask, ranks)),
    ...(whole ? [textWidth(String(Math.max(...mesh.ids)), 12, true)] : []),
  );
  const places = coordinates ? textWidth(`(${mesh.meshShape.map((n) => n - 1).join(",")})`, 10, true) : 0;
  const numbers = above ? ids : under ? Math.max(ids, places) : ids + (places > 0 ? places + 6 : 0);
  const head = above ? HEAD : 0;
  const inset = above ? tight.pad : tight.pad + numbers + 8;
  const tileW = Math.max(inset + block.w + tight.pad, above ? ids + 60 : 0);
  const tileH = head + row.pad + block.h + row.pad + dots;
  const pitch = tileH + row.gap;

  const all = whole ? trace.groups(c) : [group];
  const picked = whole ? Math.max(0, all.indexOf(group)) : 0;
  const over = mapOver(ask);
  const map: MapRoom | null = whole || !mapped || group.length === mesh.size ? null : roomOfMap(ask, over);
  const left = map && !over ? map.width + 26 : 0;
  // Of a map over its group the title stands at the right.
  const titleX = map && over ? map.width + 10 : 0;
  const title = map ? titleOf(ask, over ? ask.width - titleX : map.width) : "";
  const rail = whole
    ? railRoom(mesh, 0)
    : nest
      ? nestRoom(ask, nest)
      : along(ask) === null
        ? 6
        : railRoom(mesh, along(ask) ?? 0);
  const slotW = piece.columns * cellWidth;
  // A copy from tile to tile is a few chunks and a tag.
  const columns = stripped(ask) ? (face.columns / ask.plan.n) * chunks : face.columns;
  const copyW = (swatch ? SWATCH : columns * cellWidth) + TAG.w + 4;
  const wrap = gutters ? wrapRoom(ask, face, cellWidth) : 0;
  const side =
    motion === "gather"
      ? tight.lane + slotW + 4 + TAG.w + (adds(ask) ? 24 : 4)
      : motion === "permute"
        ? permuteRoom(lanes, block.w) + tileW + 70
        : gutters
          ? wrap
          : lanes * (copyW + 8) + 16;
  // Where every group moves, every column has its room.
  const each = gutters ? wrap : 0;

  const columnGap = gutters ? GUTTER_GAP : COLUMN_GAP;
  const tiles: Tile[] = [];
  const columnX: number[] = [];
  let x = left + rail;
  const ranksOf = whole && all.length > 1 ? all.map((g) => rowsOf(g.length, receiver)) : [members];
  all.forEach((g, column) => {
    columnX.push(x);
    (ranksOf[column] ?? members).forEach((ranks, i) => {
      const box: Box = { x, y: top + i * pitch, w: tileW, h: tileH };
      const blockBox = { x: x + inset, y: box.y + head + row.pad, ...block };
      tiles.push({
        members: ranks.map((r) => g[r] ?? 0),
        box,
        places: [{ v: stripVariable(ask, false), box: blockBox, face, room: 0 }],
        id: above ? "above" : "beside",
        coordinates,
      });
    });
    x +=
      tileW + ((column === picked || open) && !gutters ? side + (column < all.length - 1 ? 14 : 0) : each) + columnGap;
  });
  const used = x - columnGap;
  const own = tiles.filter((t) => t.members.every((p) => group.includes(p)));
  const at = own[0]?.box ?? { x: 0, y: top, w: 0, h: 0 };
  const right = at.x + tileW;
  const slotX = right + tight.lane;
  const drawn: Lane[] = members.map((ranks, i) => {
    const tile = own[i] as Tile;
    const place = tile.places[0]?.box ?? tile.box;
    const slot = { x: slotX, y: place.y, w: slotW, h: block.h };
    return {
      members: tile.members,
      rank: ranks[0] ?? 0,
      tile,
      slot,
      tag: { x: slotX + slotW + 4, y: place.y + (block.h - TAG.h) / 2, ...TAG },
      sign:
        adds(ask) && !ranks.includes(receiver)
          ? ([slotX + slotW + 4 + TAG.w + 13, place.y + block.h / 2] as const)
          : null,
    };
  });
  const bottom = top + members.length * pitch - row.gap;
  const resultBox = { x: slotX, y: bottom + 12, w: slotW, h: block.h };
  const name = fitName(ask.output.name, 76, 12, true);
  const fixed: Mark[] = [];
  const rows = own.map(
    ({ box, members: some }, i) => [box.y, box.h, some.length > 1 ? "…" : String(members[i]?.[0] ?? i)] as const,
  );
  if (whole) {
    if (mesh.axes.length > 0) fixed.push(...railDown(mesh, 0, left + rail, rows));
    if (mesh.axes.length > 1)
      fixed.push(
        ...railAcross(
          mesh,
          1,
          top - (motion === "gather" ? 16 : 4),
          columnX.map((cx) => [cx, tileW] as const),
        ),
      );
  } else {
    const axis = along(ask);
    if (axis !== null) fixed.push(...railDown(mesh, axis, left + rail, rows));
    if (nest) {
      const seats = own.map(({ box }, i) => ({ ranks: members[i] ?? [], box }));
      fixed.push(...nestMarks(ask, nest, left + rail, seats));
    }
    if (map) fixed.push(label(titleX, 12, title, 11, "muted"));
    if (map && !over) fixed.push(...mapRails(mesh, placeMap(map, top)));
  }
  // Round a ring the way back is part of the group.
  const pad = gutters ? GUTTER_GAP / 2 : Math.min(6, row.gap / 2 + 3);
  const frames = whole
    ? all.flatMap((g, column) => {
        if (all.length === 1) return [];
        const [w, h] = [tileW + each + 2 * pad, bottom - top + 2 * pad];
        const box = { x: (columnX[column] ?? 0) - pad, y: top - pad, w, h };
        return [{ group: g, box, picked: column === picked && !open }];
      })
    : [];
  const signs = tiles.flatMap(({ box }, i) => {
    const next = tiles[i + 1];
    if (gutters || row.gap < 12 || !next || next.box.x !== box.x) return [];
    return [[box.x + 22, box.y + box.h + row.gap / 2] as const];
  });
  const after = motion === "permute" ? right + permuteRoom(lanes, block.w) : 0;
  if (motion === "permute") {
    fixed.push(label(at.x + inset, top - 8, `${fitName(ask.input.name, 90, 11)} before`, 11, "muted"));
    fixed.push(label(after + inset, top - 8, `${name} after`, 11, "muted"));
  }
  const gather = motion === "gather";
  const hidden = face.columns < face.of[1] || face.rows < face.of[0];
  return {
    motion,
    run: "down",
    font,
    tiles,
    map: map && placeMap(map, over ? 8 : top),
    fixed,
    frames,
    signs,
    open,
    pager: map ? titleX + textWidth(title, 11) + 6 : null,
    group,
    lanes: drawn,
    receiver: members.findIndex((ranks) => ranks.includes(receiver)),
    piece,
    result:
      gather && adds(ask)
        ? {
            box: resultBox,
            face: piece,
            name: [slotX - 8 - textWidth(name, 12, true), resultBox.y + block.h / 2 + 4],
            sign: [slotX + slotW + 4 + TAG.w + 13, resultBox.y + block.h / 2],
            rule: { x: slotX - 20, y: bottom + 5, w: slotW + TAG.w + 50, h: 0 },
          }
        : null,
    header: gather
      ? headerOf(ask, open ? { x: slotX, width: side - tight.lane } : { x: slotX, width: 0 }, right, top)
      : null,
    face,
    after: {
      v: stripped(ask) ? stripVariable(ask, true) : ask.output,
      face: tileFace(ask, [row.rows, face.columns], true),
    },
    chunks: stripped(ask) ? ask.plan.n : 1,
    carried: { chunks, swatch },
    holds: motion === "permute" ? own.map((t) => shifted(t, after - at.x)) : [],
    room: gather
      ? null
      : motion === "permute"
        ? { x: right, y: top, w: after - right, h: bottom - top }
        : { x: right, y: top, w: gutters ? wrap : side, h: bottom - top },
    line: { x: 0, y: height - LINE + 20, width: ask.width },
    note: hidden && !bare ? shownPart(ask, face) : "",
    bare: bare > 0,
    width: used,
    height,
  };
}

/** Over the slots; where that is too narrow for its words, it begins over the lanes. */
function headerOf({ width }: Ask, slots: { x: number; width: number }, right: number, top: number): Stage["header"] {
  const x = slots.width > 0 ? slots.x : Math.max(right + 8, Math.min(slots.x, width - HEADER));
  return { x, y: top - 10, lines: 1, width: slots.width || width - x };
}

/** The same tile elsewhere. */
function shifted(tile: Tile, dx: number): Tile {
  const move = (b: Box) => ({ ...b, x: b.x + dx });
  return { ...tile, box: move(tile.box), places: tile.places.map((at) => ({ ...at, box: move(at.box) })) };
}

/** Rows of tiles with as much as the height allows, folded where even little is too much. */
function vertical(ask: Ask, over: boolean) {
  const { group, receiver, room, motion } = ask;
  const gutters = motion === "gutters";
  const named = ask.trace.mesh.axes.length > 1 && wholeMesh(ask);
  const top = over ? LOW_TOP + OVER_ROOM : named ? TOP + (motion === "gather" ? 14 : 0) : LOW_TOP;
  const natural = tileFace(ask, [64, 4096]).rows;
  const result = motion === "gather" && adds(ask);
  const of = (row: Row, n: number) => {
    const head = gutters && n <= DOTTED ? HEAD + (adds(ask) ? DOTS : 0) : 0;
    const pitch = row.rows * row.cell + 2 * row.pad + head + row.gap;
    return Math.ceil(top + n * pitch - row.gap + (result ? 12 + row.rows * row.cell + 8 : 10) + LINE);
  };
  for (const most of [16, 8]) {
    const members = rowsOf(group.length, receiver, most);
    const n = members.length;
    const choices: Row[] = [];
    if (gutters) {
      // A copy that is longer between two tiles is read longer.
      for (let rows = Math.min(natural, 4); rows > 0; rows--)
        for (const more of n <= 4 ? [34, 18] : [6])
          choices.push({ rows, cell: 20, pad: n <= 4 ? 5 : 6, gap: rows * 20 + more });
      choices.push(
        { rows: 1, cell: 20, pad: 4, gap: 26 },
        { rows: 1, cell: 18, pad: 3, gap: 22 },
        { rows: 1, cell: 16, pad: 2, gap: 19 },
      );
    } else {
      if (n <= 4)
        for (let rows = Math.min(natural, 4); rows > 0; rows--)
          choices.push({ rows, cell: 20, pad: rows === 1 ? 13 : 7, gap: 14 });
      if (n <= 8) for (const between of [6, 5, 4]) choices.push({ rows: 1, cell: 20, pad: between, gap: between });
      choices.push({ rows: 1, cell: 18, pad: 2, gap: 3 });
    }
    const row = choices.find((r) => of(r, n) <= room) ?? (most === 8 ? choices.at(-1) : undefined);
    if (row) return { row, members, top, height: of(row, n) };
  }
  throw new RangeError("a group has no rows");
}

/** Mesh axis along which the picked group runs, where it is one alone. */
function along({ trace, c, group }: Ask): number | null {
  const axis = trace.mesh.axisOf(c.axes[0] ?? "");
  return c.axes.length === 1 && group.length === trace.mesh.meshShape[axis] && trace.mesh.axes.length > 0 ? axis : null;
}

/** Mesh axes of a group over several of them, the outermost first, with sizes and strides of its ranks; else null. */
type Nest = readonly { axis: number; size: number; stride: number }[];

function nested({ trace, c, group }: Ask): Nest | null {
  const { mesh } = trace;
  const axes = c.axes.map((name) => mesh.axisOf(name));
  const sizes = axes.map((axis) => mesh.meshShape[axis] ?? 1);
  const nest = axes.map((axis, i) => ({ axis, size: sizes[i] ?? 1, stride: product(sizes.slice(i + 1)) }));
  if (axes.length < 2 || group.length !== product(sizes)) return null;
  const inOrder = (p: number, rank: number) =>
    nest.every(({ axis, size, stride }) => mesh.digits(p)[axis] === Math.floor(rank / stride) % size);
  return group.every(inOrder) ? nest : null;
}

function nestRoom({ trace }: Ask, nest: Nest): number {
  return nest.reduce((room, { axis }) => room + railRoom(trace.mesh, axis), -8 * Math.max(0, nest.length - 1));
}

/** Rails of several axes left of `x`: each beside those that it holds. */
function nestMarks(ask: Ask, nest: Nest, x: number, rows: readonly Seat[]): Mark[] {
  const [first, last] = [rows[0]?.box, rows.at(-1)?.box];
  if (!first || !last) return [];
  const high = last.y + last.h - first.y;
  return nest.flatMap(({ axis, size, stride }, level) => {
    const at = x - nestRoom(ask, nest.slice(level + 1)) + (level + 1 < nest.length ? 8 : 0);
    const runs = runsOf(rows, (rank) => Math.floor(rank / (stride * size)));
    return runs.flatMap((run, i) => {
      const places = runsOf(run, (rank) => Math.floor(rank / stride)).map((some) => {
        const [top, bottom] = [some[0]?.box ?? first, some.at(-1)?.box ?? last];
        const places = new Set(some.flatMap(({ ranks }) => ranks.map((r) => Math.floor(r / stride) % size)));
        return [top.y, bottom.y + bottom.h - top.y, places.size === 1 ? String([...places][0]) : "…"] as const;
      });
      return railDown(ask.trace.mesh, axis, at, places, i === 0 ? [first.y, high] : null);
    });
  });
}

/** A tile's row, and the ranks that stand in it. */
interface Seat {
  ranks: readonly number[];
  box: Box;
}

/** Rows under one another that are at one place. */
function runsOf(rows: readonly Seat[], place: (rank: number) => number): Seat[][] {
  const runs: Seat[][] = [];
  const of = ({ ranks }: Seat) => place(ranks[0] ?? 0);
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.[0] && of(run[0]) === of(row)) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

function idWidth({ trace, group }: Ask, ranks: readonly number[]): number {
  const text = ranks.length > 1 ? `×${ranks.length}` : String(trace.mesh.ids[group[ranks[0] ?? 0] ?? 0] ?? 0);
  return textWidth(text, 12, true);
}

/** Width of a cell with room for the widest number. */
export function cellOf({ format }: Pick<Ask, "format">, font: number): number {
  return format ? Math.max(20, Math.ceil(textWidth("0".repeat(format.width), font, true) + 8)) : 22;
}

/** Rows by rank. */
export function rowIndex(members: readonly (readonly number[])[]): (rank: number) => number | null {
  const index = new Map(members.flatMap((ranks, i) => (ranks.length === 1 ? [[ranks[0] ?? 0, i] as const] : [])));
  return (rank) => index.get(rank) ?? null;
}

export const SWATCH = 22;
/** Widths of cells without numbers. */
const BARE = [7, 5, 3, 2, 1];

/** Room beside a column for the copy that goes round from the last member to the first. */
function wrapRoom(ask: Ask, face: Face, cell: number): number {
  const each = stripped(ask) ? face.columns / ask.plan.n : face.columns;
  return Math.max(26, each * cell + 13);
}

function permuteRoom(lanes: number, block: number): number {
  return Math.max(1, lanes) * (block + TAG.w + 12) + 24;
}

/** The transfers of a permutation; for a broadcast, the one to the receiver that is drawn. */
export function permuted({ trace, plan, c, receiver }: Pick<Ask, "trace" | "plan" | "c" | "receiver">) {
  const all = trace.played(plan).rounds[0] ?? [];
  if (!tells(c)) return all;
  const told = all.filter((t) => t.destination === receiver);
  return told.length > 0 ? told : all.slice(0, 1);
}

/** `columns 0–7 of 64` of what has no room. */
export function shownPart(ask: Ask, face: Face): string {
  const parts: string[] = [];
  if (face.rows < face.of[0])
    parts.push(face.rows === 1 ? `row 0 of ${face.of[0]}` : `rows 0–${face.rows - 1} of ${face.of[0]}`);
  if (face.columns < face.of[1]) {
    const n = stripped(ask) ? ask.plan.n : 1;
    const [some, all] = [face.columns / n, face.of[1] / n];
    parts.push(`${some === 1 ? "column 0" : `columns 0–${some - 1}`} of ${all}${n > 1 ? " of each chunk" : ""}`);
  }
  return parts.join("; ");
}
