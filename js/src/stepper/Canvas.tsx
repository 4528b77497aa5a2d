/** The mesh with its blocks: a canvas, and a list of devices for the keyboard over it. */

import { clauses } from "../core/text";
import { deviceBox } from "../draw/grid";
import { Brought } from "./Brought";
import { blockSentence, deviceText } from "./model/blocktip";
import { caption } from "./model/caption";
import { hitAt } from "./scene/hit";
import type { Hit } from "./scene/view";
import type { StepperState } from "./state";

export function Canvas({ state }: { state: StepperState }) {
  const view = state.view();
  const { device } = state.now;
  if (!view) return null;
  const { layout, trace, stage } = view;
  const { mesh } = trace;
  const at = device ?? 0;
  const box = view.seats.get(at) ?? (stage.map ? deviceBox(mesh, stage.map, at) : NOWHERE);
  const kept = device === null ? null : state.kept();
  const pointed = (event: MouseEvent): Hit | null => {
    const bounds = (event.currentTarget as Element).getBoundingClientRect();
    return hitAt(view, event.clientX - bounds.left, event.clientY - bounds.top);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the listbox inside does the same by keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      class="picture"
      style={{ height: `${layout.height}px` }}
      onPointerMove={(event) => state.point(pointed(event))}
      onPointerLeave={() => state.point(null)}
      onClick={(event) => {
        const hit = pointed(event);
        const again = hit?.device === device;
        state.set({ device: again ? null : (hit?.device ?? null), slot: hit?.slot ?? null });
      }}
    >
      <div aria-hidden="true" ref={state.layer.attach} />
      <div
        class="panel"
        role="listbox"
        tabIndex={0}
        aria-label={`mesh, ${mesh.size} devices`}
        aria-activedescendant="device"
        style={{ inset: "0" }}
        onFocus={(event) => {
          state.set({ keyboard: event.currentTarget.matches(":focus-visible") });
        }}
        onBlur={() => state.set({ keyboard: false })}
        onKeyDown={(event) => {
          const next = moved(state, event.key);
          if (!next) return;
          event.preventDefault();
          event.stopPropagation();
          state.set({ keyboard: true, ...next });
        }}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: the listbox keeps the focus and points here */}
        <div
          id="device"
          class="option"
          role="option"
          aria-selected={device !== null}
          aria-posinset={at + 1}
          aria-setsize={mesh.size}
          aria-label={kept ? blockSentence(kept.text) : deviceText(trace, at)}
          style={{ left: `${box.x}px`, top: `${box.y}px`, width: `${box.w}px`, height: `${box.h}px` }}
        />
      </div>
      {stage.pager !== null && (
        <span class="pager" style={{ left: `${stage.pager}px` }}>
          {([-1, 1] as const).map((by) => (
            <button
              type="button"
              aria-label={by < 0 ? "group before" : "next group"}
              onClick={(event) => {
                // A press on the picture lets go of the device.
                event.stopPropagation();
                state.turnGroup(by);
              }}
              key={by}
            >
              {by < 0 ? "◂" : "▸"}
            </button>
          ))}
        </span>
      )}
      <p class="worked hidden">{clauses([view.options.rules?.worked(view) ?? "", ...caption(view)], " ")}</p>
      <Brought draw={state.now.parts?.tip} />
    </div>
  );
}

const NOWHERE = { x: 0, y: 0, w: 0, h: 0 };

/** The device and block that a key goes to; null for any other key. */
function moved(state: StepperState, key: string): { device: number | null; slot?: number | null } | null {
  const view = state.view();
  const { device } = state.now;
  if (!view) return null;
  if (key === "Escape" && device !== null) return { device: null };
  if (key === "Enter" && device !== null) {
    const count = view.slots.length;
    return { device, slot: count > 0 ? ((state.keptSlot() ?? -1) + 1) % count : null };
  }
  const { mesh } = view.trace;
  const move = arrow(key, mesh.meshShape, view.stage.map);
  if (!move) return null;
  if (device === null) return { device: 0 };
  const [axis, by] = move;
  const digits = mesh.digits(device);
  const n = mesh.meshShape[axis] ?? 1;
  const to = (digits[axis] ?? 0) + by;
  if (to >= 0 && to < n) digits[axis] = to;
  return { device: digits.reduce((index, digit, a) => index * (mesh.meshShape[a] ?? 1) + digit, 0) };
}

/** The mesh axis that an arrow key goes along, and how far: in a line of devices that is wrapped, a row. */
function arrow(
  key: string,
  shape: readonly number[],
  map: { wrapped: boolean; columns: number } | null,
): readonly [number, number] | null {
  const across = Math.min(1, shape.length - 1);
  const row = map?.wrapped ? map.columns : 1;
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [0, -row],
    ArrowDown: [0, row],
    ArrowLeft: [across, -1],
    ArrowRight: [across, 1],
  };
  return moves[key] ?? null;
}
