/** The card of a comparison: head, tools, table, foot. A failure takes its place, never an empty cell. */

import { Head } from "../card/Head";
import { KeyedFoot } from "../card/KeyedFoot";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import { Walk } from "../card/Walk";
import { sentenceTokens } from "../core/text";
import type { ComparisonModel } from "./model/comparison";
import { alsoOf, badgesOf, titleOf } from "./model/words";
import type { ComparisonState } from "./state";
import { Table } from "./Table";
import { TileTip } from "./TileTip";
import { Tools } from "./Tools";

export function ComparisonCard({ state }: { state: ComparisonState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model } = shown;
  const walk = state.walk();
  return (
    <div class="comparison">
      <Head
        title={titleOf(model)}
        axes={model.mesh.axes}
        badges={badgesOf(model, state.news())}
        go={(to) => state.go(to)}
        at={state.now.filter}
        says={
          model.verdict && (
            <Says walk={walk && <Walk {...walk} />} also={alsoOf(model)}>
              <span title={wholeOf(model)}>
                <Tokens tokens={sentenceTokens(model.verdict, model.mesh)} />
              </span>
            </Says>
          )
        }
      >
        <span class="soft target" title={model.doc.jax_version && `JAX ${model.doc.jax_version}`}>
          {targetOf(model)}
        </span>
      </Head>
      {model.doc.note && <p class="note">{model.doc.note}</p>}
      {model.rows.length > 12 && <Tools state={state} model={model} />}
      <Table state={state} {...shown} />
      <ComparisonFoot idle={walk ? [] : ["n"]} />
      <TileTip state={state} />
    </div>
  );
}

const KEYS = [
  ["n", "next to look at"],
  ["↑ ↓", "line"],
  ["→", "unfold"],
  ["w", "why"],
  ["d", "next dimension"],
  ["[ ]", "along the chain"],
  ["/", "search"],
] as const;

/** The message of which the first sentence has the beginning. */
function wholeOf({ rows, verdict }: ComparisonModel): string | undefined {
  return verdict.includes("…") ? rows.find((row) => row.error)?.error?.message : undefined;
}

/** What the program is compiled for. */
function targetOf({ doc, mesh }: ComparisonModel): string {
  const target =
    doc.program?.target || `${mesh.size} ${doc.mesh.abstract ? "positions of an abstract mesh" : "devices"}`;
  return `${doc.compiled_from ? "compiled for " : ""}${target}`;
}

function ComparisonFoot({ idle }: { idle: readonly string[] }) {
  return (
    <KeyedFoot keys={KEYS} idle={idle}>
      <span>
        <b>×n</b> copies over the axis of that colour
      </span>
    </KeyedFoot>
  );
}
