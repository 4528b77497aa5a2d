/** Chunks one after another, how fast they play, the threshold that makes them, and what is shown. */

import { Buttons } from "../card/Buttons";
import { Segments, Select } from "../card/Tools";
import { bytes } from "../core/format";
import type { ReshardState, Shown } from "./state";

const SPEEDS = [0.25, 0.5, 1, 2, 4] as const;
/** Places of the slider. */
const PLACES = 240;

export function Transport({ state, shown }: { state: ReshardState; shown: Shown }) {
  const { model, chunk, flows } = shown;
  const { speed, threshold } = state.now;
  const scale = state.scale();
  const last = model.chunks - 1;
  return (
    <div class="tools transport">
      <Buttons state={state} of="chunk" last={last} />
      <input
        class="chunks"
        type="range"
        min={0}
        max={last}
        step={1}
        value={chunk}
        disabled={last === 0}
        aria-label="chunk"
        aria-valuetext={`chunk ${chunk + 1} of ${model.chunks}`}
        onInput={(event) => state.jump(event.currentTarget.valueAsNumber)}
      />
      <span class="count mono">{`chunk ${chunk + 1}/${model.chunks}`}</span>
      <label>
        <span class="hidden">speed</span>
        <Select
          title="speed"
          of={SPEEDS.map((s) => [s, `${s}×`])}
          value={speed}
          choose={(chosen) => state.set({ speed: chosen })}
        />
      </label>
      {scale?.slides && (
        <span class="group limit">
          <label class="slider">
            threshold
            <input
              type="range"
              min={0}
              max={PLACES}
              step={1}
              value={Math.round(PLACES * scale.place(model.threshold))}
              aria-valuetext={`${bytes(model.threshold)}: ${model.chunks} chunks, ${bytes(model.peak.bytes)} on a device at most`}
              onInput={(event) => state.change(scale.threshold(event.currentTarget.valueAsNumber / PLACES))}
            />
            <output class="mono">{bytes(model.threshold)}</output>
          </label>
          <button type="button" disabled={threshold === null} onClick={() => state.change(null)}>
            reset
          </button>
        </span>
      )}
      {state.twoPages() && (
        <Segments
          legend="what is shown"
          of={[["flows"], ["peak"]]}
          value={flows ? "flows" : "peak"}
          choose={(page) => state.turn(page)}
        />
      )}
    </div>
  );
}
