/** What the program would be had another value won, or without the constraint: compiled by Python, and compared. */
import { AskButton } from "../card/Attempts";
import { fixedModel } from "../card/fixed";
import { Opened } from "../card/Opened";
import { headOf } from "../core/columns";
import { INSTEAD } from "../core/columns.gen";
import { bytes, flops } from "../core/format";
import type { WhyAnswer } from "./model/why";
import type { ComparisonState, Otherwise } from "./state";

interface Props {
  state: ComparisonState;
  /** Index of the reason of the split. */
  reason: number;
  why: WhyAnswer;
}

export function Instead({ state, reason, why }: Props) {
  const decided = why.lost.length > 0 || why.chain[0]?.reason.given === "constraint";
  if (!decided) return null;
  const { last, waiting } = state.instead(reason);
  const { row, dim, axis, value } = why.reason;
  const asked = [row, dim, ...(axis ? [`"${axis}"`] : []), ...(value > 0 ? [`value=${value}`] : [])].join(", ");
  const found = waiting ? undefined : last?.found;
  return (
    <section class="instead acts" aria-label="instead">
      {!state.saved && (!found || last?.trouble) && (
        <AskButton last={last} waiting={waiting} ask={() => state.askInstead(reason)}>
          Compile it otherwise
        </AskButton>
      )}
      <span role="status">
        {last?.trouble && !waiting && <span class="trouble">{last.trouble}</span>}
        {state.saved && !found && (
          <span class="soft">
            In Python, <code>{`view.document.why(${asked}, instead=True)`}</code> compiles it as it would be otherwise.
          </span>
        )}
        {found?.length === 1 && <span class="soft">Nothing else compiles here.</span>}
      </span>
      {found && found.length > 1 && (
        <table>
          <thead>
            <tr>
              {(["what", "collectives", "sent", "work"] as const).map((key) => (
                <th key={key}>{headOf(INSTEAD, key)}</th>
              ))}
              <th />
            </tr>
          </thead>
          <tbody>
            {found.map((one, at) => (
              <Line state={state} reason={reason} one={one} at={at} name={why.value.name} key={one.what} />
            ))}
          </tbody>
        </table>
      )}
      <Difference state={state} reason={reason} />
    </section>
  );
}

function Line(props: { state: ComparisonState; reason: number; one: Otherwise; at: number; name: string }) {
  const { state, reason, one, at, name } = props;
  return (
    <tr>
      <th scope="row">
        {one.what}
        {one.code && (
          <>
            {": "}
            <code class="mono">{one.code}</code>
          </>
        )}
        {at > 0 && one.gives && (
          <span class="soft">
            {" gives "}
            <code class="mono">{`${name} ${one.gives}`}</code>
          </span>
        )}
      </th>
      <td>{one.collectives.join(", ") || "none"}</td>
      <td>
        <b class="mono">{bytes(one.sent)}</b>
      </td>
      <td>{one.flops >= 0 && <b class="mono">{flops(one.flops)}</b>}</td>
      <td>
        {at > 0 && state.canCompare(reason, at) && (
          <button type="button" onClick={() => state.compare(reason, at)}>
            Compare
          </button>
        )}
      </td>
    </tr>
  );
}

/** Two of the programs in a view of their difference. */
function Difference({ state, reason }: { state: ComparisonState; reason: number }) {
  const { compared, sent } = state.now.instead;
  if (compared?.reason !== reason) return null;
  const answer = sent.n === compared.n ? sent : null;
  return (
    <section class="opened" aria-label="what differs">
      {answer?.error && <p class="trouble">{answer.error}</p>}
      {answer?.front_end && (
        <Opened
          source={answer.front_end}
          model={fixedModel(new Map(Object.entries(answer.state ?? {})))}
          key={answer.n}
        />
      )}
      <button type="button" onClick={() => state.closeDifference()}>
        close
      </button>
    </section>
  );
}
