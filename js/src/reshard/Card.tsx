/** The card of a reshard plan: what must move, its chunks, who sends what to whom, or what devices hold meanwhile. */

import { Head } from "../card/Head";
import { KeyedFoot } from "../card/KeyedFoot";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import { sentenceTokens } from "../core/text";
import { Arrays } from "./Arrays";
import { Canvas } from "./Canvas";
import { KEYS, PAIRS } from "./keys";
import { Legend } from "./Legend";
import { answerOf, badgesOf, clauseOf, titleOf } from "./model/words";
import type { ReshardState } from "./state";
import { Transport } from "./Transport";

export function ReshardCard({ state }: { state: ReshardState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model, flows, board } = shown;
  const chunked = model.axis >= 0 && model.chunks > 0;
  const also = <Tokens tokens={sentenceTokens(clauseOf(model), model)} />;
  return (
    <div class="reshard">
      <Head
        title={titleOf(model)}
        axes={model.axes}
        badges={badgesOf(model)}
        go={(to) => state.go(to)}
        at={board ? "peak" : ""}
        says={<Says also={also}>{answerOf(model)}</Says>}
      />
      {chunked && <Transport state={state} shown={shown} />}
      {model.doc.arrays.length === 0 ? (
        <p class="note">There are no arrays to move.</p>
      ) : (
        <div class="drawn" style={{ "--least": `${shown.least}px` }}>
          <Canvas state={state} shown={shown} />
          {!flows &&
            (chunked && state.now.top === null ? (
              Array.from({ length: model.chunks }, (_, chunk) => [
                <h3 key={`chunk ${chunk}`}>
                  chunk {chunk + 1} of {model.chunks}
                </h3>,
                <Arrays state={state} shown={{ ...shown, chunk }} key={chunk} />,
              ])
            ) : (
              <Arrays state={state} shown={shown} />
            ))}
        </div>
      )}
      <KeyedFoot keys={chunked ? KEYS : PAIRS}>
        <Legend state={state} shown={shown} />
      </KeyedFoot>
    </div>
  );
}
