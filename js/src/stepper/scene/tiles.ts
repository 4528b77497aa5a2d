/** Tiles of devices with their blocks, as they are at a moment. */

import type { Variable } from "../../core/document.gen";
import { BOLD, type Box, EMPTY, label, type Mark, MONO, type Stroke } from "../../draw/marks";
import { fit, fitName, textWidth } from "../../draw/measure";
import { isFuture } from "../model/futures";
import { blockMarks } from "./block";
import type { Face } from "./contents";
import { copiesSpans } from "./copies";
import { futureMarks } from "./future";
import { blockColor, fills, markIn, numberOf, numbers, partsOf, together } from "./look";
import { heldMarks, sender, sends } from "./permuted";
import { idOf } from "./piece";
import { type Place, type Tile, TWO_LINES } from "./stage";
import { type Moving, moves, type StepView } from "./view";

const TILE = 7;

/** A tile with its id and the blocks that it holds now. */
export function tileMarks(view: StepView, tile: Tile, after = false): Mark[] {
  return [...groundMarks(view, tile, after), ...insideMarks(view, tile, after)];
}

/** The tile with its id. */
export function groundMarks(view: StepView, tile: Tile, after = false): Mark[] {
  const { options } = view;
  const { box, members } = tile;
  const [p = 0] = members;
  const picked = members.length === 1 && options.device === p && !after;
  const idle = after && moves(view) && sender(view, p) === null;
  const stroke: Stroke = picked
    ? { color: "ink", width: 2.2 }
    : { color: "faint", width: 1, ...(idle ? { dash: [4, 3] } : {}) };
  return [{ kind: "rect", ...box, r: TILE, fill: idle ? "bg" : "panel", stroke }, ...nameMarks(view, tile)];
}

const runs = ({ active }: StepView, { members }: Tile) => active === null || members.some((m) => active.has(m));

/** The blocks that a tile holds now. */
export function insideMarks(view: StepView, tile: Tile, after = false): Mark[] {
  const { box, members } = tile;
  const [p = 0] = members;
  const marks: Mark[] = [];
  const moving = moves(view) ? view : null;
  if (!runs(view, tile)) {
    const y = tile.id === "above" ? box.y + 36 : box.y + box.h / 2 + 4;
    const x = tile.id === "above" ? box.x + 10 : (tile.places[0]?.box.x ?? box.x + 30);
    marks.push(label(x, y, fit("does not run", box.x + box.w - x - 6, 11), 11, "muted"));
    return marks;
  }
  for (const place of tile.places) {
    if (!moving) marks.push(...plainMarks(view, p, place));
    else if (after) marks.push(...heldMarks(moving, tile, place.box));
    else marks.push(...movingMarks(moving, tile, place));
  }
  if (!moving) marks.push(...arrowMarks(view, tile));
  else if (members.length === 1) marks.push(...(view.options.rules?.readingMarks(moving, tile) ?? []));
  return marks;
}

/** The id, with coordinates under or beside it. */
function nameMarks(view: StepView, tile: Tile): Mark[] {
  const { box, members, id, coordinates } = tile;
  const { mesh } = view.trace;
  const [p = 0] = members;
  const text = idOf(view, members);
  const digits = members.length > 1 ? "" : `(${mesh.digits(p).join(",")})`;
  const ink = runs(view, tile) ? "ink" : "muted";
  if (id === "above") {
    const [y, w] = [box.y + 14, textWidth(text, 12, true)];
    const marks: Mark[] = [label(box.x + 9, y, text, 12, ink, BOLD)];
    const room = coordinates && mesh.axes.length > 0 && w + textWidth(digits, 10.5, true) + 24 < box.w;
    if (room) marks.push(label(box.x + 15 + w, y, digits, 10.5, "muted", MONO));
    return marks;
  }
  const x = box.x + 8;
  const two = coordinates && box.h >= TWO_LINES;
  const middle = box.y + box.h / 2;
  const marks: Mark[] = [label(x, two ? middle - 2 : middle + 4, text, 12, ink, BOLD)];
  if (!coordinates || mesh.axes.length === 0) return marks;
  const beside = x + textWidth(text, 12, true) + 6;
  marks.push(
    two ? label(x, middle + 12, digits, 10, "muted", MONO) : label(beside, middle + 4, digits, 10, "muted", MONO),
  );
  return marks;
}

