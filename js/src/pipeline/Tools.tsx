/** Play, zoom, the critical path, and what may be changed to see what it gains. */

import { PlayButton } from "../card/Buttons";
import { ratioOf, recipeOf, type ScheduleModel } from "./model/schedule";
import { short } from "./model/words";
import type { PipelineState } from "./state";

export function Tools({ state, models }: { state: PipelineState; models: readonly ScheduleModel[] }) {
  const { span, critical, changes, schedules, moment, stepped, steps } = state.now;
  const [first] = models;
  if (!first) return null;
  const own = schedules.map(recipeOf).find((r) => r !== null);
  const trains = models.some((m) => m.trains);
  const microbatches = changes.microbatches ?? first.tasks.microbatches;
  const changed = Object.values(changes).some((value) => value !== null);
  return (
    <div class="tools">
      <PlayButton state={state} />
      <span class="mono moment">t = {short(moment, 1)}</span>
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
          value={changes.ratio ?? ratioOf(first.durations)}
          said={short(changes.ratio ?? ratioOf(first.durations))}
          min={0.5}
          max={4}
          step={0.25}
          set={(value) => state.change({ ratio: value })}
        />
      )}
      {first.tasks.ranks > 1 && (
        <Slider
          text="a send"
          value={first.durations.communication / (first.durations.forward[0] || 1)}
          said={`${short(first.durations.communication / (first.durations.forward[0] || 1))} F`}
          min={0}
          max={2}
          step={0.1}
          set={(value) => state.change({ communication: value })}
        />
      )}
      <button
        type="button"
        class="reset"
        disabled={!changed}
        onClick={() => state.change({ microbatches: null, ratio: null, communication: null })}
      >
        reset
      </button>
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
        <button
          type="button"
          aria-label="zoom out"
          title="zoom out (−)"
          disabled={!span}
          onClick={() => state.zoom(0.5)}
        >
          −
        </button>
        <button type="button" aria-label="zoom in" title="zoom in (+)" onClick={() => state.zoom(2)}>
          +
        </button>
      </span>
    </div>
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
