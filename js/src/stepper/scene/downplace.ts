/** A group that runs down: where its tiles, lanes, slots and rails stand for a choice of what shrinks. */
import { clauses } from "../../core/text";
import { railAcross, railDown } from "../../draw/axes";
import { BOLD, type Box, label, type Mark } from "../../draw/marks";
import { fitName, textWidth } from "../../draw/measure";
import { type Ask, adds, chunksOf, lastOf, rowsOf, signRoom, stripVariable } from "./ask";
import { shownPart, TAG } from "./cells";
import type { Choice } from "./downchoices";
import { type Fixed, LINE } from "./downrows";
import { COLUMN_GAP, permuteRoom, type Sizes } from "./downsizes";
import { placeMap, sameOf } from "./map";
import { nestMarks } from "./nest";
import { HEAD, type Lane, type Stage, type Tile } from "./stage";

/** Width of the words over the slots: on which device, who holds the same. */
const HEADER = 210;
/** Of one who alone receives it. */
const ALONE = 70;

/** What everything is placed by. */
interface Down {
  ask: Ask;
  fixed: Fixed;
  choice: Choice;
  sizes: Sizes;
  /** The picked group's tiles; right of them its slots, under them its result. */
  own: readonly Tile[];
  right: number;
  slots: number;
  bottom: number;
  /** Whether there is no room for words over the slots: then they stand under them, or beside the sum. */
  low: boolean;
}

/** The stage of a choice; the ways of a permutation may be longer than they need. */
export function placeDown(
  ask: Ask,
  fixed: Fixed,
  choice: Choice,
  sizes: Sizes,
  longer = 0,
  home: Stage | null = null,
): Stage {
  const { row, members, top, height } = fixed;
  const { font, cover, open, tight, swatch, bare } = choice;
  const { tile, left, side, columns } = sizes;
  const { motion, group, receiver, width } = ask;
  const tiles = home ? tilesIn(ask, home, sizes) : tilesOf(ask, fixed, sizes);
  const own = tiles.filter((t) => t.members.every((p) => group.includes(p)));
  const right = ((sizes.rails.mesh && !open && !cover ? columns.x.at(-1) : columns.x[columns.picked]) ?? 0) + tile.w;
  const bottom = Math.max(...own.map(({ box }) => box.y + box.h));
  const low = cover || (home !== null && sizes.rails.mesh);
  const down: Down = { ask, fixed, choice, sizes, own, right, slots: right + tight.lane, bottom, low };
  const next = columns.x.find((x) => x > right);
  const beside = cover ? right + side.w : next ? next - COLUMN_GAP : width;
  const covered = new Set(
    cover ? tiles.flatMap(({ box, members }) => (box.x > right && box.x < beside ? members : [])) : [],
  );
  const shown = tiles.filter(({ members: [p = 0] }) => !covered.has(p));
  const map = left.map && placeMap(left.map, left.over ? 8 : top);
  const after = right + permuteRoom(fixed.lanes, side.carried) + longer;
  const permutes = motion === "permute";
  const [before, awaited] = permutes ? whenMarks(down, after) : [[], []];
  return {
    motion,
    run: "down",
    font,
    tiles,
    covered,
    map,
    grid: left.over ? null : map,
    rails: home?.rails ?? railMarks(down),
    small: [],
    large: null,
    outer: [],
    fixed: titleMarks(down),
    said: [...before, ...awaited],
    awaited,
    frames: framesOf(down).filter(({ group: [p = 0] }) => !covered.has(p)),
    signs: row.gap < 12 ? [] : signsOf(ask, shown, row.gap),
    open,
    pager: left.title ? left.titleX + textWidth(left.title, 11) + 6 : null,
    group,
    lanes: members.map((ranks, i) => laneOf(down, ranks, own[i] as Tile)),
    receiver: members.findIndex((ranks) => ranks.includes(receiver)),
    piece: tile.piece,
    ...sumOf(down),
    face: tile.face,
    after: lastOf(ask, [row.rows, tile.face.columns]),
    chunks: chunksOf(ask),
    carried: { chunks: 1, width: side.carried, height: tile.block.h, swatch, ends: false, tag: TAG.w + 4 },
    holds: permutes ? own.map((t) => shifted(t, after - t.box.x)) : [],
    room: { x: right, y: top, w: (permutes ? after : beside) - right, h: bottom - top },
    line: { x: 0, y: height - LINE + 20, width },
    note: clauses([shownPart(ask, tile.face), bare ? "point at a cell to read it" : ""]),
    bars: false,
    bare: bare > 0,
    reading: tile.reading,
    width,
    height,
  };
}

