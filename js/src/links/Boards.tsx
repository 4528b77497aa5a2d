/** Device orders with their tools, and what is said of what is pointed at. */

import { pointOf } from "../card/pointed";
import { Segments } from "../card/Tools";
import type { Board } from "./board";
import { hopText, totalOf } from "./model/links";

export function Boards({ board, select }: { board: Board; select: (order: number) => void }) {
  const found = board.shown();
  if (!found) return null;
  const { shown, layout } = found;
  const { models, at } = shown;
  const planes = Math.max(...models.map((model) => model.chips[2]));
  const point = (event: PointerEvent) => board.point(...pointOf(event));
  return (
    <>
      <div class="tools">
        {models.length > 1 && (
          <Segments
            legend="order"
            of={models.map(({ order }, k) => [k, order.name] as const)}
            value={at}
            choose={select}
          />
        )}
        <Segments
          legend="transfers"
          of={[[-1, "all"] as const, ...(models[at]?.order.crossings ?? []).map((c, k) => [k, c.name] as const)]}
          value={board.now.focus}
          choose={(chosen) => board.focus(chosen)}
        />
        {planes > 1 && (
          <Segments
            legend="plane"
            of={Array.from({ length: Math.min(planes, 16) }, (_, z) => [z, `z = ${z}`] as const)}
            value={shown.plane}
            choose={(plane) => board.look(plane)}
          />
        )}
      </div>
      <p class="reading" role="status">
        {board.said()}
      </p>
      <div
        class="picture"
        style={{ height: `${layout.height}px` }}
        onPointerMove={point}
        onPointerLeave={() => board.leave()}
        onPointerDown={(event) => board.choose(...pointOf(event))}
      >
        <div aria-hidden="true" ref={board.layer.attach} />
        <ul class="hidden">
          {models.map(({ order }) => (
            <li key={order.name}>
              {order.name}: {totalOf(order)}.{" "}
              {order.crossings.map((c) => `links a hop over ${c.name}: ${hopText(c, board.width)}`).join("; ")}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** What the strands of the picture mean. */
export function Legend({ board }: { board: Board }) {
  const models = board.shown()?.shown.models ?? [];
  const planes = Math.max(...models.map((model) => model.chips[2]));
  return (
    <ul class="legend" aria-label="picture">
      <li>
        <i class="strand" aria-hidden="true" /> a hop, thicker where several share the link
      </li>
      <li>
        <i class="strand idle" aria-hidden="true" /> idle
      </li>
      {models.some(({ order }) => order.wraps.includes(true)) && <li>out of the edge: wraparound</li>}
      {planes > 1 && <li>aslant: to the next plane</li>}
    </ul>
  );
}
