/** What every device holds, and how that compares with before the last cell. */

import { bytes } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import { deviceWords } from "./model/words";
import type { InspectorState, Shown } from "./state";

export function Head({ state, shown }: { state: InspectorState; shown: Shown }) {
  const { model, mesh } = shown;
  const words = deviceWords(model);
  const { cell, spent } = model.doc;
  const freed = model.freed.some((n) => n > 0);
  return (
    <header>
      <div class="title">
        <h2>Arrays</h2>
        {cell > 0 && <span class="badge plain">after cell {cell}</span>}
        <span class="chips end">
          {model.mesh?.axes.map((a, axis) => (
            <span class={`chip axis${axis % AXIS_DASH.length}`} key={a.name}>
              <b>{a.name}</b> {a.size}
            </span>
          ))}
        </span>
      </div>
      {mesh && (
        <>
          <p class="sums">
            <b>On each device</b> <span class="soft">{words.held}</span>
            <span class="soft end">{words.change}</span>
          </p>
          <div class="picture" style={{ width: `${mesh.width}px`, height: `${mesh.height}px` }}>
            <div
              role="img"
              aria-label={`Bytes on devices: ${words.held}. ${words.change}`}
              ref={state.meshLayer.attach}
            />
          </div>
          <p class="key soft">
            {spent > 0 && (
              <span>
                <i class="more" aria-hidden="true" /> copies
              </span>
            )}
            {freed && (
              <span>
                <i class="freed" aria-hidden="true" /> freed by the last cell
              </span>
            )}
            {words.limit && <span>{words.limit}</span>}
            {spent > 0 && <b class="spent">{bytes(spent)} spent on copies</b>}
          </p>
        </>
      )}
    </header>
  );
}