/** Tiles of every group that is drawn; beside others, each folds its own rows. */
function tilesOf(ask: Ask, { row, members, top }: Fixed, { tile, columns }: Sizes): Tile[] {
  const v = stripVariable(ask, false);
  return columns.groups.flatMap((group, column) => {
    const rows = columns.groups.length > 1 ? rowsOf(group.length, ask.receiver) : members;
    return rows.map((ranks, i): Tile => {
      const [x, y] = [columns.x[column] ?? 0, top + i * (tile.h + row.gap)];
      const box = { x: x + tile.inset.x, y: y + tile.inset.y, ...tile.block };
      return {
        members: ranks.map((r) => group[r] ?? 0),
        box: { x, y, w: tile.w, h: tile.h },
        places: [{ v, box, face: tile.face, room: 0 }],
        id: tile.above ? "above" : "beside",
        coordinates: tile.coordinates,
      };
    });
  });
}

/** The tiles that other steps have, with the blocks of this one. */
function tilesIn(ask: Ask, home: Stage, { tile }: Sizes): Tile[] {
  const v = stripVariable(ask, false);
  const { block, face, inset, above } = tile;
  return home.tiles.map((one) => {
    const { x, y, w, h } = one.box;
    const [dx, dy] = above ? [(w - block.w) / 2, HEAD + (h - HEAD - block.h) / 2] : [inset.x, (h - block.h) / 2];
    const box = { x: x + dx, y: y + dy, ...block };
    const coordinates = above ? one.coordinates : tile.coordinates;
    return { ...one, id: above ? "above" : "beside", coordinates, places: [{ v, box, face, room: 0 }] };
  });
}

function laneOf({ ask, sizes, slots }: Down, ranks: readonly number[], tile: Tile): Lane {
  const [w, h] = [sizes.side.slot, sizes.tile.block.h];
  const { y } = tile.places[0]?.box ?? tile.box;
  const end = slots + w + 4;
  return {
    members: tile.members,
    rank: ranks[0] ?? 0,
    tile,
    slot: { x: slots, y, w, h },
    tag: { x: end, y: y + (h - TAG.h) / 2, ...TAG },
    sign: adds(ask) && !ranks.includes(ask.receiver) ? [end + TAG.w + signRoom(ask), y + h / 2] : null,
  };
}

/** The result under the slots, and the words over them; where there is no room for those, they begin over the lanes. */
function sumOf({ ask, fixed, choice, sizes, right, slots, bottom, low }: Down): Pick<Stage, "result" | "header"> {
  if (ask.motion !== "gather") return { result: null, header: null };
  const { side, tile } = sizes;
  const room = choice.open ? side.w - choice.tight.lane : 0;
  const said = ask.c.semantics.replicates ? HEADER : ALONE;
  const x = room > 0 ? slots : Math.max(right + 8, Math.min(slots, ask.width - said));
  const header = { x, y: fixed.top - 10, lines: 1, width: room || ask.width - x } as const;
  if (!adds(ask))
    return {
      result: null,
      header: low ? { ...header, x: slots, y: bottom + 12, width: right + side.w - slots } : header,
    };
  const box = { x: slots, y: bottom + 12, w: side.slot, h: tile.block.h };
  const middle = box.y + box.h / 2;
  const name = fitName(ask.output.name, 76, 12, true);
  const sign = slots + side.slot + 4 + TAG.w + signRoom(ask);
  const named = slots - 8 - textWidth(name, 12, true);
  // Right of an addition over other columns, or left of the name where there is no room.
  const besideSum = () => {
    const end = right + side.w + 12;
    const from = sizes.columns.x[sizes.columns.picked] ?? 0;
    return ask.width - end < said - 60 ? { x: from, width: named - 8 - from } : { x: end, width: ask.width - end };
  };
  return {
    result: {
      box,
      face: tile.piece,
      name: [named, middle + 4],
      sign: [sign, middle],
      rule: { x: slots - 20, y: bottom + 5, w: side.slot + TAG.w + 50, h: 0 },
    },
    header: low ? { ...header, ...besideSum(), y: middle + 4 } : header,
  };
}

