/** The card of a reshard plan: what moves, its chunks, what devices hold meanwhile, the arrays of a chunk. */

import { AXIS_DASH } from "../draw/marks";
import { Arrays } from "./Arrays";
import { Canvas } from "./Canvas";
import { badgesOf, callOf, movesText, titleOf } from "./model/words";
import { PART_TEXT, PARTS, partColor } from "./scene/bars";
import type { ReshardState, Shown } from "./state";
import { Transport } from "./Transport";

export function ReshardCard({ state }: { state: ReshardState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model } = shown;
  const chunked = shown.board !== null && model.chunks > 0;
  return (
    <div class="reshard">
      <Head shown={shown} />
      {chunked && <Transport state={state} shown={shown} />}
      {chunked && <Legend state={state} shown={shown} />}
      {model.doc.arrays.length === 0 ? (
        <p class="note">There are no arrays to move.</p>
      ) : (
        <>
          <Canvas state={state} shown={shown} />
          {chunked && state.now.top === null ? (
            Array.from({ length: model.chunks }, (_, chunk) => [
              <h3 key={`chunk ${chunk}`}>
                chunk {chunk + 1} of {model.chunks}
              </h3>,
              <Arrays state={state} shown={{ ...shown, chunk }} key={chunk} />,
            ])
          ) : (
            <Arrays state={state} shown={shown} />
          )}
        </>
      )}
      <p class="note">
        <span>
          <span class="mono">{callOf(model)}</span>. {movesText(model)} {model.doc.note}
        </span>
        <span class="keys">
          <kbd>←</kbd> <kbd>→</kbd> {shown.board ? "groups" : "pairs"}
          {chunked && (
            <>
              , <kbd>,</kbd> <kbd>.</kbd> chunks, <kbd>Space</kbd> play, <kbd>p</kbd> peak
            </>
          )}
        </span>
      </p>
    </div>
  );
}

function Head({ shown: { model } }: { shown: Shown }) {
  return (
    <header>
      <h2>{titleOf(model)}</h2>
      <span class="chips">
        {model.axes.map((a, axis) => (
          <span class={`chip axis${axis % AXIS_DASH.length}`} key={a.name}>
            <b>{a.name}</b> {a.size}
          </span>
        ))}
      </span>
      <ul class="badges">
        {badgesOf(model).map((b, i) => (
          <li class={`badge ${b.tone}`} key={i}>
            <b>{b.strong}</b> {b.text}
          </li>
        ))}
      </ul>
    </header>
  );
}

function Legend({ state, shown: { model } }: { state: ReshardState; shown: Shown }) {
  const { theme } = state.now;
  if (!theme) return null;
  const freed = model.freedBytes > 0;
  return (
    <ul class="legend" aria-label="what a device holds">
      {PARTS.filter((part) => part !== "freed" || freed).map((part) => {
        const color = partColor(part, theme.scheme);
        return (
          <li key={part}>
            <i
              class={`swatch ${part}`}
              style={color.startsWith("#") ? { background: color } : undefined}
              aria-hidden="true"
            />{" "}
            {PART_TEXT[part]}
          </li>
        );
      })}
      <li class="end">
        <i class="swatch peak" aria-hidden="true" /> peak of a group
      </li>
    </ul>
  );
}
