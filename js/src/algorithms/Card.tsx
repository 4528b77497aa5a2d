/** The card of two algorithms: what is chosen, the clock, the picture, and why one is faster. */

import { PlayButton } from "../card/Buttons";
import { Foot } from "../card/Foot";
import { Head } from "../card/Head";
import { Interconnects } from "../card/Interconnects";
import { bytes, duration } from "../core/format";
import { inside } from "../draw/marks";
import { KEYS } from "./keys";
import { verdict } from "./model/algorithms";
import { titleOf } from "./scene/card";
import { SIZES, sizeAt } from "./scene/charts";
import type { AlgorithmsState } from "./state";

export function AlgorithmsCard({ state }: { state: AlgorithmsState }) {
  const courses = state.courses();
  const { doc, nbytes, width, at, network } = state.now;
  if (!courses || !doc) return null;
  const layout = state.layout(width);
  const [a, b] = courses;
  const said = courses
    .map((c) => {
      const { round, done } = c.at(at * state.whole);
      return `${c.name}: ${done ? "done" : `round ${round + 1} of ${c.rounds}`}`;
    })
    .join("; ");
  return (
    <div class="algorithms">
      <Head title={titleOf(a, nbytes)}>
        <Choice state={state} which={0} />
        <span class="group">
          against
          <Choice state={state} which={1} />
        </span>
        <Interconnects
          label="on"
          names={doc.networks.map(({ name, topology }) => `${name}, ${topology === "torus" ? "ring" : "switch"}`)}
          value={network}
          choose={(chosen) => state.set({ network: chosen })}
        />
      </Head>
      <div class="tools">
        <PlayButton state={state} keys="Space; round by round , ." />
        <label class="time">
          <span class="mono">{duration(at * state.whole)}</span>
          <input
            type="range"
            min={0}
            max={1}
            step="any"
            value={at}
            aria-label="time"
            aria-valuetext={`${duration(at * state.whole)}; ${said}`}
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
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the slider of the size does the same by keyboard */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div
        class="picture"
        style={{ height: `${layout.height}px` }}
        onClick={(event) => {
          const bounds = event.currentTarget.getBoundingClientRect();
          const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
          if (inside(layout.sizes, x, y)) state.resized(sizeAt(x, layout.sizes));
          else if (inside(layout.traffic, x, y)) state.seek((x - layout.traffic.x) / layout.traffic.w);
        }}
      >
        <div aria-hidden="true" ref={state.layer.attach} />
        <p class="hidden">{said}</p>
      </div>
      <p class="verdict" role="status">
        {verdict(a, b, nbytes)}
      </p>
      <Foot keys={KEYS}>
        <span class="words">
          An estimate: a message takes {duration(doc.start)} to start, however far it goes; messages on the same link
          share its bandwidth. A square is a message; a tile fills with what its device has.
        </span>
      </Foot>
    </div>
  );
}

/** One of the two algorithms, in its ink. */
function Choice({ state, which }: { state: AlgorithmsState; which: 0 | 1 }) {
  const { doc, pair } = state.now;
  return (
    <select
      class={`mono ink${which}`}
      value={String(pair[which])}
      aria-label={which === 0 ? "first algorithm" : "second algorithm"}
      onChange={(event) => state.choose(which, Number(event.currentTarget.value))}
    >
      {doc?.algorithms.map(({ plan }, i) => (
        <option value={i} key={plan.algorithm}>
          {plan.algorithm}
        </option>
      ))}
    </select>
  );
}
