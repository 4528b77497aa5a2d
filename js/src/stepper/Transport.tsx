/** First, back, play, forward, last; the scrubber with its collectives; speed; what is skipped; algorithm. */

import { Buttons } from "../card/Buttons";
import { ALGORITHMS, type Algorithm, notFor } from "../collective/model/algorithm";
import { axisKind, inkKind } from "./kind";
import { phaseOf, position } from "./model/timeline";
import { primitiveName, type TraceModel } from "./model/trace";
import { NARROW } from "./sizes";
import type { StepperState } from "./state";

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

export function Transport({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const { playing, moment, speed, algorithm } = state.now;
  const sends = trace.steps.some((s) => trace.communicates(s));
  const total = trace.steps.length;
  const at = position(moment);
  const step = state.step();
  const c = trace.sends(step);
  // The middle of the step, as far as its name stays over the track.
  const named = (100 * (moment.step + 0.5)) / total;
  return (
    <div class="transport">
      <Buttons state={state} of="step" last={total - 1} />
      <div class="scrubber">
        <div class="track" aria-hidden="true">
          <span class="past" style={{ width: `${(100 * at) / total}%` }} />
          {total <= 24 && <span class="marks" style={{ backgroundSize: `${100 / total}% 100%` }} />}
          {trace.steps.map((s, i) => {
            if (!trace.communicates(s)) return null;
            const times = i === moment.step ? trace.times(s, algorithm) : null;
            const ticks = times && times.rounds > 1 && times.rounds <= 32 ? times.rounds : 1;
            return (
              <span
                class={`region ${axisKind(trace, s)} ${i === moment.step ? "here" : ""}`}
                style={{ left: `${(100 * i) / total}%`, width: `${100 / total}%` }}
                key={i}
              >
                {times &&
                  Array.from({ length: ticks - 1 }, (_, k) => (
                    <i style={{ left: `${100 * phaseOf(times, k + 1)}%` }} key={k} />
                  ))}
              </span>
            );
          })}
        </div>
        {c && (
          <span
            class={`named mono ${inkKind(axisKind(trace, step))}`}
            style={{ left: `${named}%`, transform: `translateX(-${named}%)` }}
            aria-hidden="true"
          >
            {step && primitiveName(step)} {c.axes.join(", ")}
          </span>
        )}
        <input
          type="range"
          min={0}
          max={total}
          step="any"
          value={at}
          aria-label="step"
          aria-valuetext={`step ${moment.step + 1} of ${total}: ${step ? primitiveName(step) : ""}`}
          onInput={(event) => state.scrub(event.currentTarget.valueAsNumber)}
          onKeyDown={(event) => {
            const by = SCRUB[event.key];
            if (by === undefined) return;
            event.preventDefault();
            state.scrub(at + by);
          }}
        />
      </div>
      <span class="count mono">
        {moment.step + 1}/{total}
      </span>
      <label>
        <span class="hidden">speed</span>
        <select
          value={String(speed)}
          title="speed; reading: each step lasts as long as its sentence takes to read"
          onChange={({ currentTarget: { value } }) =>
            state.set({ speed: value === "reading" ? "reading" : Number(value) })
          }
        >
          {SPEEDS.map((s) => (
            <option value={s} key={s}>
              {s}×
            </option>
          ))}
          <option value="reading">reading</option>
        </select>
      </label>
      {sends && (
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
      )}
      {sends && <Algorithms state={state} trace={trace} />}
      <button
        type="button"
        class="keys"
        aria-label="keys"
        aria-expanded={state.now.help}
        title="keys (?)"
        onClick={() => state.toggleHelp()}
      >
        ?
      </button>
      <div class="hidden" aria-live="polite">
        {playing ? "" : `step ${moment.step + 1}: ${step ? primitiveName(step) : ""}. ${step?.sentence ?? ""}`}
      </div>
    </div>
  );
}

/** What a collective is played as: its meaning, a ring, and others in a menu. */
function Algorithms({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const { algorithm, width } = state.now;
  const step = state.step();
  const plans = step ? trace.plans(step) : [];
  const applies = (name: Algorithm) => plans.length === 0 || plans.some((p) => p.algorithm === name);
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
          title={applies(name) ? `${name} (a: next algorithm)` : notFor(name)}
          onClick={() => state.setAlgorithm(name)}
          key={name}
        >
          {name}
        </button>
      ))}
      <select
        class={more.includes(algorithm) ? "chosen" : ""}
        aria-label={shown.length > 0 ? "more algorithms" : "algorithm"}
        value={more.includes(algorithm) ? algorithm : ""}
        onChange={({ currentTarget: { value } }) => value && state.setAlgorithm(value as Algorithm)}
      >
        {shown.length > 0 && <option value="">more</option>}
        {more.map((name) => (
          <option value={name} disabled={!applies(name)} title={applies(name) ? "" : notFor(name)} key={name}>
            {name}
          </option>
        ))}
      </select>
    </fieldset>
  );
}
