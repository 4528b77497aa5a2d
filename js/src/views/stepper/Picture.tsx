/** The mesh with its blocks: a canvas, and a list of devices for the keyboard over it. */
import { deviceBox } from "../../scene/grid";
import { deviceAt } from "../../scene/stepper";
import type { StepperLayer } from "./layer";
import type { StepperState } from "./state";

export function Picture({ state, layer }: { state: StepperState; layer: StepperLayer }) {
  const layout = state.layout();
  const { trace, device, moment } = state.now;
  if (!layout || !trace) return null;
  const { mesh } = trace;
  const at = device ?? 0;
  const box = deviceBox(mesh, layout.grid, at);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the listbox inside does the same by keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      class="picture"
      style={{ height: `${layout.height}px` }}
      onClick={(event) => {
        const bounds = event.currentTarget.getBoundingClientRect();
        const at = [event.clientX - bounds.left, event.clientY - bounds.top] as const;
        const hit = deviceAt(trace, layout, { step: moment.step, device }, ...at);
        state.set({ device: hit === device ? null : hit });
      }}
    >
      <div aria-hidden="true" ref={layer.attach} />
      <div
        class="panel"
        role="listbox"
        tabIndex={0}
        aria-label={`mesh, ${mesh.size} devices`}
        aria-activedescendant="device"
        style={{ inset: "0" }}
        onKeyDown={(event) => {
          const next = moved(state, event.key);
          if (next === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          state.set({ device: next });
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
          aria-label={`device ${mesh.ids[at] ?? 0} at ${mesh.axes.map((a, i) => `${a.name}=${mesh.digits(at)[i] ?? 0}`).join(", ")}`}
          style={{ left: `${box.x}px`, top: `${box.y}px`, width: `${box.w}px`, height: `${box.h}px` }}
        />
      </div>
    </div>
  );
}

/** The device that a key goes to; null for none, undefined for a key of somebody else's. */
function moved(state: StepperState, key: string): number | null | undefined {
  const { trace, device } = state.now;
  if (!trace) return undefined;
  const { mesh } = trace;
  if (key === "Escape") return null;
  const across = Math.min(1, mesh.meshShape.length - 1);
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
    ArrowLeft: [across, -1],
    ArrowRight: [across, 1],
  };
  const move = moves[key];
  if (!move) return undefined;
  if (device === null) return 0;
  const digits = mesh.digits(device);
  const [axis, by] = move;
  const n = mesh.meshShape[axis] ?? 1;
  digits[axis] = Math.max(0, Math.min(n - 1, (digits[axis] ?? 0) + by));
  return digits.reduce((index, digit, a) => index * (mesh.meshShape[a] ?? 1) + digit, 0);
}
