/** What the schedule is called, its size, the mesh, and its figures. */

import { AXIS_DASH } from "../draw/marks";
import type { ScheduleModel } from "./model/schedule";
import { badgesOf, fractionText, sizeText } from "./model/words";
import type { PipelineState } from "./state";

export function Head({ state, models }: { state: PipelineState; models: readonly ScheduleModel[] }) {
  const [first] = models;
  if (!first) return null;
  const { several } = state.now;
  return (
    <header>
      <h2>{several ? `${models.length} schedules` : first.doc.name || "schedule"}</h2>
      <span class="soft">{sizeText(first)}</span>
      {first.mesh && (
        <span class="chips">
          {first.mesh.axes.map((a, axis) => (
            <span class={`chip axis${axis % AXIS_DASH.length}`} key={a.name}>
              <b>{a.name}</b> {a.size}
            </span>
          ))}
        </span>
      )}
      {!several && (
        <ul class="badges">
          {badgesOf(first).map((b, i) => (
            <li class={`badge ${b.warn ? "warn" : "plain"}`} title={i === 0 ? fractionText(first) : undefined} key={i}>
              <b>{b.strong}</b> {b.text}
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}
