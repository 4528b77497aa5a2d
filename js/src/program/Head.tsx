/** What was compiled for what, its mesh axes, and what it comes to. */

import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import { Walk } from "../card/Walk";
import { sentenceTokens } from "../core/text";
import type { ProgramModel } from "./model/program";
import { badgesOf, LOOK, verdictOf } from "./model/words";
import { AxisButton } from "./parts";
import type { ProgramState } from "./state";

export function ProgramHead({ state, model }: { state: ProgramState; model: ProgramModel }) {
  const { doc, mesh } = model;
  const { page } = state.now;
  const opened = state.opened();
  const verdict = opened?.verdict();
  const badges = opened?.badges() ?? badgesOf(model, state.now.interconnect);
  return (
    <Head
      title={doc.name || "program"}
      axes={mesh.axes}
      chip={(axis) => <AxisButton state={state} mesh={mesh} axis={axis} key={axis} />}
      badges={badges}
      go={(to) => (opened ? opened.go?.(to) : to === LOOK ? state.walk(1) : state.toCostliest())}
      at={state.finding() === null ? "" : LOOK}
      says={
        verdict !== undefined ? (
          <Says also={page === "overlap" && "estimated from the schedule"}>
            <Tokens tokens={sentenceTokens(verdict, model.mesh)} />
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
    </Head>
  );
}

function Verdict({ state, model }: { state: ProgramState; model: ProgramModel }) {
  const said = verdictOf(model, state.now.interconnect);
  if (!said) return null;
  const walk = <Walk at={state.finding() ?? -1} of={model.doc.findings.length} go={(by) => state.walk(by)} />;
  return (
    <Says walk={walk}>
      <Tokens tokens={sentenceTokens(said, model.mesh)} />
    </Says>
  );
}
