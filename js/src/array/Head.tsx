/** The head of the card: type, badges, spec as chips with the division under each, type against placed. */

import { Tokens } from "../card/Tokens";
import type { PlacementModel } from "../core/placement";
import { AXIS_DASH } from "../draw/marks";
import type { Fact, Slot } from "./model/summary";
import type { ArrayState } from "./state";

export function Head({ state }: { state: ArrayState }) {
  const model = state.now.model;
  const s = state.summary();
  if (!model || !s) return null;
  return (
    <header>
      <div class="title">
        <h2 class="mono">
          {s.name && <span class="name">{s.name}</span>}
          <Tokens tokens={s.title} />
        </h2>
        <ul class="badges">
          {s.badges.map((b) => (
            <li class={`badge ${b.tone}`} key={b.strong + b.text}>
              <b>{b.strong}</b> {b.text}
            </li>
          ))}
        </ul>
      </div>
      <div class="placed">
        {s.slots.length > 0 && <Spec state={state} model={model} slots={s.slots} />}
        <div>
          <dl class="facts">
            {s.facts.map((f) => (
              <FactRow state={state} model={model} fact={f} key={f.label} />
            ))}
          </dl>
          {s.more.length > 0 && (
            <details>
              <summary>HLO, Shardy, memory</summary>
              <dl class="facts">
                {s.more.map((f) => (
                  <FactRow state={state} model={model} fact={f} key={f.label} />
                ))}
              </dl>
            </details>
          )}
        </div>
      </div>
    </header>
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

function FactRow({ state, model, fact }: { state: ArrayState; model: PlacementModel; fact: Fact }) {
  const chips = fact.label === "mesh" && model.axes.length > 0;
  return (
    <div class="fact">
      <dt>{fact.label}</dt>
      <dd class="mono">
        {chips ? (
          <span class="chips">
            {model.axes.map((a, i) => (
              <Chip state={state} model={model} axis={i} note={model.axisType ? "" : a.type} key={a.name} />
            ))}
          </span>
        ) : (
          <Tokens tokens={fact.value} />
        )}
      </dd>
      {fact.note && <dd class={`note ${fact.tone}`}>{fact.note}</dd>}
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
              <Chip state={state} model={model} axis={a} note="" key={a} />
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

/** A mesh axis: its line pattern, name and size. Pointing at it draws its groups of devices. */
export function Chip({
  state,
  model,
  axis,
  note,
}: {
  state: ArrayState;
  model: PlacementModel;
  axis: number;
  note: string;
}) {
  const a = model.axes[axis];
  if (!a) return null;
  const kind = axis % AXIS_DASH.length;
  const lit = { tile: null, positions: [], axis };
  return (
    <button
      type="button"
      class={`chip axis${kind}`}
      aria-pressed={state.now.pinned?.axis === axis}
      onPointerEnter={() => state.light(lit)}
      onPointerLeave={() => state.light(null)}
      onFocus={() => state.light(lit)}
      onBlur={() => state.light(null)}
      onClick={() => state.pin(lit)}
    >
      <b>{a.name}</b> {a.size}
      {note && ` · ${note}`}
    </button>
  );
}
