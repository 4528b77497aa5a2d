/** A permutation: who sends to whom, what each member holds in the end, ways between. */

import { axisStroke, type Box, label, type Mark, type Stroke } from "../../draw/marks";
import { permutes, tells } from "../model/semantics";
import { blockMarks } from "./block";
import { laneWidth, routesIn } from "./flights";
import { colorOf, EMPTY, numbers } from "./look";
import type { Tile } from "./stage";
import type { StepView } from "./view";

/** Everything that does not fly. */
export function permutedMarks(view: StepView): Mark[] {
  return [...elbowMarks(view), ...unsentMarks(view)];
}

/** What a member of a permutation holds in the end. */
export function heldMarks(view: StepView, tile: Tile, box: Box): Mark[] {
  const { stage, input, output } = view;
  const [p = 0] = tile.members;
  const from = sender(view, p);
  if (!output || !input || !stage.after) return [];
  const { face } = stage.after;
  const arrived = view.flow.arrived > 0;
  if (from === null) {
    const zeros = numbers(view, output, face, (element) => view.text(output, p, element));
    return [
      ...blockMarks(box, { ...zeros, fill: null, stroke: EMPTY, ink: "muted" }),
      label(tile.box.x + tile.box.w + 6, tile.box.y + tile.box.h / 2 - 2, "no sender:", 10, "muted"),
      label(tile.box.x + tile.box.w + 6, tile.box.y + tile.box.h / 2 + 10, "zeros", 10, "ink", { weight: 700 }),
    ];
  }
  if (!arrived && from !== p)
    return blockMarks(box, { ...numbers(view, output, face, () => ""), fill: null, stroke: EMPTY });
  const look = numbers(view, output, face, (element) => view.text(output, p, element));
  return blockMarks(box, { ...look, fill: colorOf(view, input, from) });
}

/** The member that a member of a permutation receives from; null where nobody sends to it. */
export function sender(view: StepView, p: number): number | null {
  const { stage, played, collective: c } = view;
  if (stage.motion !== "permute") return null;
  const rank = stage.group.indexOf(p);
  const from = (played?.rounds[0] ?? []).find((t) => t.destination === rank)?.source;
  if (from === undefined) return tells(c) ? p : null;
  return stage.group[from] ?? null;
}

/** Whether a member of a permutation sends its block to anyone. */
export function sends(view: StepView, p: number): boolean {
  const rank = view.stage.group.indexOf(p);
  return !permutes(view.collective) || (view.played?.rounds[0] ?? []).some((t) => t.source === rank);
}

/** Elbows from what a member sends to who holds it after. */
function elbowMarks(view: StepView): Mark[] {
  const { stage } = view;
  const width = laneWidth(view);
  return routesIn(view).flatMap((route): Mark[] => {
    const [from, to] = [stage.lanes[route.from]?.tile.box, stage.holds[route.to]?.box];
    if (!from || !to) return [];
    const x = from.x + from.w + 14 + (route.lane + 0.5) * width;
    // What leaves a row and what arrives in it are two lines, or they would look like one way straight across.
    const apart = Math.min(4, from.h / 6);
    const [y0, y1] = [from.y + from.h / 2 + apart, to.y + to.h / 2 - apart];
    return [elbow([from.x + from.w + 2, y0], x, [to.x - 4, y1], axisStroke(view.axis, 1.3))];
  });
}

/** A way with two corners: to a lane, along it, and off. */
export function elbow(
  from: readonly [number, number],
  lane: number,
  to: readonly [number, number],
  stroke: Stroke,
): Mark {
  return { kind: "line", points: [from, [lane, from[1]], [lane, to[1]], to], stroke, r: 6, arrow: true };
}

/** A member whose block goes nowhere: a short line with a cross. */
function unsentMarks(view: StepView): Mark[] {
  const { stage, played, collective: c } = view;
  if (!permutes(c)) return [];
  const sent = new Set((played?.rounds[0] ?? []).map((t) => t.source));
  return stage.lanes.flatMap(({ tile, rank }): Mark[] => {
    if (sent.has(rank)) return [];
    const [x, y] = [tile.box.x + tile.box.w, tile.box.y + tile.box.h / 2];
    const line = (...points: [number, number][]): Mark => ({
      kind: "line",
      points,
      stroke: { color: "muted", width: 1.6 },
    });
    return [line([x + 2, y], [x + 9, y]), line([x + 6, y - 4], [x + 14, y + 4]), line([x + 6, y + 4], [x + 14, y - 4])];
  });
}
