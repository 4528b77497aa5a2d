/** The mesh with its blocks: a canvas, and a list of devices for the keyboard over it. */

import { boxStyle, Listbox } from "../card/Listbox";
import { pointOf } from "../card/pointed";
import { inside } from "../draw/marks";
import { Loaded } from "./Loaded";
import { boxOf, type Hit } from "./scene/view";
import type { StepperState } from "./state";

export function Canvas({ state }: { state: StepperState }) {
  const view = state.view();
  const { device } = state.now;
  if (!view) return null;
  const { layout, trace } = view;
  const { mesh } = trace;
  const at = device ?? 0;
  const box = boxOf(view, at) ?? NOWHERE;
  const pointed = (event: MouseEvent): Hit | null => {
    const [x, y] = pointOf(event);
    if (state.now.parts) return state.now.parts.hitAt(view, x, y);
    const [seat] = [...view.seats].find(([, box]) => inside(box, x, y)) ?? [];
    return seat === undefined ? null : { device: seat, slot: null, cell: null };
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
      <Listbox
        label={`mesh, ${mesh.size} devices`}
        said={state.now.parts?.label() ?? `device ${mesh.ids[at] ?? 0}`}
        at={boxStyle(box)}
        id="device"
        selected={device !== null}
        place={{ index: at, of: mesh.size }}
        onFocus={(event) => {
          state.set({ keyboard: event.currentTarget.matches(":focus-visible") });
        }}
        onBlur={() => state.set({ keyboard: false })}
        onKeyDown={(event) =>
          state.use((parts) => {
            const next = parts.goes(event.key);
            if (!next) return;
            event.preventDefault();
            event.stopPropagation();
            state.set({ keyboard: true, ...next });
          })
        }
      />
      <p class="worked hidden">{view.options.rules?.said(view)}</p>
      <Loaded draw={state.now.parts?.over} />
    </div>
  );
}

const NOWHERE = { x: 0, y: 0, w: 0, h: 0 };