/** From the blocks before to those after. */
function arrowMarks(view: StepView, tile: Tile): Mark[] {
  const count = view.show.before.length;
  const [last, first] = [tile.places[count - 1]?.box, tile.places[count]?.box];
  if (!last || !first || view.show.after.length === 0) return [];
  const stroke: Stroke = { color: "muted", width: 1.4 };
  const under = first.y >= last.y + last.h;
  const [y, x] = [last.y + Math.min(last.h, first.h) / 2, tile.box.x + tile.box.w - 12];
  const points = under
    ? ([
        [x, last.y + 2],
        [x, first.y + first.h / 2],
      ] as const)
    : ([
        [first.x - 24, y],
        [first.x - 6, y],
      ] as const);
  return [{ kind: "line", points, stroke, arrow: true }];
}

/** A block of a local step. */
function plainMarks(view: StepView, p: number, { v, box, face, room, name: named }: Place): Mark[] {
  const { trace, step } = view;
  const wrong = step.primitive === "error" && trace.doc.error?.variable === v.id;
  const scale = view.formats.get(v.id)?.exponent ?? "";
  const exponent = scale && ` ${scale}`;
  const copies = copiesSpans(trace, v);
  const chip = textWidth(copies.map((s) => s.text).join(""), 10, true);
  // Where a block lies in the result is shown beside the tiles.
  const whole = step.primitive === "out_specs" || isFuture(v) ? v.name : trace.nameOf(v, p);
  const name = fitName(whole, room - textWidth(exponent, 10, true), 10, true) + exponent;
  // The copies give way before the name does.
  const both = textWidth(name, 10, true) + chip <= room;
  const title: Mark[] =
    room > 0 ? [label(box.x, named ?? box.y - 4, [{ text: name }, ...(both ? copies : [])], 10, "muted", MONO)] : [];
  if (isFuture(v)) return [...title, ...futureMarks(trace, v, box, wrong)];
  return [
    ...title,
    ...blockMarks(box, {
      ...numbers(view, v, face, (element) => numberOf(view, v, p, element)),
      ...fills(view, v, p, face),
      hatch: v.unreduced.length > 0 ? view.hatch : null,
      ...(wrong ? { stroke: { color: "error", width: 2 } } : {}),
    }),
  ];
}

/** The block of a tile in a collective: what the device has now. */
function movingMarks(view: Moving, tile: Tile, { v, box, face }: Place): Mark[] {
  const { stage, input, adds, finished, hops, options } = view;
  const [p = 0] = tile.members;
  const mark = markIn(view, face, p);
  // Members that are folded into one row hold the same in the end, or nothing that can be drawn once.
  if (tile.members.length > 1 && !(finished && view.collective.semantics.replicates))
    return foldedMarks(view, tile, { v, box, face, room: 0 });
  if (stage.chunks > 1 && options.rules) return options.rules.stripMarks(view, p, box, face);
  if (finished && stage.motion === "gather") return fittedMarks(view, box, p, mark);
  if (hops) return wholeMarks(view, p, v, face, box);
  return blockMarks(box, {
    ...numbers(view, v, face, (element) => numberOf(view, v, p, element)),
    ...fills(view, input, p, face),
    hatch: adds ? view.hatch : null,
    mark,
    alpha: sends(view, p) ? 1 : 0.5,
  });
}

/** Members in one row: while they are summed, what they make together. */
function foldedMarks(view: Moving, { members }: Tile, { v, box, face }: Place): Mark[] {
  const { stage, input, adds, finished } = view;
  const [p = 0] = members;
  const sums = adds && stage.motion === "gather" && !finished;
  return blockMarks(box, {
    ...numbers(view, v, face, (element) => (sums ? together(view, members, element) : "")),
    fill: blockColor(view, input, p),
    hatch: adds ? view.hatch : null,
    mark: markIn(view, face, p),
  });
}

/** A block that goes round whole: what has not arrived yet is an empty place. */
function wholeMarks(view: Moving, p: number, v: Variable, face: Face, box: Box): Mark[] {
  const [from] = partsOf(view, p, 0);
  if (from === undefined) return blockMarks(box, { ...numbers(view, v, face, () => ""), fill: null, stroke: EMPTY });
  const look = numbers(view, v, face, (element) => numberOf(view, view.output, p, element));
  return blockMarks(box, { ...look, fill: blockColor(view, view.input, from) });
}

/** A result in the place of the block before it, whose face it mostly has. */
function fittedMarks(view: Moving, box: Box, p: number, mark: number | null): Mark[] {
  const { face: before, after } = view.stage;
  const { v, face } = after;
  const w = (box.w / before.columns) * face.columns;
  const h = (box.h / before.rows) * face.rows;
  const at = { x: box.x, y: box.y + (box.h - h) / 2, w, h };
  return blockMarks(at, {
    ...numbers(view, v, face, (element) => numberOf(view, v, p, element)),
    ...fills(view, v, p, face),
    mark: face.elements.length === before.elements.length ? mark : null,
  });
}
