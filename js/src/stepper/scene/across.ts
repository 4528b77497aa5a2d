/** A collective whose groups run across the mesh: all hold their additions below their tiles, or the picked one alone. */

import { type Box, label } from "../../draw/marks";
import { fitName, textWidth } from "../../draw/measure";
import { gathers } from "../model/semantics";
import { type Ask, adds, pieceFace, stripped, stripVariable, tileFace } from "./ask";
import { railAcross, railDown, railRoom } from "./axes";
import { cellOf, FONTS, GROWTH, shownPart, TAG } from "./cells";
import { LINE } from "./downrows";
import { titleOf } from "./map";
import { type Lane, PLAIN, type Stage, type Tile } from "./stage";

interface Row {
  rows: number;
  pad: number;
  gap: number;
  lane: number;
  /** Whether every group holds its addition. */
  open: boolean;
}

/** All groups are open before rows of a block are left out. */
function rowsIn({ trace, c }: Ask): readonly Row[] {
  const several = trace.groups(c).length > 1;
  return ROWS.flatMap((row) => [...(several ? [{ ...row, open: true }] : []), { ...row, open: false }]);
}

const ROWS: readonly Omit<Row, "open">[] = [
  { rows: 4, pad: 7, gap: 12, lane: 36 },
  { rows: 3, pad: 7, gap: 12, lane: 36 },
  { rows: 2, pad: 7, gap: 12, lane: 36 },
  { rows: 2, pad: 5, gap: 10, lane: 34 },
  { rows: 1, pad: 10, gap: 12, lane: 36 },
  { rows: 1, pad: 5, gap: 10, lane: 34 },
];
const CELL = 20;
const TOP = 40;
/** Height of an id over its block. */
const HEAD = 15;
/** Between columns: for the sign between two tiles, and margins of a tile; at last, ids over blocks and the sum under its terms. */
const TIGHT = [
  { gap: 54, pad: 12, coordinates: true, under: false },
  { gap: 34, pad: 8, coordinates: true, under: false },
  { gap: 26, pad: 5, coordinates: false, under: false },
  { gap: 26, pad: 4, coordinates: true, under: true },
] as const;
/** Room for the words that say which group is open, and for its buttons. */
const PAGER = 140;

/** The stage of a meaning whose groups are the rows of a mesh; null where it is too wide or too high. */
export function acrossStage(ask: Ask): Stage | null {
  const most = acrossHeight(ask);
  for (const row of most > 0 ? rowsIn(ask) : []) {
    for (const tight of TIGHT) {
      for (const font of FONTS) {
        for (const grow of tight === TIGHT[0] && font === FONTS[0] ? GROWTH : [0]) {
          const stage = place(ask, row, tight, font, grow);
          if (stage && stage.width <= ask.width && stage.height <= most) return { ...stage, width: ask.width };
        }
      }
    }
  }
  return null;
}

