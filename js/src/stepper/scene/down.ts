/** A collective whose picked group runs down: members under one another, what they send and receive at the right. */
import type { Ask } from "./ask";
import { bareChoices, choicesOf } from "./downchoices";
import { placeDown } from "./downplace";
import { fixedOf, mapOver, stretched } from "./downrows";
import { sizesOf } from "./downsizes";
import type { Stage } from "./stage";

/** The stage of the best choice that fits the width, as high as others of the program where rows can be higher. */
export function downStage(ask: Ask, height: number): Stage {
  const over = mapOver(ask);
  const fixed = stretched(fixedOf(ask, over), height, ask.least.h);
  const whole = over ? stretched(fixedOf(ask, false), height, ask.least.h) : fixed;
  // Higher rows may need more width: all groups in lower ones come before one group in higher ones.
  const low = fixedOf(ask, false);
  for (const choice of choicesOf(ask)) {
    for (const rows of choice.whole ? [whole, low] : [fixed]) {
      const sizes = sizesOf(ask, rows, choice);
      const left = ask.width - sizes.width;
      // The ways of a permutation are as long as there is width.
      if (left >= 0) return placeDown(ask, rows, choice, sizes, Math.min(400, left));
    }
  }
  const bare = bareChoices(ask).map((choice) => ({ choice, sizes: sizesOf(ask, fixed, choice) }));
  const { choice, sizes } = bare.find((one) => one.sizes.width <= ask.width) ?? (bare.at(-1) as (typeof bare)[number]);
  return placeDown(ask, fixed, choice, sizes);
}
