/** Algorithms that go in rounds, in the tiles in which it is shown what a collective means. */

import { clauses } from "../../core/text";
import { exchanges } from "../model/semantics";
import { type Ask, chunksOf, emptyChunks, lastOf, pieceFace, stripped, stripVariable, tileFace, wraps } from "./ask";
import { cellOf, FONTS, GROWTH, rowIndex, SWATCH, shownPart, TAG } from "./cells";
import type { Face } from "./contents";
import { joined, lanesOf } from "./routes";
import { HEAD, PLAIN, pitchOf, SLIM, type Stage, type Tile } from "./stage";

/** Most members of a ring whose copies go from tile to tile. */
const GUTTERS = 16;
/** Height of a row of a block. */
const CELL = { most: 20, least: 16 };
/** Height of a copy that has room for digits. */
const LOWEST = 11;
/** The stage of an algorithm: what stands in the tiles, and where copies go. */
export function roundsStage(ask: Ask, home: Stage): Stage {
  const { plan, c, group } = ask;
  const own = home.tiles.filter((tile) => tile.members.every((p) => group.includes(p)));
  const rows = own.map(({ members }) => members.map((p) => group.indexOf(p)));
  const ring = plan.algorithm.endsWith("ring") && plan.n <= GUTTERS && rows.length === plan.n;
  const gutters = ring && home.run === "down" && !exchanges(c);
  const asked: Ask = { ...ask, motion: gutters ? "gutters" : "lanes" };
  const blocks = FONTS.map((_, k) => blockOf(asked, own, gutters ? laneIn(asked, home) : null, FONTS.slice(k)));
  // Smaller digits come before copies without any.
  const written = ({ carried }: Pick<Stage, "carried">) => (carried.swatch ? 0 : carried.chunks);
  const best = blocks.map((one) => (one.bare ? 0 : written(copiesIn(asked, home, own, rows, one))));
  const block = blocks[best.indexOf(Math.max(...best))] as Block;
  const { face, width, height, left, top, font, bare, id } = block;
  const v = stripVariable(asked, false);
  const place = ({ box }: Tile) => ({
    x: box.x + left,
    y: box.y + top + (box.h - top - height) / 2,
    w: width,
    h: height,
  });
  const tiles = home.tiles.map((tile) => ({
    ...tile,
    id,
    coordinates: tile.coordinates && id === tile.id,
    places: [{ v, box: place(tile), face, room: 0 }],
  }));
  const seats = tiles.filter(({ members: [p = 0] }) => group.includes(p));
  return {
    ...home,
    ...PLAIN,
    map: home.map,
    grid: home.grid,
    small: home.small,
    large: home.large,
    outer: home.outer,
    // Between two there is no way round an end.
    covered: gutters && plan.n < 3 ? PLAIN.covered : home.covered,
    open: home.open && !gutters,
    pager: home.pager,
    motion: asked.motion,
    font,
    tiles,
    signs: gutters ? [] : home.signs,
    lanes: seats.map((tile, i) => {
      const [rank = 0] = rows[i] ?? [];
      const at = tile.places[0]?.box ?? tile.box;
      return { members: tile.members, rank, tile, slot: at, tag: at, sign: null };
    }),
    piece: pieceFace(asked, face),
    result: null,
    header: null,
    face,
    after: lastOf(asked, [face.rows, face.columns]),
    chunks: chunksOf(asked),
    ...copiesIn(asked, home, own, rows, block),
    note: clauses([shownPart(asked, face), bare ? "point at a cell to read it" : "", emptyChunks(asked)]),
    bare,
    bars: gutters && pitchOf(own) >= SLIM,
    reading: block.reading,
  };
}

/** How the block of a tile stands in it, and how large its cells are. */
interface Block {
  face: Face;
  width: number;
  height: number;
  /** From the corner of a tile to its block, or to the room in the middle of which it stands. */
  left: number;
  top: number;
  font: number;
  bare: boolean;
  reading: Stage["reading"];
  /** Where the id of a tile is. */
  id: Tile["id"];
}

/** Width of what goes round the end of a ring, one way. */
function laneIn({ plan }: Ask, home: Stage): number {
  return gapIn(home) / wraps(plan) - 7;
}

/** Between columns of tiles, and right of the last. */
function gapIn({ tiles, large, room, width, covered }: Stage): number {
  if (room && covered.size > 0) return room.w;
  const end = large && room ? room.x + room.w : width;
  const edges = [...new Set(tiles.map(({ box }) => box.x)), end].sort((a, b) => a - b);
  return Math.min(...edges.slice(1).map((at, i) => at - (edges[i] ?? 0))) - (tiles[0]?.box.w ?? 0);
}

/** As much of a block as a tile has room for. */
function blockOf(ask: Ask, own: readonly Tile[], lane: number | null, fonts: readonly number[]): Block {
  const { id, box } = own[0] as Tile;
  const block = blockIn(ask, own, id, 4, lane, fonts);
  // Under the id there is more width than beside it; but copies that go from tile to tile would pass over it.
  if (!block.bare || ask.motion === "gutters" || box.h < HEAD + CELL.least + 2) return block;
  const under = blockIn(ask, own, "above", 3, lane, fonts);
  return under.bare ? block : under;
}

