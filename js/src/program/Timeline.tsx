/** The call as a timeline, linked with the table: a click chooses a collective. The table says the same in words. */
import { pointOf } from "../card/pointed";
import { duration } from "../core/format";
import { blockAt, type Lanes } from "./scene/lanes";
import type { ProgramState, Shown } from "./state";

export function Timeline({ state, shown, lanes }: { state: ProgramState; shown: Shown; lanes: Lanes }) {
  const { model } = shown;
  const at = (event: MouseEvent) => blockAt(lanes, ...pointOf(event));
  const total = model.collectives.reduce((sum, c) => sum + model.seconds(c, state.now.interconnect), 0);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table chooses by keyboard
    <div
      class="lanes"
      role="img"
      aria-label={`timeline of ${model.collectives.length} collectives, ${duration(total)} in all by estimate`}
      style={{ height: `${lanes.height}px` }}
      onClick={(event) => {
        const found = at(event);
        if (found !== null) state.select(found);
      }}
      onPointerMove={(event) => {
        const c = model.collectives[at(event) ?? -1];
        const line = c?.source ? `, line ${c.source.line}` : "";
        event.currentTarget.title = c
          ? `${c.kind} over ${c.axes.join(", ") || "irregular groups"}${line}: ${duration(model.seconds(c, state.now.interconnect))}`
          : "";
      }}
    >
      <div aria-hidden="true" ref={state.lanesLayer.attach} />
    </div>
  );
}