/** Frames of groups that stand side by side. */
function framesOf({ ask, choice, fixed: { top }, sizes, bottom }: Down): Stage["frames"] {
  const { tile } = sizes;
  const { groups, picked, x, pad } = sizes.columns;
  if (groups.length === 1) return [];
  const [w, h] = [tile.w + 2 * pad, bottom - top + 2 * pad];
  return groups.map((group, i) => {
    const box = { x: (x[i] ?? 0) - pad, y: top - pad, w, h };
    if (i === picked && choice.cover) {
      box.w += sizes.side.w;
      box.h += adds(ask) ? tile.block.h + 14 : 12;
    }
    return { group, box, picked: i === picked && !choice.open };
  });
}

/** Between tiles that stand under one another. */
function signsOf({ trace, c }: Ask, tiles: readonly Tile[], gap: number): Stage["signs"] {
  const groups = trace.groups(c);
  const together = (a: number, b: number) => groups.some((group) => group.includes(a) && group.includes(b));
  return tiles.flatMap(({ box, members: [p = 0] }, i) =>
    tiles[i + 1]?.box.x === box.x && together(p, tiles[i + 1]?.members[0] ?? 0)
      ? [[box.x + 22, box.y + box.h + gap / 2] as const]
      : [],
  );
}

/** Rails of the mesh or of the picked group. */
function railMarks({ ask, fixed: { members, top }, sizes, own }: Down): Mark[] {
  const { mesh } = ask.trace;
  const { rails, left, tile, columns } = sizes;
  const axis = rails.mesh ? 0 : rails.axis;
  // A folded row has no place of its own.
  const rows = own.map(
    ({ box, members: some }, i) => [box.y, box.h, some.length > 1 ? "…" : String(members[i]?.[0] ?? i)] as const,
  );
  const seats = own.map(({ box }, i) => ({ ranks: members[i] ?? [], box }));
  const tops = columns.x.map((x) => [x, tile.w] as const);
  return [
    ...(axis === null || mesh.axes.length === 0 ? [] : railDown(mesh, axis, left.x, rows)),
    ...(rails.nest ? nestMarks(ask, rails.nest, left.x, seats) : []),
    ...(rails.mesh && mesh.axes.length > 1 ? railAcross(mesh, 1, top - (ask.motion === "gather" ? 16 : 4), tops) : []),
  ];
}

/** Which groups these are: what the devices of each have in common, or which of how many is drawn, with its map. */
function titleMarks({ ask, fixed: { top }, choice, sizes }: Down): Mark[] {
  const { rails, left, tile, columns } = sizes;
  const marks: Mark[] = left.title ? [label(left.titleX, 9, left.title, 11, "muted")] : [];
  if (!choice.whole || rails.mesh) return marks;
  const y = top - (ask.motion === "gather" ? 26 : 10);
  const common = columns.groups.map((g, i): Mark => {
    const words = sameOf(ask.trace, g, tile.w + 14);
    return label((columns.x[i] ?? 0) + tile.w / 2, y, words, 11, "ink", { ...BOLD, anchor: "middle" });
  });
  return [...common, ...marks];
}

/** Over the tiles of a permutation: what is sent, and what is held `after`. */
function whenMarks({ ask, fixed: { top }, sizes, own }: Down, after: number): readonly [Mark[], Mark[]] {
  const { x } = sizes.tile.inset;
  const future = ask.trace.end(ask.step) === "start" && ask.trace.transfer(ask.step)?.future;
  const [when, { name }] = future ? [": no values yet", future] : [" after", ask.output];
  const given = fitName(name, 76, 12, true);
  const then = after + x + textWidth(given + when, 11) <= ask.width ? when : "";
  return [
    [label((own[0]?.box.x ?? 0) + x, top - 8, `${fitName(ask.input.name, 90, 11)} before`, 11, "muted")],
    [label(after + x, top - 8, given + then, 11, "muted")],
  ];
}

/** The same tile elsewhere. */
function shifted(tile: Tile, dx: number): Tile {
  const move = (b: Box) => ({ ...b, x: b.x + dx });
  return { ...tile, box: move(tile.box), places: tile.places.map((at) => ({ ...at, box: move(at.box) })) };
}
