/** A group that runs down: where its tiles, lanes, slots and rails stand for a choice of what shrinks. */
import { product } from "../../core/mesh";
import { clauses } from "../../core/text";
import { BOLD, type Box, label, type Mark } from "../../draw/marks";
import { fitName, textWidth } from "../../draw/measure";
import { reducesAll } from "../model/semantics";
import { type Ask, adds, rowsOf, signRoom, stripped, stripVariable, tileFace } from "./ask";
import { railAcross, railDown } from "./axes";
import { shownPart, TAG } from "./cells";
import type { Choice } from "./downchoices";
import { type Fixed, LINE } from "./downrows";
import { permuteRoom, sizesOf } from "./downsizes";
import { mapRails, placeMap, sameOf } from "./map";
import { along, type Nest, nestMarks } from "./nest";
import type { Lane, Stage, Tile } from "./stage";

const COLUMN_GAP = 18;
const GUTTER_GAP = 4;
/** Width of the words over the slots: on which device, who holds the same. */
const HEADER = 210;

/** The stage of a choice, as wide as that needs. */
export function placeDown(ask: Ask, fixed: Fixed, choice: Choice, longer = 0): Stage {
  const { row, members, top, height, chunks } = fixed;
  const { whole, open, tight, font, swatch, bare } = choice;
  const { trace, c, motion, group, receiver } = ask;
  const gutters = motion === "gutters";
  const sizes = sizesOf(ask, fixed, choice);
  const { face, piece, block, above, plain, nest, coordinates, head, inset, tileW, tileH, slotW, wrap, side } = sizes;
  const { over, map, titleX, title, carried, reading } = sizes;
  const pitch = tileH + row.gap;
  const all = whole ? trace.groups(c) : [group];
  const picked = whole ? Math.max(0, all.indexOf(group)) : 0;
  // Where every group moves, every column has its room.
  const each = gutters ? wrap : 0;
  const start = sizes.left + sizes.rail;

  const columnGap = gutters ? GUTTER_GAP : COLUMN_GAP;
  const tiles: Tile[] = [];
  const columnX: number[] = [];
  let x = start;
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
          ? ([slotX + slotW + 4 + TAG.w + signRoom(ask), place.y + block.h / 2] as const)
          : null,
    };
  });
  const bottom = top + members.length * pitch - row.gap;
  const resultBox = { x: slotX, y: bottom + 12, w: slotW, h: block.h };
  const name = fitName(ask.output.name, 76, 12, true);
  const marks = plain
    ? meshRails(
        ask,
        own,
        members,
        start,
        columnX.map((cx) => [cx, tileW] as const),
      )
    : groupRails(ask, own, members, start, nest);
  // On a mesh of more axes, what the devices of each group have in common stands over it.
  if (whole && !plain) {
    const y = top - (motion === "gather" ? 26 : 10);
    all.forEach((g, i) => {
      const words = sameOf(trace, g, tileW + 14);
      marks.push(label((columnX[i] ?? 0) + tileW / 2, y, words, 11, "ink", { ...BOLD, anchor: "middle" }));
    });
  }
  if (title) marks.push(label(titleX, 12, title, 11, "muted"));
  if (map && !over) marks.push(...mapRails(ask.trace.mesh, placeMap(map, top)));
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
  const after = motion === "permute" ? right + permuteRoom(fixed.lanes, carried) + longer : 0;
  if (motion === "permute") {
    marks.push(label(at.x + inset, top - 8, `${fitName(ask.input.name, 90, 11)} before`, 11, "muted"));
    marks.push(label(after + inset, top - 8, `${name} after`, 11, "muted"));
  }
  const gather = motion === "gather";
  const hidden = face.columns < face.of[1] || face.rows < face.of[0];
  return {
    motion,
    run: "down",
    font,
    tiles,
    map: map && placeMap(map, over ? 8 : top),
    fixed: marks,
    frames,
    signs,
    open,
    pager: title ? titleX + textWidth(title, 11) + 6 : null,
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
            sign: [slotX + slotW + 4 + TAG.w + signRoom(ask), resultBox.y + block.h / 2],
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
    carried: { chunks, width: carried, swatch },
    holds: motion === "permute" ? own.map((t) => shifted(t, after - at.x)) : [],
    room: gather
      ? null
      : motion === "permute"
        ? { x: right, y: top, w: after - right, h: bottom - top }
        : { x: right, y: top, w: gutters ? wrap : side, h: bottom - top },
    line: { x: 0, y: height - LINE + 20, width: ask.width },
    note: clauses([hidden ? shownPart(ask, face) : "", bare ? "point at a cell to read it" : "", emptyChunks(ask)]),
    bare: bare > 0,
    reading,
    width: used + (frames.length > 0 ? pad : 0),
    height,
  };
}

/** What is said of chunks that have no element. */
function emptyChunks(ask: Ask): string {
  const { c, plan, input } = ask;
  const none = plan.n - product(input.shape);
  return none > 0 && stripped(ask) && reducesAll(c) ? `${none} of ${plan.n} chunks have no element` : "";
}

/** Places of rows for a rail: a folded row has no place of its own. */
function places(own: readonly Tile[], members: readonly (readonly number[])[]) {
  return own.map(
    ({ box, members: some }, i) => [box.y, box.h, some.length > 1 ? "…" : String(members[i]?.[0] ?? i)] as const,
  );
}

/** Rails of the whole mesh: its rows at the left, its columns over the tiles. */
function meshRails(
  { trace: { mesh }, motion }: Ask,
  own: readonly Tile[],
  members: readonly (readonly number[])[],
  x: number,
  columns: readonly (readonly [number, number])[],
): Mark[] {
  const top = own[0]?.box.y ?? 0;
  return [
    ...(mesh.axes.length > 0 ? railDown(mesh, 0, x, places(own, members)) : []),
    ...(mesh.axes.length > 1 ? railAcross(mesh, 1, top - (motion === "gather" ? 16 : 4), columns) : []),
  ];
}

/** Rails of the axes that the picked group runs along. */
function groupRails(
  ask: Ask,
  own: readonly Tile[],
  members: readonly (readonly number[])[],
  x: number,
  nest: Nest | null,
): Mark[] {
  const axis = along(ask);
  const seats = own.map(({ box }, i) => ({ ranks: members[i] ?? [], box }));
  return [
    ...(axis === null ? [] : railDown(ask.trace.mesh, axis, x, places(own, members))),
    ...(nest ? nestMarks(ask, nest, x, seats) : []),
  ];
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