/** How high it may be at any width; 0 where it is never drawn so. */
export function acrossHeight(ask: Ask): number {
  if (!wholeMesh(ask)) return 0;
  for (const row of rowsIn(ask)) {
    const stage = place(ask, row, TIGHT[0], FONTS[0], 0);
    if (stage && stage.height <= ask.room) return stage.height;
  }
  return 0;
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

function place(ask: Ask, row: Row, tight: (typeof TIGHT)[number], font: number, grow: number): Stage | null {
  const { trace, c, group, receiver } = ask;
  const { mesh } = trace;
  const [down = 1, across = 1] = mesh.meshShape;
  const cell = cellOf(ask, font) + grow;
  const face = tileFace(ask, [row.rows, 4096]);
  if (face.rows < row.rows) return null;
  const piece = pieceFace(ask, face);
  const block = { w: face.columns * cell, h: row.rows * CELL };
  const slot = { w: piece.columns * cell, h: piece.rows * CELL };
  const { under } = tight;
  const coordinates = tight.coordinates && (under || row.rows > 1);
  const id = Math.max(
    TAG.w,
    textWidth(String(Math.max(...mesh.ids)), 12, true),
    coordinates ? textWidth(`(${down - 1},${across - 1})`, 10, true) : 0,
  );
  const inset = tight.pad + (under ? 0 : id + 8);
  const head = under ? HEAD : 0;
  const tileW = inset + block.w + tight.pad;
  const tileH = head + row.rows * CELL + 2 * row.pad;
  const total = adds(ask);
  const name = `${fitName(ask.output.name, 60, 11)} on device ${mesh.ids[group[receiver] ?? 0] ?? 0}`;
  // The words over the result are as wide as the result, at least.
  const resultW = total && !under ? Math.max(slot.w, textWidth(name, 11)) + 38 : 0;
  const left = railRoom(mesh, 0) + 2;
  const picked = trace.groups(c).indexOf(group);
  const opened = row.lane + slot.h + 12 + (total && under ? slot.h + 14 : 0);
  const { open } = row;
  const top = (y: number) => TOP + y * (tileH + row.gap) + (open ? y : y > picked ? 1 : 0) * opened;
  const columnX = Array.from({ length: across }, (_, i) => left + (under ? 16 : 0) + i * (tileW + tight.gap));
  const tiles: Tile[] = [];
  const groups = trace.groups(c);
  groups.forEach((g, y) => {
    g.forEach((p, x) => {
      const box: Box = { x: columnX[x] ?? 0, y: top(y), w: tileW, h: tileH };
      const places = [
        {
          v: stripVariable(ask, false),
          box: { x: box.x + inset, y: box.y + head + row.pad, ...block },
          face,
          room: 0,
        },
      ];
      tiles.push({ members: [p], box, places, id: under ? "above" : "beside", coordinates });
    });
  });
  const own = tiles.filter((t) => group.includes(t.members[0] ?? -1));
  const slotY = top(picked) + tileH + row.lane;
  const lanes: Lane[] = own.map((tile, i) => {
    // A piece hangs under the chunk that it is, so that its lane is straight.
    const x = tile.box.x + inset + (stripped(ask) && !gathers(c) ? (block.w * receiver) / ask.plan.n : 0);
    const at = gathers(c) ? tile.box.x + inset + (block.w * i) / ask.plan.n : x;
    const previous = own[i - 1]?.box;
    return {
      members: tile.members,
      rank: i,
      tile,
      slot: { x: at, y: slotY, ...slot },
      tag: under
        ? { x: at, y: slotY - TAG.h - 3, ...TAG }
        : { x: at - TAG.w - 5, y: slotY + slot.h - TAG.h - 1, ...TAG },
      sign: total && previous ? [tile.box.x - tight.gap / 2, slotY + slot.h / 2] : null,
    };
  });
  const right = (columnX.at(-1) ?? 0) + tileW;
  // Under the first term, whoever receives: which one is looked at moves nothing.
  const [resultX, resultY] = under ? [lanes[0]?.slot.x ?? 0, slotY + slot.h + 14] : [right + 34, slotY];
  const headerX = resultX + (under ? slot.w + 10 : 0);
  const pad = Math.min(6, row.gap / 2);
  const last = top(down - 1) + tileH + (open || picked === down - 1 ? opened : 0);
  const width = right + resultW + 8;
  const frames = groups.map((g, y) => {
    const adding = open || y === picked;
    const box = {
      x: left - pad - 2,
      y: top(y) - pad,
      w: right - left + 2 * pad + 4 + (adding && total ? resultW + 4 : 0),
      h: tileH + 2 * pad + (adding ? opened - pad : 0),
    };
    return { group: g, box, picked: adding && !open };
  });
  const height = Math.ceil(last + pad + LINE + 2);
  // Where one is open, the corner beside the rail says which, and goes to the others.
  const corner = { x: right + 12, width: ask.width - right - 12 };
  const title = open || corner.width < PAGER ? "" : titleOf(ask, corner.width);
  const rows = groups.map((_, y) => [top(y), tileH, String(y)] as const);
  const hidden = face.columns < face.of[1] || face.rows < face.of[0];
  return {
    ...PLAIN,
    motion: "gather",
    run: "across",
    font,
    tiles,
    fixed: [
      ...railDown(mesh, 0, left - 4, rows),
      ...railAcross(
        mesh,
        1,
        TOP - 6,
        columnX.map((x) => [x, tileW] as const),
      ),
      ...(title ? [label(corner.x, 12, title, 11, "muted")] : []),
    ],
    frames,
    signs: groups.flatMap((_, y) => columnX.slice(1).map((x) => [x - tight.gap / 2, top(y) + tileH / 2] as const)),
    group,
    lanes,
    receiver,
    piece,
    result: total
      ? {
          box: { x: resultX, y: resultY, ...slot },
          face: piece,
          name: [resultX, resultY - 8],
          sign: [resultX - 16, resultY + slot.h / 2],
          rule: { x: resultX - 24, y: resultY - 7, w: under ? slot.w + 28 : 0, h: 0 },
        }
      : null,
    header: total ? { x: headerX, y: resultY + (under ? 9 : -22), lines: 2, width: width - headerX } : null,
    face,
    after: {
      v: stripped(ask) ? stripVariable(ask, true) : ask.output,
      face: tileFace(ask, [row.rows, face.columns], true),
    },
    chunks: stripped(ask) ? ask.plan.n : 1,
    open,
    pager: title ? corner.x + textWidth(title, 11) + 6 : null,
    line: { x: left - 2, y: height - LINE + 20, width: ask.width - left },
    note: hidden ? shownPart(ask, face) : "",
    width,
    height,
  };
}
