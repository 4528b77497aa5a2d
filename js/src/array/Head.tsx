/** The head of the card: type, mesh axes, badges, the answer; the row of tools. */

import { Chip } from "../card/Chip";
import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import { sentenceTokens } from "../core/text";
import type { ArrayState } from "./state";
import { ArrayTools } from "./Tools";

export function ArrayHead({ state }: { state: ArrayState }) {
  const { model } = state.now;
  const s = state.summary();
  if (!model || !s) return null;
  return (
    <>
      <Head
        name={s.name}
        title={<Tokens tokens={s.title} />}
        axes={model.axes}
        chip={(axis) => <Axis state={state} axis={axis} key={axis} />}
        badges={s.badges}
        go={() => state.slice(0)}
        says={
          <Says also={s.also}>
            <Tokens tokens={sentenceTokens(s.says, model)} />
          </Says>
        }
      />
      <ArrayTools state={state} model={model} summary={s} />
    </>
  );
}

export function Notes({ state }: { state: ArrayState }) {
  const notes = state.summary()?.notes ?? [];
  return (
    <div class="notes">
      {notes.map((n) => (
        <p key={n[0]?.text}>
          <Tokens tokens={n} />
        </p>
      ))}
    </div>
  );
}

/** Pointing at a mesh axis draws its groups of devices. */
function Axis({ state, axis }: { state: ArrayState; axis: number }) {
  const { model, pinned } = state.now;
  const a = model?.axes[axis];
  if (!a) return null;
  const lit = { tile: null, positions: [], axis };
  return (
    <Chip
      name={a.name}
      axis={axis}
      aria-pressed={pinned?.axis === axis}
      onPointerEnter={() => state.light(lit)}
      onPointerLeave={() => state.light(null)}
      onFocus={() => state.light(lit)}
      onBlur={() => state.light(null)}
      onClick={() => state.pin(lit)}
    >
      {a.size}
      {!model?.axisType && a.type && ` · ${a.type}`}
    </Chip>
  );
}