/** As much of a block as there is room for beside the id, or under it; between two rows of a ring a copy has room, too. */
function blockIn(
  ask: Ask,
  own: readonly Tile[],
  id: Tile["id"],
  edge: number,
  lane: number | null,
  fonts: readonly number[],
): Block {
  const { box, places } = own[0] as Tile;
  const [left, top] = id === "above" ? [edge, HEAD] : [(places[0]?.box.x ?? box.x) - box.x, 0];
  const [w, h] = [box.w - left - edge, box.h - top - 2];
  const pitch = pitchOf(own);
  const high = ask.motion === "gutters" && pitch >= SLIM ? Math.min(h, pitch / 2) : h;
  const n = chunksOf(ask);
  const rows = Math.max(1, Math.min(4, Math.floor(high / CELL.least)));
  const all = tileFace(ask, [rows, 4096]);
  const height = all.rows * Math.floor(Math.min(CELL.most, high / all.rows));
  for (let columns = all.columns / n; columns > 0; columns--)
    for (const font of fonts)
      for (const tight of font === FONTS[2] ? [false, true] : [false]) {
        const face = tileFace(ask, [rows, columns * n]);
        const cell = cellOf(ask, font, tight);
        const width = face.columns * Math.min(cell + GROWTH[0], Math.floor(w / face.columns));
        // Columns that copies have no room for are left out.
        if (lane !== null && columns > 1 && !carries(ask, columns, font, lane) && carries(ask, 1, font, lane)) continue;
        if (width >= face.columns * cell)
          return { face, width, height, left, top, font, bare: false, reading: null, id };
      }
  const font = FONTS[2];
  const [face, cell] = [tileFace(ask, [rows, n]), cellOf(ask, font)];
  const reads = stripped(ask) && w - cell - 8 >= 2 * n;
  const width = reads ? w - cell - 8 : w;
  return {
    face,
    width,
    height,
    left,
    top,
    font,
    bare: true,
    reading: reads ? { x: left + width + 4, w: cell } : null,
    id,
  };
}

/** Whether a copy so wide has room for the numbers of so many columns, at least for the first and the last. */
function carries(ask: Ask, columns: number, font: number, width: number): boolean {
  return width >= Math.min(columns * cellOf(ask, font, true) - 1, columns > 1 ? cellOf(ask, font, true, 2) : Infinity);
}

/** The room beside the tiles, and copies that have room there. */
function copiesIn(ask: Ask, home: Stage, own: readonly Tile[], rows: readonly (readonly number[])[], block: Block) {
  const { plan, motion, trace } = ask;
  const { x, y, w, h } = home.room ?? { x: 0, y: 0, w: 0, h: 0 };
  const rounds = trace.played(plan).rounds.map(joined);
  const columns = block.face.columns / chunksOf(ask);
  const each = block.width / chunksOf(ask);
  // Digits have 3 px at each side at least, however wide the cells of tiles are.
  const needed = columns * cellOf(ask, block.font, true) - 1;
  if (motion === "gutters") {
    const n = wraps(plan);
    // In blocks without numbers a copy is as wide as its number, where it passes none in the next column.
    const numbered = block.bare && n === 1 && block.height >= LOWEST;
    const wide = numbered ? Math.max(each, needed) : each;
    const room = Math.min(gapIn(home), n * Math.max(26, wide + 9));
    const width = Math.max(1, Math.min(wide, room / n - 7));
    return {
      room: { x, y, w: room, h },
      carried: {
        chunks: 1,
        width,
        height: block.height,
        swatch: block.bare ? !numbered || width < needed : width < each && !carries(ask, columns, block.font, width),
        ends: !block.bare && width < Math.min(each, needed),
        tag: 0,
      },
    };
  }
  const chunks = Math.max(1, ...rounds.flatMap((round) => round.map((t) => t.chunks.length)));
  const lanes = Math.max(1, lanesOf(rounds, rowIndex(rows)));
  const down = home.run === "down";
  const tag = down && w / lanes < TAG.w + 16 ? 0 : TAG.w + 4;
  const [most, high] = [(down ? w / lanes : (own[0]?.box.w ?? 0)) - tag - 8, down ? 40 : h / lanes - 5];
  const written = high < LOWEST ? 0 : Math.min(chunks, Math.floor(most / needed));
  const swatch = written === 0;
  const wanted = written * columns * cellOf(ask, block.font);
  const width = swatch ? Math.max(4, Math.min(SWATCH, most)) : Math.min(wanted, most);
  const height = Math.max(4, Math.min(block.height, high));
  const room = { x, y, w: down ? Math.min(w, lanes * (width + tag + 8) + 16) : w, h };
  return { room, carried: { chunks: Math.max(1, written), width, height, swatch, ends: false, tag } };
}
