/** The chart: two canvases, the cursor's above the bars', and what the pointer does on them. */

import { pointOf } from "../../card/pointed";
import type { MemoryPage, ShownMemory } from "./page";
import { stepAt } from "./scene/layout";

/** Pixels that the pointer may move in a click. */
const CLICK = 4;

export function Chart({ page, shown: { model, layout, step } }: { page: MemoryPage; shown: ShownMemory }) {
  const at = (event: PointerEvent) => stepAt(layout, layout.left + pointOf(event)[0]);
  return (
    <div class="chart" style={{ height: `${layout.height}px` }}>
      <div class="behind" ref={page.chart.attach} />
      <div class="behind" ref={page.cursor.attach} />
      <div
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={`memory over the schedule of ${model.doc.name || "the program"}`}
        aria-valuemin={1}
        aria-valuemax={model.steps}
        aria-valuenow={step + 1}
        aria-valuetext={page.sentence()}
        onPointerMove={(event) => {
          if (page.grabbed === null || !event.buttons) page.look(at(event));
          else if (Math.abs(event.clientX - page.grabbed) >= CLICK) {
            const grabbed = pointOf(event)[0] - event.clientX + page.grabbed;
            page.draw(stepAt(layout, layout.left + grabbed), at(event));
          }
        }}
        onPointerLeave={() => page.look(null)}
        onPointerDown={(event) => {
          page.grabbed = event.clientX;
          (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
        }}
        onPointerUp={(event) => {
          if (page.grabbed !== null && Math.abs(event.clientX - page.grabbed) < CLICK) page.pin(at(event));
          page.grabbed = null;
        }}
        onDblClick={() => page.release()}
      />
    </div>
  );
}
