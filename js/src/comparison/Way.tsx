/** A fix for a row that stops: what to write, what it gives, what it costs, and a button that uses it. */

import { Tokens } from "../card/Tokens";
import type { Row } from "../core/document.gen";
import { sentenceTokens } from "../core/text";
import { fixedValue } from "./model/cells";
import type { ComparisonModel } from "./model/comparison";
import { changed, costOf } from "./model/words";
import { Placed } from "./parts";
import type { Pictures } from "./pictures";
import type { ComparisonState } from "./state";

interface Props {
  state: ComparisonState;
  model: ComparisonModel;
  pictures: Pictures;
  row: Row;
  index: number;
  /** Index of the fix. */
  at: number;
  used: boolean;
  /** Whether the rows below already follow from this fix. */
  followed: boolean;
  /** Whether rows can follow from it: a call that JAX refuses before there is an equation has none. */
  follows: boolean;
}

export function Way({ state, model, pictures, row, index, at, used, followed, follows }: Props) {
  const fix = row.error?.fixes[at];
  if (!fix) return null;
  const possible = state.canChoose(index, at);
  return (
    <li class={used ? "way used" : "way"}>
      <span class="try">
        <span class="soft">
          <Tokens tokens={sentenceTokens(fix.title, model.mesh)} />
          {fix.line === 0 && ", at a place in your code that you have to find"}
        </span>
        <Code code={fix.code} source={row.source?.text ?? ""} />
      </span>
      <span class="gives">
        <span class="soft">gives</span>
        {fix.layout && (
          <Placed
            model={model}
            pictures={pictures}
            value={fixedValue(row, fix.layout)}
            layout={fix.layout}
            which={`fix ${at}`}
          />
        )}
      </span>
      <span class="cost">
        <Tokens tokens={sentenceTokens(costOf(fix).replace(/ (?=\S+\/device$)/, "\u00a0"), model.mesh)} />
      </span>
      {!follows ? null : used ? (
        <span class={followed ? "chosen ok" : "chosen"}>{followed ? "✓ used below" : "compiling with it …"}</span>
      ) : (
        <button
          type="button"
          disabled={!possible}
          title={possible ? fix.title : "needs Python: a saved page has only one other choice at a time"}
          onClick={() => state.choose(index, at)}
        >
          Use and continue
        </button>
      )}
    </li>
  );
}

/** What to write, with what it changes marked. */
function Code({ code, source }: { code: string; source: string }) {
  const [start, end] = changed(code, source);
  return (
    <code class="mono">
      {code.slice(0, start)}
      <ins>{code.slice(start, end)}</ins>
      {code.slice(end)}
    </code>
  );
}
