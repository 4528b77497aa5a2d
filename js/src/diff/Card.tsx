/** The card of a difference: what differs most, what it comes to, every difference, the code of the one that is chosen. */

import { Foot } from "../card/Foot";
import { Head } from "../card/Head";
import { Listbox } from "../card/Listbox";
import { pointOf } from "../card/pointed";
import { Says } from "../card/Says";
import { keepInView } from "../card/scroll";
import { Tokens } from "../card/Tokens";
import { Segments } from "../card/Tools";
import { capital, sentenceTokens } from "../core/text";
import { Code } from "./Code";
import { KEYS } from "./keys";
import { sentenceOf } from "./model/diff";
import { StepsCard } from "./Steps";
import { rowAt } from "./scene/table";
import type { DiffState, Shown } from "./state";

export function DiffCard({ state }: { state: DiffState }) {
  const { traces } = state.now;
  const shown = state.shown();
  if (traces) return <StepsCard state={state} doc={traces} />;
  if (!shown) return null;
  const { diff, totals, table } = shown;
  const { mesh } = diff;
  const words = (text: string) => (mesh ? <Tokens tokens={sentenceTokens(text, mesh)} /> : text);
  return (
    <div class="diff">
      <Head
        title={diff.name}
        axes={mesh?.axes}
        says={<Says also={diff.also && words(diff.also)}>{words(capital(diff.verdict))}</Says>}
      >
        <span class="soft">{diff.about}</span>
      </Head>
      {totals.height > 0 && (
        <div
          class="picture totals"
          role="img"
          aria-label={diff.totals
            .map((t) => `${t.title}: ${t.sides.map((s) => `${s.label} ${s.text}`).join(", ")}`)
            .join("; ")}
          style={{ height: `${totals.height}px` }}
        >
          <div aria-hidden="true" ref={state.totals.attach} />
        </div>
      )}
      <div class="list">{table.rows.length > 0 && <Rows state={state} shown={shown} />}</div>
      {diff.sameText && <Same state={state} shown={shown} />}
      {shown.row && !diff.words && <Code diff={diff} row={shown.row} />}
      <Foot keys={KEYS.filter(([key]) => (key === "s" ? diff.orders.length > 1 : key !== "u" || diff.same.length > 0))}>
        {diff.orders.length > 1 && (
          <Segments
            legend="sorted by"
            of={diff.orders.map((one) => [one, one === "line" || one === "axis" ? `by ${one}` : one] as const)}
            value={state.now.sort}
            choose={(sort) => state.sort(sort)}
          />
        )}
      </Foot>
    </div>
  );
}

function Rows({ state, shown: { diff, table, row } }: { state: DiffState; shown: Shown }) {
  const at = row ? table.rows.indexOf(row) : -1;
  const top = table.height - (table.rows.length - at) * table.line;
  return (
    <Listbox
      class="picture"
      label={`${table.rows.length} rows`}
      said={row ? sentenceOf(row, diff.sides, diff.mesh) : ""}
      at={{ left: 0, right: 0, top: `${top}px`, height: `${table.line}px` }}
      seen={(el) => keepInView(el)}
      style={{ height: `${table.height}px` }}
      onPointerDown={(event) => state.select(rowAt(table, pointOf(event)[1]))}
    >
      <div aria-hidden="true" ref={state.table.attach} />
    </Listbox>
  );
}

/** What is the same: counted, listed when it is asked for. */
function Same({ state, shown: { diff } }: { state: DiffState; shown: Shown }) {
  const { unfolded } = state.now;
  const text = `= ${diff.sameText}`;
  if (diff.same.length === 0) return <p class="alike">{text}</p>;
  return (
    <p class="alike">
      <button type="button" aria-expanded={unfolded} onClick={() => state.set({ unfolded: !unfolded })}>
        {unfolded ? "▾" : "▸"} {text}
      </button>
    </p>
  );
}
