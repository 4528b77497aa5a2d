/** A permutation: what each member holds in the end, and whose block goes nowhere. */

import { type Box, EMPTY, label, type Mark } from "../../draw/marks";
import { permutes, tells } from "../model/semantics";
import { blockMarks } from "./block";
import { fromMarks, futureMarks } from "./future";
import { blockColor, numberOf, numbers } from "./look";
import type { Tile } from "./stage";
import type { Moving } from "./view";

/** What a member of a permutation holds in the end. */
export function heldMarks(view: Moving, tile: Tile, box: Box): Mark[] {
  const { input, output, flow } = view;
  const { face } = view.stage.after;
  const [p = 0] = tile.members;
  const from = sender(view, p);
  const look = numbers(view, output, face, (element) => numberOf(view, output, p, element));
  if (from === null) {
    const [x, y] = [tile.box.x + tile.box.w + 6, tile.box.y + tile.box.h / 2];
    return [
      ...blockMarks(box, { ...look, fill: null, stroke: EMPTY, ink: "muted" }),
      label(x, y - 2, "no sender:", 10, "muted"),
      label(x, y + 10, "zeros", 10, "ink", { weight: 700 }),
    ];
  }
  const transfer = view.trace.transfer(view.step);
  if (transfer && flow.arrived === 0)
    return [...futureMarks(view.trace, transfer.future, box), ...fromMarks(view, transfer, from, box, tile.box)];
  if (flow.arrived === 0 && from !== p) return blockMarks(box, { ...look, text: null, fill: null, stroke: EMPTY });
  return blockMarks(box, { ...look, fill: blockColor(view, input, from) });
}

/** The member that a member of a permutation receives from; null where nobody sends to it. */
export function sender({ stage, played, collective }: Moving, p: number): number | null {
  const rank = stage.group.indexOf(p);
  const from = (played?.rounds[0] ?? []).find((t) => t.destination === rank)?.source;
  if (from === undefined) return tells(collective) ? p : null;
  return stage.group[from] ?? null;
}

/** Whether a member of a permutation sends its block to anyone. */
export function sends({ stage, played, collective }: Moving, p: number): boolean {
  const rank = stage.group.indexOf(p);
  return !permutes(collective) || (played?.rounds[0] ?? []).some((t) => t.source === rank);
}

/** A member whose block goes nowhere: a short line with a cross. */
export function unsentMarks(view: Moving): Mark[] {
  return view.stage.lanes.flatMap(({ tile: { box }, members: [p = 0] }): Mark[] => {
    if (sends(view, p)) return [];
    const [x, y] = [box.x + box.w, box.y + box.h / 2];
    const line = (...points: [number, number][]): Mark => ({
      kind: "line",
      points,
      stroke: { color: "muted", width: 1.6 },
    });
    return [line([x + 2, y], [x + 9, y]), line([x + 6, y - 4], [x + 14, y + 4]), line([x + 6, y + 4], [x + 14, y - 4])];
  });
}
