/** Small things that stand in the cells of a comparison. */

import type { Compared, Layout, Semantics } from "../core/document.gen";
import { AXIS_DASH } from "../draw/marks";
import { placedOf } from "./model/cells";
import type { ComparisonModel } from "./model/comparison";
import { pictureText, shortName } from "./model/words";
import type { Pictures } from "./pictures";

/** Where a value lies: the small picture with its copies, and the text. */
export function Placed({
  model,
  pictures,
  value,
  layout,
  which,
  named,
  plain,
}: {
  model: ComparisonModel;
  pictures: Pictures;
  value: Compared;
  layout: Layout;
  which: "explicit" | "concrete" | `fix ${number}`;
  /** Whether the name stands before it, where a row has several values. */
  named?: boolean;
  /** Whether there is no picture. */
  plain?: boolean;
}) {
  const { placement, copies, tokens } = placedOf(model, value, layout);
  const picture = !plain && placement && pictures.of(placement);
  return (
    <span class="placed">
      {named && (
        <span class="mono soft name" title={value.name}>
          {shortName(value.name)}
        </span>
      )}
      {picture && (
        <span class="mini">
          <img
            src={picture.src}
            width={picture.width}
            height={picture.height}
            alt={pictureText(picture.placement)}
            data-picture={which}
            draggable={false}
          />
          <span class="copies">
            {copies.map(({ axis, size }) => (
              <b class={`ink${axis % AXIS_DASH.length}`} key={axis}>
                ×{size}
              </b>
            ))}
          </span>
        </span>
      )}
      <span class="mono type" title={plain ? layout.text : undefined}>
        {tokens.map(({ text, axis }, i) => (
          <span class={axis === null ? "" : `axis ink${axis % AXIS_DASH.length}`} key={i}>
            {plain ? text : breakable(text)}
          </span>
        ))}
      </span>
    </span>
  );
}

/** A type or a spec that is too long breaks after a comma, not within a number or a name. */
function breakable(text: string) {
  const [first, ...rest] = text.split(",");
  return [first, ...rest.map((piece) => [",", <wbr key={piece} />, piece])];
}

/** What a collective does, as arrows in the ink of its axis. */
export function Arrows({ semantics, axis }: { semantics: Semantics; axis: number | null }) {
  const drawing = drawingOf(semantics);
  const dash = axis === null ? [] : (AXIS_DASH[axis % AXIS_DASH.length] ?? []);
  return (
    <svg class="arrows" viewBox="0 0 32 22" width="32" height="22" aria-hidden="true">
      <path d={PATHS[drawing]} fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray={dash.join(" ")} />
      <path d={HEADS[drawing]} fill="currentColor" />
    </svg>
  );
}

type Drawing = "gathers" | "scatters" | "crosses" | "moves" | "exchanges";

function drawingOf({ starts, cuts, by_origin }: Semantics): Drawing {
  if (by_origin) return "crosses";
  if (starts === "nothing") return "moves";
  return cuts === "received" ? "gathers" : cuts === "sent" ? "scatters" : "exchanges";
}

const PATHS: Readonly<Record<Drawing, string>> = {
  exchanges: "M2 6H23M30 16H9",
  gathers: "M2 6H13M30 6H19M2 16H13M30 16H19",
  moves: "M2 11H23",
  crosses: "M2 4L24 17M2 18L24 5",
  scatters: "M13 6H9M19 6H23M13 16H9M19 16H23",
};
const HEADS: Readonly<Record<Drawing, string>> = {
  exchanges: "M30 6l-8 -4v8zM2 16l8 -4v8z",
  gathers: "M16 6l-6 -4v8zM16 6l6 -4v8zM16 16l-6 -4v8zM16 16l6 -4v8z",
  moves: "M30 11l-8 -4v8z",
  crosses: "M30 20l-9 -1 4.5 -6.5zM30 2l-9 1 4.5 6.5z",
  scatters: "M2 6l8 -4v8zM30 6l-8 -4v8zM2 16l8 -4v8zM30 16l-8 -4v8z",
};
