/** What the shapes mean: the kinds that occur, as small cells. */
import { hex } from "../core/color";
import type { ScheduleModel } from "./model/schedule";
import { B, F, I, W } from "./model/tasks";
import type { PipelineState } from "./state";

export function Legend({ state, models }: { state: PipelineState; models: readonly ScheduleModel[] }) {
  const palette = state.shown()?.palettes[0];
  if (!palette) return null;
  const kinds = new Set(models.flatMap((m) => [...m.kinds]));
  const waste = models.some((m) => m.run.wasted.some((w) => w > 0));
  const at = Math.floor(palette.forward.length / 3);
  const cell = (name: string, colors: typeof palette.forward) => (
    <i class={`cell ${name}`} style={{ background: hex(colors[at] ?? palette.idle) }} aria-hidden="true" />
  );
  return (
    <ul class="legend">
      {kinds.has(F) && <li>{cell("f", palette.forward)} F forward</li>}
      {kinds.has(B) && <li>{cell("b", palette.backward)} B backward</li>}
      {kinds.has(I) && <li>{cell("b", palette.backward)} I input gradient</li>}
      {kinds.has(W) && <li>{cell("w", palette.weight)} W weight gradient</li>}
      <li>
        <i class="cell idle" aria-hidden="true" /> idle
      </li>
      {waste && (
        <li>
          <i class="cell waste" style={{ background: hex(palette.forward[at] ?? palette.idle) }} aria-hidden="true" />{" "}
          computed, not used
        </li>
      )}
      {models.length === 1 && <li>colour = microbatch</li>}
    </ul>
  );
}
