/** A collective whose picked group runs down: members under one another, what they send and receive at the right. */
import type { Ask } from "./ask";
import { bareChoices, choicesOf } from "./downchoices";
import { placeDown } from "./downplace";
import { fixedOf, mapOver } from "./downrows";
import type { Stage } from "./stage";

/** The stage of the best choice that fits the width. */
export function downStage(ask: Ask): Stage {
  const over = mapOver(ask);
  const fixed = fixedOf(ask, over);
  const whole = over ? fixedOf(ask, false) : fixed;
  for (const choice of choicesOf(ask)) {
    const stage = placeDown(ask, choice.whole ? whole : fixed, choice);
    if (stage.width <= ask.width) return { ...stage, width: ask.width };
  }
  const bare = bareChoices(ask).map((choice) => placeDown(ask, fixed, choice));
  return { ...((bare.find((stage) => stage.width <= ask.width) ?? bare.at(-1)) as Stage), width: ask.width };
}
