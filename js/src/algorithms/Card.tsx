/** The card of two algorithms: what is chosen, the clock, the picture, and why one is faster. */

import { PlayButton } from "../card/Buttons";
import { Foot } from "../card/Foot";
import { Head } from "../card/Head";
import { Interconnects } from "../card/Interconnects";
import { Legend } from "../card/Legend";
import { pointOf } from "../card/pointed";
import { Says } from "../card/Says";
import { Segments, Select } from "../card/Tools";
import { bytes, duration } from "../core/format";
import { inside } from "../draw/marks";
import { KEYS } from "./keys";
import { answerOf, sizesText, timesOf } from "./model/algorithms";
import { badgesOf, titleOf } from "./scene/card";
import { SIZES, sizeAt } from "./scene/charts";
import type { AlgorithmsState } from "./state";

const CHARTS = [
  ["traffic", "over time"],
  ["sizes", "over size"],
] as const;

const LEGEND = [
  ["swatch message", "a message, in the colours of its chunks"],
  ["swatch full", "what a device has"],
] as const;

/** Below this width the sentence has lines of its own, and the badges one. */
const NARROW = 556;

export function AlgorithmsCard({ state }: { state: AlgorithmsState }) {
  const courses = state.courses();
  const { doc, nbytes, at, chart, width } = state.now;
  if (!courses || !doc) return null;
  const layout = state.layout();
  const [a, b] = courses;
  const said = courses
    .map((c) => {
      const { round, done } = c.at(at * state.whole);
      return `${c.name}: ${done ? "done" : `round ${round + 1} of ${c.rounds}`}`;
    })
    .join("; ");
  return (
    <div class="algorithms">
      <Head
        name={doc.collective}
        title={titleOf(a, nbytes)}
        badges={badgesOf(courses, width < NARROW)}
        go={(name) => state.seek((name === a.name ? a : b).seconds / state.whole)}
        says={<Says also={sizesText(a, b)}>{answerOf(a, b)}</Says>}
      />
      <Tools state={state} said={said} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the slider of the size does the same by keyboard */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div
        class="picture"
        style={{ height: `${layout.height}px` }}
        onClick={(event) => {
          const [x, y] = pointOf(event);
          const { sizes, traffic } = layout;
          if (sizes && inside(sizes, x, y)) state.resized(sizeAt(x, sizes));
          else if (traffic && inside(traffic, x, y)) state.seek((x - traffic.x) / traffic.w);
        }}
      >
        {!(layout.traffic && layout.sizes) && (
          <div class="charts" style={{ top: `${layout.panels[1].y + layout.panels[1].h + 4}px` }}>
            <Segments legend="chart" of={CHARTS} value={chart} choose={(one) => state.set({ chart: one })} />
          </div>
        )}
        <div aria-hidden="true" ref={state.layer.attach} />
        <p class="hidden">{said}</p>
      </div>
      <Foot keys={KEYS}>
        <Legend of={LEGEND} />
      </Foot>
    </div>
  );
}

/** The clock, the size of a block, the algorithms and the interconnect. `said`: how far each algorithm is. */
function Tools({ state, said }: { state: AlgorithmsState; said: string }) {
  const { doc, nbytes, at, network } = state.now;
  const courses = state.courses();
  if (!doc || !courses) return null;
  const time = timesOf(courses)(at * state.whole);
  return (
    <div class="tools">
      <PlayButton state={state} keys="Space; round by round , ." />
      <label class="time">
        <span class="mono">{time}</span>
        <input
          type="range"
          min={0}
          max={1}
          step="any"
          value={at}
          aria-label="time"
          aria-valuetext={`${time}; ${said}`}
          onInput={(event) => state.seek(event.currentTarget.valueAsNumber)}
        />
      </label>
      <label class="size">
        <span>block</span>
        <input
          type="range"
          min={SIZES[0]}
          max={SIZES[1]}
          step={1}
          value={Math.log2(nbytes)}
          aria-label="bytes of a block"
          aria-valuetext={bytes(nbytes)}
          onInput={(event) => state.resized(2 ** Math.round(event.currentTarget.valueAsNumber))}
        />
        <b class="mono">{bytes(nbytes)}</b>
      </label>
      <span class="group end" title={`estimate: ${duration(doc.start)} to start a message`}>
        <Choice state={state} which={0} />
        vs
        <Choice state={state} which={1} />
        <Interconnects
          label="on"
          names={doc.networks.map(({ name }) => name)}
          value={network}
          choose={(chosen) => state.set({ network: chosen })}
        />
      </span>
    </div>
  );
}

/** One of the two algorithms, in its ink. */
function Choice({ state, which }: { state: AlgorithmsState; which: 0 | 1 }) {
  const { doc, pair } = state.now;
  return (
    <Select
      class={`mono ink${which}`}
      aria-label={which === 0 ? "first algorithm" : "second algorithm"}
      of={(doc?.algorithms ?? []).map(({ plan }, i) => [i, plan.algorithm])}
      value={pair[which]}
      choose={(chosen) => state.choose(which, chosen)}
    />
  );
}
