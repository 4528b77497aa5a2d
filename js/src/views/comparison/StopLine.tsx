/** Under a row that stops on an Explicit mesh: JAX's words, why, and the ways on. */
import type { Line } from "../../model/comparison/lines";
import { changed, sentenceTokens } from "../../model/comparison/words";
import type { Choice, Compared } from "../../model/document.gen";
import { axisTokens, bytes } from "../../model/text";
import { Tokens } from "../Tokens";
import { Placed } from "./parts";
import { ACROSS, rowProps } from "./roles";
import type { LineProps } from "./Table";

export function StopLine(props: LineProps & { line: Line & { kind: "stop" } }) {
  const { state, model, pictures, line } = props;
  const row = model.row(line.row);
  const stop = row?.error;
  if (!row || !stop) return null;
  const chosen = state.now.choices[line.row] ?? stop.chosen;
  const value = row.values[0];
  return (
    <div {...rowProps(props, "stop")}>
      <div {...ACROSS}>
        <p class="said">
          <Tokens tokens={axisTokens(stop.message, model.mesh)} />
        </p>
        {stop.explanation && (
          <p class="why">
            <Tokens tokens={sentenceTokens(stop.explanation, model.mesh)} />
          </p>
        )}
        {row.mends.length > 0 && (
          <ul class="mends" aria-label="ways on">
            {row.mends.map((mend, k) => (
              <li class={k === chosen ? "mend used" : "mend"} key={mend.code}>
                <Code mend={mend} source={row.source?.text ?? ""} />
                <span class="gives">
                  <span class="soft">gives</span>
                  {value && (
                    <Placed
                      model={model}
                      pictures={pictures}
                      value={resulting(value, mend)}
                      layout={mend.layout}
                      which={`mend ${k}`}
                    />
                  )}
                </span>
                <span class="cost soft">
                  <Tokens tokens={sentenceTokens(mend.communication, model.mesh)} />
                  {mend.bytes_per_device > 0 && ` · ${bytes(mend.bytes_per_device)}/device`}
                </span>
                {k === chosen ? (
                  <span class="chosen ok">✓ used below</span>
                ) : (
                  <button
                    type="button"
                    disabled={!state.canChoose(line.row, k)}
                    title={
                      state.canChoose(line.row, k)
                        ? mend.title
                        : "needs Python: a saved page knows one other choice at a time"
                    }
                    onClick={() => state.choose(line.row, k)}
                  >
                    Use and continue
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
        {row.mends.length === 0 && <p class="why">No change of this line alone makes it go on.</p>}
      </div>
    </div>
  );
}

/** The code of a mend, with what it changes marked. */
function Code({ mend, source }: { mend: Choice; source: string }) {
  const [start, end] = changed(mend.code, source);
  return (
    <span class="try">
      <span class="soft">{mend.title}</span>
      <code class="mono">
        {mend.code.slice(0, start)}
        <ins>{mend.code.slice(start, end)}</ins>
        {mend.code.slice(end)}
      </code>
    </span>
  );
}

/** What the row would result in: its own value has no explicit type. */
function resulting(value: Compared, mend: Choice): Compared {
  return { ...value, explicit: mend.layout };
}
