/** What was compiled for what, its mesh axes, and what it comes to. */
import type { ProgramModel } from "../../model/program";
import { badgesOf } from "../../model/program/words";
import { AxisButton } from "./parts";
import type { ProgramState } from "./state";

export function Head({ state, model }: { state: ProgramState; model: ProgramModel }) {
  const { doc, mesh } = model;
  return (
    <header>
      <h2 class="mono">{doc.name || "program"}</h2>
      {doc.target && <span class="soft target">compiled for {doc.target}</span>}
      <span class="chips">
        {mesh.axes.map((a, axis) => (
          <AxisButton state={state} mesh={mesh} axis={axis} key={a.name} />
        ))}
      </span>
      <ul class="badges">
        {badgesOf(model, state.now.interconnect).map((b) => (
          <li class={`badge ${b.tone}`} key={b.text}>
            <b>{b.strong}</b> {b.text}
          </li>
        ))}
      </ul>
    </header>
  );
}
