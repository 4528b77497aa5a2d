/** First, back, play, forward, last; the scrubber with its collectives; speed; what is skipped; algorithm. */

import { Buttons } from "../card/Buttons";
import { Select } from "../card/Tools";
import { ALGORITHMS, type Algorithm, NOT_FOR } from "../collective/model/algorithm";
import { axisKind, inkKind } from "./kind";
import { phaseOf, position } from "./model/timeline";
import { primitiveName, type TraceModel } from "./model/trace";
import { Rails } from "./Rails";
import { NARROW } from "./sizes";
import type { StepperState } from "./state";
import { Tabs } from "./Tabs";

const SPEEDS = [0.25, 0.5, 1, 2, 4] as const;

/** Steps by which keys move the scrubber: moments, and whole steps. */
const SCRUB: Readonly<Record<string, number>> = {
  ArrowLeft: -0.05,
  ArrowDown: -0.05,
  ArrowRight: 0.05,
  ArrowUp: 0.05,
  PageDown: -1,
  PageUp: 1,
};

interface Props {
  state: StepperState;
  trace: TraceModel;
}

export function Transport({ state, trace }: Props) {
  const { playing, moment } = state.now;
  const sends = trace.steps.some((s) => trace.communicates(s));
  const total = trace.steps.length;
  const step = state.step();
  return (
    <div class="tools transport">
      <Buttons state={state} of="step" last={total - 1} />
      <Scrubber state={state} trace={trace} />
      <span class="count mono">
        {trace.number(moment.step)}/{trace.number(total - 1)}
      </span>
      <Speed state={state} />
      {sends && <Only state={state} />}
      {sends && <Algorithms state={state} trace={trace} />}
      {state.now.width >= NARROW && <Tabs state={state} trace={trace} />}
      <div class="hidden" aria-live="polite">
        {playing
          ? ""
          : `step ${trace.number(moment.step)}: ${step ? primitiveName(step) : ""}. ${step?.sentence ?? ""}`}
      </div>
    </div>
  );
}

/** All steps in a line, with the collectives that they hold; it goes to any moment. */
function Scrubber({ state, trace }: Props) {
  const { moment } = state.now;
  const total = trace.steps.length;
  const at = position(moment);
  const step = state.step();
  return (
    <div class="scrubber">
      <div class="track" aria-hidden="true">
        <span class="past" style={{ width: `${(100 * at) / total}%` }} />
        {total <= 24 && <span class="marks" style={{ backgroundSize: `${100 / total}% 100%` }} />}
        {trace.steps.map(
          (s, i) =>
            trace.communicates(s) && (
              <span
                class={`region ${axisKind(trace, s)} ${i === moment.step ? "here" : ""}`}
                style={{ left: `${(100 * i) / total}%`, width: `${100 / total}%` }}
                key={i}
              >
                {i === moment.step && <Rounds state={state} trace={trace} />}
              </span>
            ),
        )}
        {trace.transfers.length > 0 && <Rails of={state.now.parts?.lengthsOf(trace)} />}
      </div>
      <Here state={state} trace={trace} />
      <input
        type="range"
        min={0}
        max={total}
        step="any"
        value={at}
        aria-label="step"
        aria-valuetext={`step ${trace.number(moment.step)} of ${trace.number(total - 1)}: ${step ? primitiveName(step) : ""}`}
        onInput={(event) => state.scrub(event.currentTarget.valueAsNumber)}
        onKeyDown={(event) => {
          const by = SCRUB[event.key];
          if (by === undefined) return;
          event.preventDefault();
          state.scrub(at + by);
        }}
      />
    </div>
  );
}

/** Where the rounds of the collective that is shown begin. */
function Rounds({ state, trace }: Props) {
  const step = state.step();
  const times = step && trace.times(step, state.now.algorithm);
  // Of what is started or received, only a part is played.
  if (!times || times.rounds > 32 || trace.end(step)) return null;
  return Array.from({ length: times.rounds - 1 }, (_, k) => (
    <i style={{ left: `${100 * phaseOf(times, k + 1)}%` }} key={k} />
  ));
}

/** The name of the collective that is shown, over the middle of its step as far as it stays over the track. */
function Here({ state, trace }: Props) {
  const step = state.step();
  const c = trace.sends(step);
  if (!step || !c) return null;
  const at = (100 * (state.now.moment.step + 0.5)) / trace.steps.length;
  return (
    <span
      class={`named cut mono ${inkKind(axisKind(trace, step))}`}
      style={{ left: `${at}%`, transform: `translateX(-${at}%)` }}
      aria-hidden="true"
    >
      {primitiveName(step)} {c.axes.join(", ")}
    </span>
  );
}

function Speed({ state }: { state: StepperState }) {
  return (
    <label>
      <span class="hidden">speed</span>
      <Select
        title="speed; reading: each step lasts as long as its sentence takes to read"
        of={[...SPEEDS.map((s) => [s, `${s}×`] as const), ["reading"]]}
        value={state.now.speed}
        choose={(speed) => state.set({ speed })}
      />
    </label>
  );
}

function Only({ state }: { state: StepperState }) {
  return (
    <label class="only" title="skips the steps between collectives">
      <input
        type="checkbox"
        aria-label="collectives only"
        checked={state.now.collectives}
        onChange={() => state.set({ collectives: !state.now.collectives })}
      />
      <span>
        collectives<i> only</i>
      </span>
    </label>
  );
}

/** What a collective is played as: its meaning, a ring, and others in a menu. */
function Algorithms({ state, trace }: Props) {
  const { algorithm, width } = state.now;
  const step = state.step();
  const plans = step ? trace.plans(step) : [];
  const applies = (name: Algorithm) => plans.length === 0 || plans.some((p) => p.algorithm === name);
  const choice = (name: Algorithm) =>
    [name, name, { disabled: !applies(name), title: applies(name) ? "" : NOT_FOR[name] }] as const;
  const shown = width < NARROW ? [] : ALGORITHMS.slice(0, 2);
  const more = ALGORITHMS.filter((name) => !shown.includes(name));
  return (
    <fieldset class="segments">
      <legend>algorithm</legend>
      {shown.map((name) => (
        <button
          type="button"
          aria-pressed={algorithm === name}
          disabled={!applies(name)}
          title={applies(name) ? `${name} (a: next algorithm)` : NOT_FOR[name]}
          onClick={() => state.setAlgorithm(name)}
          key={name}
        >
          {name}
        </button>
      ))}
      <Select
        class={more.includes(algorithm) ? "chosen" : ""}
        aria-label={shown.length > 0 ? "more algorithms" : "algorithm"}
        of={[...(shown.length > 0 ? [["", "more"] as const] : []), ...more.map(choice)]}
        value={more.includes(algorithm) ? algorithm : ""}
        choose={(name) => name && state.setAlgorithm(name)}
      />
    </fieldset>
  );
}
