/** What was compiled for what, its mesh axes, and what it comes to. */

import { Head } from "../card/Head";
import { Segments } from "../card/Tools";
import { memoryBadges } from "./memory/model/words";
import type { ProgramModel } from "./model/program";
import { badgesOf } from "./model/words";
import { AxisButton } from "./parts";
import type { ProgramState } from "./state";

export function ProgramHead({ state, model }: { state: ProgramState; model: ProgramModel }) {
  const { doc, mesh } = model;
  const { page } = state.now;
  const memory = page === "memory" ? state.memory.shown() : null;
  const badges = memory ? memoryBadges(memory.model, memory.bounds.limit) : badgesOf(model, state.now.interconnect);
  return (
    <Head
      title={doc.name || "program"}
      axes={mesh.axes}
      chip={(axis) => <AxisButton state={state} mesh={mesh} axis={axis} key={axis} />}
      badges={badges}
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
          of={[
            ["collectives", "collectives"],
            ["memory", "memory"],
          ]}
          value={page}
          choose={(name) => state.turnTo(name)}
        />
      )}
    </Head>
  );
}
