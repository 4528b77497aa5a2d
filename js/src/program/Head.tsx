/** What was compiled for what, its mesh axes, and what it comes to. */

import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import { Segments } from "../card/Tools";
import { sentenceTokens } from "../core/text";
import { memoryBadges } from "./memory/model/words";
import type { ProgramModel } from "./model/program";
import { badgesOf, LOOK, verdictOf } from "./model/words";
import { overlapBadges } from "./overlap/model/overlap";
import { AxisButton } from "./parts";
import { PAGES, type ProgramState } from "./state";

export function ProgramHead({ state, model }: { state: ProgramState; model: ProgramModel }) {
  const { doc, mesh } = model;
  const { page } = state.now;
  const memory = page === "memory" ? state.memory.shown() : null;
  const overlap = page === "overlap" ? state.overlap.model() : null;
  const badges = memory
    ? memoryBadges(memory.model, memory.bounds.limit)
    : overlap
      ? overlapBadges(overlap)
      : badgesOf(model, state.now.interconnect);
  return (
    <Head
      title={doc.name || "program"}
      axes={mesh.axes}
      chip={(axis) => <AxisButton state={state} mesh={mesh} axis={axis} key={axis} />}
      badges={badges}
      go={() => state.walk(1)}
      at={state.finding() === null ? null : LOOK}
      says={
        overlap ? (
          <Says also="estimated from the schedule">
            <Tokens tokens={sentenceTokens(overlap.doc.verdict, model.mesh)} />
          </Says>
        ) : (
          page === "collectives" && <Verdict state={state} model={model} />
        )
      }
    >
      {doc.target && (
        <span class="soft target" title={`compiled for ${doc.target}`}>
          <span class="verb">compiled for </span>
          {doc.target}
        </span>
      )}
      {doc.instructions > 1 && (
        <Segments
          legend="page"
          of={PAGES.map((name) => [name, name] as const)}
          value={page}
          choose={(name) => state.turnTo(name)}
        />
      )}
    </Head>
  );
}

function Verdict({ state, model }: { state: ProgramState; model: ProgramModel }) {
  const said = verdictOf(model, state.now.interconnect);
  if (!said) return null;
  const walk = { at: state.finding() ?? -1, of: model.doc.findings.length, go: (by: 1 | -1) => state.walk(by) };
  return (
    <Says walk={walk}>
      <Tokens tokens={sentenceTokens(said, model.mesh)} />
    </Says>
  );
}
