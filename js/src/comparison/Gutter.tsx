/** Left of the lines: the way of the axis that is asked about, from the row that gave it to the open one; and who lost. */
import { AXIS_DASH } from "../draw/marks";
import type { Way } from "./model/gutter";

/** Where the lines are: of the axis, and of those that lost. */
const LANES = [5, 15] as const;

export function Gutter({ way, ink }: { way: Way; ink: number }) {
  if (!way) return null;
  return (
    <svg class={`gutter ink${ink}`} aria-hidden="true">
      {way.split("|").map((lane, i) => {
        const [ends, mark] = lane.split(" ");
        const [x, lost] = [LANES[i] ?? 0, i > 0];
        if (!ends) return null;
        return (
          <g key={i}>
            <line
              x1={x}
              x2={x}
              y1={ends.startsWith("a") ? "0" : "50%"}
              y2={ends.endsWith("b") ? "100%" : "50%"}
              stroke="currentColor"
              stroke-width={lost ? 1.5 : 2.6}
              stroke-dasharray={AXIS_DASH[ink]?.join(" ")}
            />
            {mark && (
              <svg x={x} y="50%" overflow="visible" aria-hidden="true">
                {mark === "to" && !lost && <path d="M-4 -5l9 5l-9 5z" fill="currentColor" />}
                {mark === "to" && lost && (
                  <g class="crossed">
                    <circle r="4.4" />
                    <path d="M-1.8 -1.8l3.6 3.6M1.8 -1.8l-3.6 3.6" />
                  </g>
                )}
                {mark === "from" && <circle r="3.2" class={lost ? "hollow" : "filled"} />}
              </svg>
            )}
          </g>
        );
      })}
    </svg>
  );
}
