/** The lanes of one run: two canvases, the cursor's above the bars', and what the pointer does on them. */
import { pointOf } from "../card/pointed";
import { count } from "../core/text";
import { laneAt, tickAt } from "./scene/layout";
import type { Chart, RunState } from "./state";

interface Props {
  state: RunState;
  chart: Chart;
  /** Index of the run. */
  at: number;
  /** What it is called, where there are several. */
  name: string;
}

/** Pixels that the pointer may move in a click. */
const CLICK = 4;

export function Lanes({ state, chart, at, name }: Props) {
  const { layout, model } = chart;
  const { lanes, cursor } = state.layers(at);
  const place = (event: PointerEvent | WheelEvent) => {
    const [x, y] = pointOf(event);
    return { tick: Math.max(0, tickAt(layout, chart.span, Math.max(layout.left, x))), lane: laneAt(layout, y) };
  };
  const here = state.now.open === at ? state.now.cursor : null;
  const open = () => {
    if (state.now.open !== at) state.openRun(at);
  };
  return (
    <section class="lanes" aria-label={`lanes of ${name || state.name()}`}>
      {name && <h3 class="mono">{name}</h3>}
      <div
        class="chart"
        role="slider"
        tabIndex={0}
        aria-label={`${name || "timeline"}: ${count(model.lanes.length, "device")}, call ${chart.call + 1} of ${model.calls}`}
        aria-valuemin={0}
        aria-valuemax={Math.round(model.ticks(chart.call))}
        aria-valuenow={Math.round(here?.tick ?? 0)}
        aria-valuetext={here ? state.sentence() : "no moment selected"}
        style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
        onFocus={open}
        onPointerMove={(event) =>
          drag(state, chart, event) || (state.now.pinned && !event.buttons) || state.look(place(event))
        }
        onPointerLeave={() => !state.now.pinned && state.look(null)}
        onPointerDown={(event) => {
          open();
          state.grabbed = event.clientX;
        }}
        onPointerUp={(event) => {
          if (Math.abs(event.clientX - state.grabbed) < CLICK) state.pin(place(event));
        }}
        onDblClick={() => state.set({ span: null })}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          state.zoom(event.deltaY > 0 ? 1.25 : 0.8, place(event).tick);
        }}
      >
        <div ref={lanes.attach} />
        <div ref={cursor.attach} />
      </div>
      {layout.omitted > 0 && (
        <p class="small soft">
          {layout.places.length} of {model.lanes.length} lanes: the device that is waited for most often, and{" "}
          {layout.folded
            ? "one for each kind of the others: devices that run the same operations and wait about as long."
            : "an even sample of the others."}
        </p>
      )}
    </section>
  );
}

/** Moves the stretch that is shown, while a button is down and there is more. */
function drag(state: RunState, { layout, span }: Chart, event: PointerEvent): boolean {
  if (!event.buttons || !state.now.span) return false;
  state.pan((-event.movementX / layout.span) * (span.to - span.from));
  return true;
}
