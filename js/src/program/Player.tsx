/** Play, the scrubber with its rounds, and the algorithms. */

import { PlayButton } from "../card/Buttons";
import { Segments } from "../card/Tools";
import { ALGORITHMS, NOT_FOR } from "../collective/model/algorithm";
import { LARGEST } from "./model/program";
import type { CollectiveView } from "./scene/collective/view";
import type { ProgramState } from "./state";

/** By which keys move the scrubber. */
const SCRUB: Readonly<Record<string, number>> = {
  ArrowLeft: -0.05,
  ArrowDown: -0.05,
  ArrowRight: 0.05,
  ArrowUp: 0.05,
  PageDown: -0.25,
  PageUp: 0.25,
};

export function Player({ state, view }: { state: ProgramState; view: CollectiveView }) {
  const { phase, algorithm } = state.now;
  const { c, model } = view;
  if (!c) return null;
  const plans = model.plans(c);
  const plan = model.plan(c, algorithm);
  if (!plan) {
    const why = c.group_size > LARGEST ? `groups of ${c.group_size} are too large to play` : "nothing to play";
    return <p class="soft player">{why}</p>;
  }
  const rounds = plan.rounds.length;
  return (
    <div class="player">
      <PlayButton state={state} />
      <div class="scrubber">
        <div class="track" aria-hidden="true">
          <span class="past" style={{ width: `${100 * phase}%` }} />
          {Array.from({ length: Math.min(rounds, 40) - 1 }, (_, k) => (
            <i style={{ left: `${(90 * (k + 1)) / rounds}%` }} key={k} />
          ))}
        </div>
        <input
          type="range"
          min={0}
          max={1}
          step="any"
          value={phase}
          aria-label="moment"
          aria-valuetext={`round ${Math.min(rounds, view.round + 1)} of ${rounds}`}
          onInput={(event) => state.scrub(event.currentTarget.valueAsNumber)}
          onKeyDown={(event) => {
            const by = SCRUB[event.key];
            const to = { Home: 0, End: 1 }[event.key] ?? (by === undefined ? undefined : phase + by);
            if (to === undefined) return;
            event.preventDefault();
            event.stopPropagation();
            state.scrub(to);
          }}
        />
      </div>
      <Segments
        legend="algorithm"
        of={ALGORITHMS.map((name) => {
          const applies = plans.some((p) => p.algorithm === name);
          const title = applies ? `${name} (a: next algorithm)` : NOT_FOR[name];
          return [name, name, { disabled: !applies, title }];
        })}
        value={plan.algorithm}
        choose={(name) => state.setAlgorithm(name)}
      />
    </div>
  );
}
