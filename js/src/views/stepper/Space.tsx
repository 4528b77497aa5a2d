/** Space-time of a trace: its rows as buttons, the grid of devices as a canvas, loops that fold. */
import { originsOf } from "../../model/spacetime";
import { some } from "../../model/text";
import { primitiveName, type TraceModel } from "../../model/trace";
import type { StepperState } from "./state";

export function Space({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const space = state.space();
  const layout = state.layout();
  if (!space || !layout) return null;
  const { ids } = trace.mesh;
  const followed = state.now.device;
  const at = state.spaceStep();
  return (
    <div class="space" style={{ height: `${layout.height + 12}px` }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: rows and devices are chosen by keyboard as well */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div
        class="picture"
        style={{ height: `${space.height}px` }}
        onClick={(event) => {
          const bounds = event.currentTarget.getBoundingClientRect();
          const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
          const row = space.rows.find((r) => y >= r.y - 20 && y < r.y + r.h + 4);
          if (!row) return;
          const device = Math.floor((x - space.left) / space.pitch);
          const inside = device >= 0 && device < trace.mesh.size;
          // A press on a tile follows its block; a second one lets go.
          const [v] = row.row.shown;
          const origin = inside && v ? (originsOf(trace, v, device)[0] ?? device) : -1;
          if (inside) state.set({ device: origin < 0 || origin === state.now.device ? null : origin });
          state.jump(row.row.steps.at(-1) ?? 0);
        }}
      >
        <div aria-hidden="true" ref={state.layer.attach} />
        <ol aria-label="steps and their blocks">
          {space.rows.map(({ row, y, h, text, note }) => {
            const [v] = row.shown;
            const held = v?.origin
              ? Array.from(ids, (id, p) => {
                  const from = originsOf(trace, v, p);
                  return `${id} holds ${from.map((o) => (o < 0 ? "zeros" : ids[o])).join(" ")}`;
                })
              : [];
            const current = row.steps.includes(at);
            const step = trace.step(row.steps[0] ?? 0);
            return (
              <li style={{ top: `${y + h / 2 - 16}px` }} ref={current ? reveal : null} key={row.steps[0]}>
                <button
                  type="button"
                  aria-current={current ? "step" : undefined}
                  aria-label={`step ${(row.steps[0] ?? 0) + 1}, ${step ? primitiveName(step) : ""}, ${note}${held.length > 0 ? `: device ${some(held, 16)}` : ""}`}
                  onClick={() => state.jump(row.steps.at(-1) ?? 0)}
                >
                  <b class="mono">{text}</b>
                  <span class="mono soft">{note}</span>
                </button>
              </li>
            );
          })}
        </ol>
        {space.brackets.map(({ loop, y, h, text, open }) => (
          <button
            type="button"
            class="bracket"
            aria-expanded={open}
            title={open ? "fold" : "unfold"}
            style={{ top: `${y}px`, height: `${Math.max(h, 60)}px` }}
            onClick={() => state.toggleLoop(loop)}
            key={loop}
          >
            <span>
              {text} {open ? "▾" : "▸"}
            </span>
          </button>
        ))}
      </div>
      <p class="hidden" role="status">
        {followed !== null && `block of device ${ids[followed]}`}
      </p>
    </div>
  );
}

/** Scrolls a row into view in its own box, and leaves the page where it is. */
function reveal(row: HTMLElement | null): void {
  const box = row?.closest(".space");
  if (!row || !box) return;
  const [top, bottom] = [row.offsetTop - 40, row.offsetTop + row.offsetHeight + 30];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

/** Which of both pictures is shown. */
export function Tabs({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const { page } = state.now;
  if (!trace.steps.some((s) => trace.communicates(s))) return null;
  return (
    <fieldset class="segments tabs">
      <legend>picture</legend>
      {(["tiles", "space-time"] as const).map((name) => (
        <button type="button" aria-pressed={page === name} onClick={() => state.set({ page: name })} key={name}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}
