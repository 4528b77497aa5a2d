/** The head of the card: type, badges, spec as chips with the division under each, type against placed. */

import { Chip } from "../card/Chip";
import { Head } from "../card/Head";
import { Tokens } from "../card/Tokens";
import type { PlacementModel } from "../core/placement";
import type { Fact, Slot } from "./model/summary";
import type { ArrayState } from "./state";

export function ArrayHead({ state }: { state: ArrayState }) {
  const model = state.now.model;
  const s = state.summary();
  if (!model || !s) return null;
  return (
    <>
      <Head
        name={s.name}
        title={<Tokens tokens={s.title} />}
        axes={model.axes}
        chip={(axis) => (
          <Axis
            state={state}
            model={model}
            axis={axis}
            note={model.axisType ? "" : model.axes[axis]?.type}
            key={axis}
          />
        )}
        badges={s.badges}
      />
      <div class="placed">
        {s.slots.length > 0 && <Spec state={state} model={model} slots={s.slots} />}
        <div>
          {s.facts.map((f) => (
            <p class={f.tone} key={f.note}>
              <span class="mono">
                <Tokens tokens={f.value} />
              </span>{" "}
              {f.note}
            </p>
          ))}
          {s.more.length > 0 && (
            <details>
              <summary>type, HLO, Shardy, memory</summary>
              <dl class="facts">
                {s.more.map((f) => (
                  <FactRow fact={f} key={f.label} />
                ))}
              </dl>
            </details>
          )}
        </div>
      </div>
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
      {state.now.colorBy === "values" && state.now.valuesNote && <p>{state.now.valuesNote}</p>}
    </div>
  );
}

function FactRow({ fact }: { fact: Fact }) {
  return (
    <div class="fact">
      <dt>{fact.label}</dt>
      {fact.value.some(({ text }) => text !== "") && (
        <dd class="mono">
          <Tokens tokens={fact.value} />
        </dd>
      )}
      {fact.note && <dd class="note">{fact.note}</dd>}
    </div>
  );
}

function Spec({ state, model, slots }: { state: ArrayState; model: PlacementModel; slots: readonly Slot[] }) {
  return (
    <div class="spec mono">
      <span class="paren">P(</span>
      {slots.map((slot, i) => (
        <span class="slot" key={slot.title}>
          <span class="content">
            {slot.prefix && <span class="soft">{slot.prefix}</span>}
            {slot.axes.map((a) => (
              <Axis state={state} model={model} axis={a} key={a} />
            ))}
            {slot.axes.length === 0 && <span class="none">{slot.empty}</span>}
          </span>
          <span class="soft">{slot.title}</span>
          <span class="soft">
            {slot.before}
            <b>{slot.result}</b>
            {slot.after}
          </span>
          {i < slots.length - 1 && <span class="comma">,</span>}
        </span>
      ))}
      <span class="paren">)</span>
    </div>
  );
}

interface AxisProps {
  state: ArrayState;
  model: PlacementModel;
  axis: number;
  note?: string;
}

/** Pointing at a mesh axis draws its groups of devices. */
function Axis({ state, model, axis, note }: AxisProps) {
  const a = model.axes[axis];
  if (!a) return null;
  const lit = { tile: null, positions: [], axis };
  return (
    <Chip
      name={a.name}
      axis={axis}
      aria-pressed={state.now.pinned?.axis === axis}
      onPointerEnter={() => state.light(lit)}
      onPointerLeave={() => state.light(null)}
      onFocus={() => state.light(lit)}
      onBlur={() => state.light(null)}
      onClick={() => state.pin(lit)}
    >
      {a.size}
      {note && ` · ${note}`}
    </Chip>
  );
}
