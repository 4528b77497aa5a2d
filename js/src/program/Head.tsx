/** What was compiled for what, its mesh axes, and what it comes to. */

import { memoryBadges } from "./memory/model/words";
import type { ProgramModel } from "./model/program";
import { badgesOf } from "./model/words";
import { AxisButton } from "./parts";
import type { ProgramState } from "./state";

export function Head({ state, model }: { state: ProgramState; model: ProgramModel }) {
  const { doc, mesh } = model;
  const { page } = state.now;
  const memory = page === "memory" ? state.memory.shown() : null;
  const badges = memory ? memoryBadges(memory.model, memory.bounds.limit) : badgesOf(model, state.now.interconnect);
  return (
    <header>
      <h2 class="mono">{doc.name || "program"}</h2>
      {doc.target && (
        <span class="soft target" title={`compiled for ${doc.target}`}>
          <span class="verb">compiled for </span>
          {doc.target}
        </span>
      )}
      <span class="chips">
        {mesh.axes.map((a, axis) => (
          <AxisButton state={state} mesh={mesh} axis={axis} key={a.name} />
        ))}
      </span>
      {doc.instructions > 1 && (
        <fieldset class="segments pages">
          <legend>page</legend>
          {(["collectives", "memory"] as const).map((name) => (
            <button type="button" aria-pressed={page === name} onClick={() => state.turnTo(name)} key={name}>
              {name}
            </button>
          ))}
        </fieldset>
      )}
      <ul class="badges">
        {badges.map((b) => (
          <li class={`badge ${b.tone}`} key={b.text}>
            <b>{b.strong}</b> {b.text}
          </li>
        ))}
      </ul>
    </header>
  );
}
