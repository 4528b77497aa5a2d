/** A collective whose picked group runs down: members under one another, what they send and receive at the right. */
import { exchanges } from "../model/semantics";
import { type Ask, adds, chunksOf, gridOf, groupsOf, tileFace, wraps } from "./ask";
import { cellOf, FONTS } from "./cells";
import { bareChoices, type Choice, choicesOf } from "./downchoices";
import { placeDown } from "./downplace";
import { type Fixed, fixedOf, LINE, mapOver, stretched } from "./downrows";
import { COLUMN_GAP, type Sizes, sizesOf } from "./downsizes";
import { HEAD, type Stage } from "./stage";

/** By how much the ways of pieces are longer where there is width. */
const LONGER = 320;

/** The stage of the best choice that fits the width, as high as others of the program where rows can be higher. */
export function downStage(ask: Ask, height: number): Stage {
  const over = mapOver(ask);
  const between = ringsOf(ask).length > 0 && !exchanges(ask.c);
  const higher = (rows: Fixed) => {
    const { rows: n, cell, pad } = rows.row;
    // Tiles in which all steps stand give nothing to copies between them.
    return stretched(rows, height, Math.max(ask.least.h, ask.mixed ? n * cell + 2 * pad : 0), between);
  };
  const fixed = higher(fixedOf(ask, over));
  const whole = over ? higher(fixedOf(ask, false)) : fixed;
  // Higher rows may need more width: all groups in lower ones come before one group in higher ones.
  const low = fixedOf(ask, false);
  for (const { least, all } of choicesOf(ask)) {
    const room = (rows: Fixed) => ask.width - sizesOf(ask, rows, least).width;
    const every = (least.whole ? [whole, low] : [fixed]).filter((rows) => room(rows) >= 0);
    if (every.length === 0) continue;
    const choices = all().flatMap((choice) => every.map((rows) => ({ choice, rows, sizes: null as Sizes | null })));
    const most = Math.max(...every.map(room)) / (least.whole ? groupsOf(ask).length : 1);
    // Where an addition lies over other columns, so do copies that go round an end.
    for (const end of least.whole && !least.cover
      ? endsOf(ask).filter((room) => least.open || room - COLUMN_GAP <= most)
      : [0]) {
      for (const one of choices) {
        const { choice, rows } = one;
        one.sizes ??= sizesOf(ask, rows, choice);
        const { sizes } = one;
        const left = ask.width - sizes.width;
        const { x } = sizes.columns;
        // Beside additions there is as much room as they have.
        const ends = Math.max(0, end - COLUMN_GAP - (choice.open ? sizes.side.w : 0));
        if (left < ends * x.length) continue;
        // Columns stand apart, so that copies that go round the end of one have room.
        const apart = Math.min(Math.max(30, ends), left / x.length);
        const columns = { ...sizes.columns, x: x.map((at, i) => at + i * apart) };
        // The ways of a permutation are as long as there is width; those of pieces are longer.
        const lane =
          choice.tight.lane +
          (exchanges(ask.c) && ask.motion === "gather" && x.length === 1 ? Math.min(LONGER, left) : 0);
        const [side, longer] = widest(ask, rows, choice, sizes, left);
        return placeDown(
          ask,
          rows,
          { ...choice, tight: { ...choice.tight, lane } },
          { ...sizes, columns, side },
          Math.min(400, longer),
        );
      }
    }
  }
  const bare = bareChoices(ask);
  const choice = bare.find((one) => sizesOf(ask, fixed, one).width <= ask.width) ?? (bare.at(-1) as Choice);
  return placeDown(ask, fixed, choice, sizesOf(ask, fixed, choice));
}

/** Copies of a permutation as wide as their blocks, where there is width for them; what is left of it. */
function widest(ask: Ask, { lanes }: Fixed, { swatch, bare }: Choice, { tile, side }: Sizes, left: number) {
  const more = ask.motion === "permute" && !swatch && bare === 0 ? tile.block.w - side.carried : 0;
  const all = Math.max(1, lanes) * more;
  return all > left ? ([side, left] as const) : ([{ ...side, carried: side.carried + more }, left - all] as const);
}

function ringsOf({ trace, step }: Ask) {
  return trace.plans(step).filter(({ algorithm, n }) => algorithm.endsWith("ring") && n > 2);
}

/** Room between columns where copies go round the ends of rings: with all numbers, two of each row, or one. */
function endsOf(ask: Ask): readonly number[] {
  const lanes = Math.max(0, ...ringsOf(ask).map(wraps));
  if (lanes === 0) return [0];
  const ring = { ...ask, motion: "gutters" as const };
  const columns = tileFace(ring, [1, 4096]).columns / chunksOf(ring);
  const digits = (n: number) => cellOf(ask, FONTS[0], true, n);
  const rooms = [columns * digits(1), columns > 1 ? digits(2) : 0, digits(1)];
  return [...new Set(rooms.map((width) => lanes * (width + 7)))].sort((a, b) => b - a);
}

/** The stage in tiles that stand where others of the program do, with ids where they have them or over blocks; null where it has no room there. */
export function inHome(ask: Ask, home: Stage, above = home.tiles[0]?.id === "above"): Stage | null {
  const at = gridOf(home);
  const free = { ...ask, least: { w: 0, h: 0 } };
  const low = fixedOf(free, false);
  const [top = 0] = at.y;
  if (ask.motion !== "gather") return null;
  // The sum stands under the last tile.
  const under = home.height - LINE - (at.y.at(-1) ?? 0) - at.h - 20;
  const head = above ? HEAD + 1 : 0;
  const high = Math.min(at.h - 2 - head, adds(ask) ? under : Infinity);
  if (high < 14) return null;
  const rows = Math.max(1, Math.min(low.row.rows, Math.floor(high / 16)));
  const row = { rows, cell: Math.floor(Math.min(20, high / rows)), pad: 1, gap: at.pitch - at.h };
  const { axes, size } = ask.trace.mesh;
  const alone = home.tiles.length < size;
  if (alone && axes.length > 1 && home.group.join() !== ask.group.join()) return null;
  for (const choice of [...[...choicesOf(ask)].flatMap(({ all }) => all()), ...bareChoices(ask)]) {
    // A group that is drawn alone stays alone, and a whole mesh whole.
    if (axes.length > 1 && (alone ? choice.whole || choice.map !== (home.map !== null) : !choice.whole)) continue;
    const sizes = sizesOf(free, { ...low, row }, choice);
    const { tile, side } = sizes;
    const right = (at.x.at(choice.cover ? sizes.columns.picked : -1) ?? 0) + at.w;
    if ((above ? tile.block.w + 8 : tile.w) > at.w || tile.h > at.h || right + side.w > ask.width) continue;
    const placed = {
      ...sizes,
      tile: { ...tile, above, w: at.w, h: at.h },
      columns: { ...sizes.columns, x: at.x },
      left: { ...sizes.left, x: at.x[0] ?? 0 },
    };
    return placeDown(ask, { ...low, row, top, height: home.height }, choice, placed, 0, home);
  }
  return above ? null : inHome(ask, home, true);
}
