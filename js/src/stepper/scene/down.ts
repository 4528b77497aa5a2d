/** A collective whose picked group runs down: members under one another, what they send and receive at the right. */
import { exchanges } from "../model/semantics";
import { type Ask, adds, gridOf } from "./ask";
import { bareChoices, type Choice, choicesOf } from "./downchoices";
import { placeDown } from "./downplace";
import { fixedOf, LINE, mapOver, stretched } from "./downrows";
import { sizesOf } from "./downsizes";
import type { Stage } from "./stage";

/** By how much the ways of pieces are longer where there is width. */
const LONGER = 180;

/** The stage of the best choice that fits the width, as high as others of the program where rows can be higher. */
export function downStage(ask: Ask, height: number): Stage {
  const over = mapOver(ask);
  const fixed = stretched(fixedOf(ask, over), height, ask.least.h);
  const whole = over ? stretched(fixedOf(ask, false), height, ask.least.h) : fixed;
  // Higher rows may need more width: all groups in lower ones come before one group in higher ones.
  const low = fixedOf(ask, false);
  for (const { least, all } of choicesOf(ask)) {
    const every = (least.whole ? [whole, low] : [fixed]).filter((rows) => sizesOf(ask, rows, least).width <= ask.width);
    for (const choice of every.length > 0 ? all() : []) {
      for (const rows of every) {
        const sizes = sizesOf(ask, rows, choice);
        const left = ask.width - sizes.width;
        if (left < 0) continue;
        // Columns stand apart, so that copies that go round the end of one have room.
        const { x } = sizes.columns;
        const apart = Math.min(30, left / x.length);
        const columns = { ...sizes.columns, x: x.map((at, i) => at + i * apart) };
        // The ways of a permutation are as long as there is width; those of pieces are longer.
        const lane =
          choice.tight.lane +
          (exchanges(ask.c) && ask.motion === "gather" && !choice.whole ? Math.min(LONGER, left) : 0);
        return placeDown(
          ask,
          rows,
          { ...choice, tight: { ...choice.tight, lane } },
          { ...sizes, columns },
          Math.min(400, left),
        );
      }
    }
  }
  const bare = bareChoices(ask);
  const choice = bare.find((one) => sizesOf(ask, fixed, one).width <= ask.width) ?? (bare.at(-1) as Choice);
  return placeDown(ask, fixed, choice, sizesOf(ask, fixed, choice));
}

/** The stage in tiles that stand where others of the program do; null where it has no room there. */
export function inHome(ask: Ask, home: Stage): Stage | null {
  const at = gridOf(home);
  const free = { ...ask, least: { w: 0, h: 0 } };
  const low = fixedOf(free, false);
  const [top = 0] = at.y;
  if (ask.motion !== "gather" || home.large) return null;
  // The sum stands under the last tile.
  const under = home.height - LINE - (at.y.at(-1) ?? 0) - at.h - 20;
  const high = adds(ask) ? Math.min(at.h - 2, under) : at.h - 2;
  if (high < 14) return null;
  const rows = Math.max(1, Math.min(low.row.rows, Math.floor(high / 16)));
  const row = { rows, cell: Math.floor(Math.min(20, high / rows)), pad: 1, gap: at.pitch - at.h };
  for (const choice of [...[...choicesOf(ask)].flatMap(({ all }) => all()), ...bareChoices(ask)]) {
    if (!choice.whole && ask.trace.mesh.axes.length > 1) continue;
    const sizes = sizesOf(free, { ...low, row }, choice);
    const { tile, side } = sizes;
    const right = (at.x.at(-1) ?? 0) + at.w;
    if (tile.w > at.w || tile.h > at.h || right + side.w > ask.width) continue;
    const placed = {
      ...sizes,
      tile: { ...tile, w: at.w, h: at.h },
      columns: { ...sizes.columns, x: at.x },
      left: { ...sizes.left, x: at.x[0] ?? 0 },
    };
    return placeDown(ask, { ...low, row, top, height: home.height }, choice, placed, 0, home);
  }
  return null;
}
