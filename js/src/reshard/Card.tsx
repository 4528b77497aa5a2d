/** The card of a reshard plan: what moves, its chunks, what devices hold meanwhile, the arrays of a chunk. */

import { Foot } from "../card/Foot";
import { Head } from "../card/Head";
import { Arrays } from "./Arrays";
import { Canvas } from "./Canvas";
import { KEYS } from "./keys";
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
      <Head title={titleOf(model)} axes={model.axes} badges={badgesOf(model)} />
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
      <Foot keys={chunked ? KEYS : [["← →", shown.board ? "groups" : "pairs"]]}>
        <span class="words">
          <span class="mono">{callOf(model)}</span>. {movesText(model)} {model.doc.note}
        </span>
      </Foot>
    </div>
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
