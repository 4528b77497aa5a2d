/** One device as a map of its bytes, and the bytes of all devices. */

import { Fold } from "../card/Fold";
import { pointOf } from "../card/pointed";
import { bytes } from "../core/format";
import { count } from "../core/text";
import { deviceAt } from "../draw/devices";
import { inside } from "../draw/marks";
import { mapLabel } from "./model/words";
import type { ModelState, Shown } from "./state";

export function Panel({ state, shown }: { state: ModelState; shown: Shown }) {
  const { tree, map, mesh, device } = shown;
  const { small } = map;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: where it is higher than its place it is scrolled by keyboard
    <section class="side" aria-label={`bytes of ${state.name()} on devices`} tabIndex={0}>
      <div>
        <h3>
          {tree.alike ? "One device" : `Device ${state.deviceOf(device)?.id}`}{" "}
          <span class="soft">area = bytes{small.leaves > 0 && `; ${small.leaves} too small`}</span>
        </h3>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table selects by keyboard */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
        <div
          class="picture"
          style={{ width: `${map.width}px`, height: `${map.height}px` }}
          onClick={(event) => {
            const [x, y] = pointOf(event);
            const tile = map.tiles.find((t) => inside(t, x, y));
            if (tile) state.point(tile.row);
          }}
        >
          <div role="img" aria-label={mapLabel(state.largest())} ref={state.mapLayer.attach} />
        </div>
      </div>
      <div>
        <h3>
          {tree.mesh.axes.length > 0 ? "Mesh" : "Devices"} <span class="soft">{spread(state, shown)}</span>
        </h3>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: which device is looked at changes no more than a picture */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
        <div
          class="picture"
          style={{ width: `${mesh.width}px`, height: `${mesh.height}px` }}
          onClick={(event) => state.look(deviceAt(tree, mesh, ...pointOf(event)))}
        >
          <div role="img" aria-label={`Bytes on devices: ${spread(state, shown)}`} ref={state.meshLayer.attach} />
        </div>
      </div>
    </section>
  );
}

/** The same below the tree, which comes first. */
export function FoldedPanel({ state, shown }: { state: ModelState; shown: Shown }) {
  return (
    <Fold
      paper={state.now.paper}
      summary={
        <>
          <b>{count(shown.tree.devices.length, "device")}</b> {spread(state, shown)}
        </>
      }
    >
      <Panel state={state} shown={shown} />
    </Fold>
  );
}

/** `all 8 alike`, or which holds most and least. */
function spread(state: ModelState, { tree }: Shown): string {
  const { held, devices } = tree;
  if (devices.length === 1) return "";
  if (tree.alike) return `all ${devices.length} alike`;
  const least = held.indexOf(Math.min(...held));
  const [most, fewest] = [held[tree.fullest] ?? 0, held[least] ?? 0];
  if (tree.nearlyAlike) return `all ${devices.length} alike, but for ${bytes(most - fewest)}`;
  const name = (at: number) => `device ${state.deviceOf(at)?.id} (${bytes(held[at] ?? 0)})`;
  return `most on ${name(tree.fullest)}, least on ${name(least)}`;
}
