/** The card of device orders on chips: the answer first, then each order's links, and what crosses the one under the pointer. */

import { Foot } from "../card/Foot";
import { Head } from "../card/Head";
import { pointOf } from "../card/pointed";
import { Says } from "../card/Says";
import { Segments } from "../card/Tools";
import { KEYS } from "./keys";
import { factsOf, hopText, sentenceOf, totalOf } from "./model/links";
import type { LinksState } from "./state";

export function LinksCard({ state }: { state: LinksState }) {
  const found = state.shown();
  if (!found) return null;
  const { doc, shown, layout } = found;
  const { lit, focus } = state.now;
  const [first] = shown.models;
  const planes = Math.max(...shown.models.map((model) => model.chips[2]));
  const model = shown.models[lit?.order ?? shown.at];
  const said = lit && model ? sentenceOf(model, lit.link) : "Point at a link: what crosses it";
  const point = (event: PointerEvent) => state.point(...pointOf(event));
  return (
    <div class="links">
      <Head title={shown.models[shown.at]?.order.name} axes={first?.mesh.axes} says={<Says>{doc.answer}</Says>}>
        <span class="soft">{factsOf(doc)}</span>
      </Head>
      <div class="tools">
        {shown.models.length > 1 && (
          <Segments
            legend="order"
            of={shown.models.map(({ order }, k) => [k, order.name] as const)}
            value={shown.at}
            choose={(order) => state.select(order)}
          />
        )}
        <Segments
          legend="transfers"
          of={[[-1, "all"] as const, ...(model?.order.crossings ?? []).map((c, k) => [k, c.name] as const)]}
          value={focus}
          choose={(chosen) => state.set({ focus: chosen })}
        />
        {planes > 1 && (
          <Segments
            legend="plane"
            of={Array.from({ length: Math.min(planes, 16) }, (_, z) => [z, `z = ${z}`] as const)}
            value={state.now.plane}
            choose={(plane) => state.set({ plane, lit: null })}
          />
        )}
      </div>
      <div class="picture" style={{ height: `${layout.height}px` }} onPointerMove={point} onPointerDown={point}>
        <div aria-hidden="true" ref={state.layer.attach} />
        <ul class="hidden">
          {shown.models.map(({ order }) => (
            <li key={order.name}>
              {order.name}: {totalOf(order)}.{" "}
              {order.crossings.map((c) => `links a hop over ${c.name}: ${hopText(c, state.now.width)}`).join("; ")}
            </li>
          ))}
        </ul>
      </div>
      <p class="reading" role="status">
        {said}
      </p>
      <Foot keys={KEYS}>
        <ul class="legend" aria-label="picture">
          <li>
            <i class="strand" aria-hidden="true" /> a hop, thicker where several share the link
          </li>
          <li>
            <i class="strand idle" aria-hidden="true" /> idle
          </li>
          <li>out of the edge: wraparound</li>
          {planes > 1 && <li>aslant: to the next plane</li>}
        </ul>
      </Foot>
    </div>
  );
}
