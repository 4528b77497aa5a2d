/** Play, zoom, the critical path, and what may be changed to see what it gains. */

import { PlayButton } from "../card/Buttons";
import { ratioOf, recipeOf, type ScheduleModel } from "./model/schedule";
import { short } from "./model/words";
import type { PipelineState } from "./state";

export function Tools({ state, models }: { state: PipelineState; models: readonly ScheduleModel[] }) {
  const { changes, moment } = state.now;
  const [first] = models;
  if (!first) return null;
  const changed = Object.values(changes).some((value) => value !== null);
  return (
    <div class="tools">
      <PlayButton state={state} />
      <span class="mono moment">t = {short(moment, 1)}</span>
      <Changes state={state} first={first} trains={models.some((m) => m.trains)} />
      <button
        type="button"
        class="reset"
        disabled={!changed}
        onClick={() => state.change({ microbatches: null, ratio: null, communication: null })}
      >
        reset
      </button>
      <Views state={state} />
    </div>
  );
}

/** What may be changed. */
function Changes({ state, first, trains }: { state: PipelineState; first: ScheduleModel; trains: boolean }) {
  const { changes, schedules } = state.now;
  const own = schedules.map(recipeOf).find((r) => r !== null);
  const microbatches = changes.microbatches ?? first.tasks.microbatches;
  const ratio = changes.ratio ?? ratioOf(first.durations);
  const send = first.durations.communication / (first.durations.forward[0] || 1);
  return (
    <>
      {own && (
        <Slider
          text="microbatches"
          value={microbatches}
          said={String(microbatches)}
          min={1}
          max={Math.max(32, 2 * own.microbatches)}
          step={1}
          set={(value) => state.change({ microbatches: value })}
        />
      )}
      {trains && (
        <Slider
          text="B ÷ F"
          value={ratio}
          said={short(ratio)}
          min={0.5}
          max={4}
          step={0.25}
          set={(value) => state.change({ ratio: value })}
        />
      )}
      {first.tasks.ranks > 1 && (
        <Slider
          text="a send"
          value={send}
          said={`${short(send)} F`}
          min={0}
          max={2}
          step={0.1}
          set={(value) => state.change({ communication: value })}
        />
      )}
    </>
  );
}

/** What is shown of it. */
function Views({ state }: { state: PipelineState }) {
  const { span, critical, stepped, steps } = state.now;
  return (
    <span class="end">
      {stepped && (
        <button
          type="button"
          aria-pressed={steps !== null}
          title="what the function does at this tick (Enter)"
          onClick={() => state.toggleSteps()}
        >
          its steps
        </button>
      )}
      <button
        type="button"
        aria-pressed={critical}
        title="critical path (c)"
        onClick={() => state.set({ critical: !critical })}
      >
        critical path
      </button>
      <button type="button" aria-label="zoom out" title="zoom out (−)" disabled={!span} onClick={() => state.zoom(0.5)}>
        −
      </button>
      <button type="button" aria-label="zoom in" title="zoom in (+)" onClick={() => state.zoom(2)}>
        +
      </button>
    </span>
  );
}

interface Sliding {
  text: string;
  value: number;
  said: string;
  min: number;
  max: number;
  step: number;
  set: (value: number) => void;
}

function Slider({ text, value, said, min, max, step, set }: Sliding) {
  return (
    <label class="slider">
      {text}
      <input
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={said}
        onInput={(event) => set(event.currentTarget.valueAsNumber)}
      />
      <output class="mono">{said}</output>
    </label>
  );
}
