/** The mesh: a canvas, and a list of devices for the keyboard over it. */

import { boxStyle, Listbox } from "../card/Listbox";
import { pointOf } from "../card/pointed";
import { inside } from "../draw/marks";
import type { CollectiveView } from "./scene/collective/view";
import type { ProgramState } from "./state";

export function Canvas({ state, view }: { state: ProgramState; view: CollectiveView }) {
  const { model, stage } = view;
  const { mesh } = model;
  const { device } = state.now;
  const at = device ?? view.group[0] ?? 0;
  const box = view.seats.get(at) ?? stage.boxes[at];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the listbox inside does the same by keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      class="picture"
      style={{ width: `${stage.width}px`, height: `${stage.height}px` }}
      onClick={(event) => {
        const hit = deviceAt(view, ...pointOf(event));
        state.look(hit === device ? null : hit);
      }}
    >
      <div aria-hidden="true" ref={state.layer.attach} />
      <Listbox
        label={`${mesh.size} devices`}
        said={box ? labelOf(view, at) : ""}
        at={box && boxStyle(box)}
        id="device"
        selected={device !== null}
        place={{ index: at, of: mesh.size }}
        onKeyDown={(event) => {
          // Keys may come faster than pictures: what counts is where the last one led.
          const from = state.now.device;
          const next = from !== null && event.key === "Escape" ? null : moved(view, from, event.key);
          if (next === undefined) return;
          state.look(next);
          event.preventDefault();
          event.stopPropagation();
        }}
      />
    </div>
  );
}

/** The device at a point: of the tiles in full, then of the small ones. */
export function deviceAt({ seats, stage }: CollectiveView, x: number, y: number): number | null {
  for (const [p, box] of seats) if (inside(box, x, y)) return p;
  const at = stage.boxes.findIndex((box) => inside(box, x, y));
  return at < 0 ? null : at;
}

/** `device 5 at data=1, model=1; group 2 of 4: devices 1, 5, 9, 13`. */
function labelOf(view: CollectiveView, position: number): string {
  const { model, groups } = view;
  const digits = model.mesh.digits(position);
  const at = model.mesh.axes.map((a, i) => `${a.name}=${digits[i] ?? 0}`).join(", ");
  const g = view.groupOf(position);
  const members = g === null ? [] : (groups[g] ?? []);
  const group =
    g === null ? "in no group" : `group ${g + 1} of ${groups.length}: ${members.length} devices, ${ids(view, members)}`;
  const coords = model.mesh.coords.map((c) => c[position]).join(",");
  return `device ${model.mesh.ids[position] ?? 0}${at && ` at ${at}`}${coords && `, chip ${coords}`}; ${group}`;
}

function ids({ model }: CollectiveView, members: readonly number[]): string {
  return (
    members
      .slice(0, 16)
      .map((p) => model.mesh.ids[p])
      .join(", ") + (members.length > 16 ? " …" : "")
  );
}

/** The device that an arrow key goes to: the nearest in its direction; undefined for another key. */
function moved({ stage, group }: CollectiveView, from: number | null, key: string): number | undefined {
  const [dx, dy] = ARROWS[key] ?? [0, 0];
  if (dx === 0 && dy === 0) return undefined;
  if (from === null) return group[0] ?? 0;
  const here = stage.boxes[from];
  if (!here) return from;
  let [best, least] = [from, Number.POSITIVE_INFINITY];
  stage.boxes.forEach((box, p) => {
    const [x, y] = [box.x - here.x, box.y - here.y];
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead > 0.1 && aside < 0.1 && ahead < least) [best, least] = [p, ahead];
  });
  return best;
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
