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
        // The ways of a permutation are as long as there is width; those of pieces are longer.
        const lane =
          choice.tight.lane +
          (exchanges(ask.c) && ask.motion === "gather" && !choice.whole ? Math.min(LONGER, left) : 0);
        return placeDown(ask, rows, { ...choice, tight: { ...choice.tight, lane } }, sizes, Math.min(400, left));
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
  const low = fixedOf({ ...ask, least: { w: 0, h: 0 } }, false);
  const [first = 0] = at.y;
  if (ask.motion !== "gather" || home.large || at.y.some((y, i) => y !== first + i * at.pitch)) return null;
  for (const choice of [...choicesOf(ask)].flatMap(({ all }) => all())) {
    if ((!choice.whole && ask.trace.mesh.axes.length > 1) || choice.columns < 64) break;
    const sizes = sizesOf({ ...ask, least: { w: 0, h: 0 } }, low, choice);
    const { tile, side } = sizes;
    const right = (at.x.at(-1) ?? 0) + at.w;
    if (tile.w > at.w || tile.h > at.h || right + side.w > ask.width) continue;
    const bottom = (at.y.at(-1) ?? 0) + at.h + (adds(ask) ? 12 + tile.block.h + 8 : 0);
    if (bottom + LINE > home.height) return null;
    const row = { ...low.row, gap: at.pitch - at.h };
    const inset = { ...tile.inset, y: (at.h - tile.block.h) / 2 };
    const placed = {
      ...sizes,
      tile: { ...tile, w: at.w, h: at.h, inset },
      columns: { ...sizes.columns, x: at.x },
      left: { ...sizes.left, x: at.x[0] ?? 0 },
    };
    const stage = placeDown(ask, { ...low, row, top: first, height: home.height }, choice, placed);
    return { ...stage, rails: home.rails };
  }
  return null;
}
