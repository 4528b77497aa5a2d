/** Tiles of devices with their blocks, as they are at a moment. */

import type { Variable } from "../../core/document.gen";
import { BOLD, type Box, label, type Mark, MONO, type Stroke } from "../../draw/marks";
import { fit, fitName, textWidth } from "../../draw/measure";
import { type BlockLook, blockMarks } from "./block";
import type { Face } from "./contents";
import { copiesSpans } from "./copies";
import { colorOf, EMPTY, markIn, numbers } from "./look";
import { heldMarks, sender, sends } from "./permuted";
import type { Place, Tile } from "./stage";
import { readingMarks, stripMarks } from "./strips";
import type { StepView } from "./view";

const TILE = 7;

/** A tile with its id and the blocks that it holds now. */
export function tileMarks(view: StepView, tile: Tile, after = false): Mark[] {
  const { options, stage } = view;
  const { box, members } = tile;
  const [p = 0] = members;
  const folded = members.length > 1;
  const runs = view.active === null || members.some((m) => view.active?.has(m));
  const picked = !folded && options.device === p && !after;
  const idle = after && sender(view, p) === null;
  const stroke: Stroke = picked
    ? { color: "ink", width: 2.2 }
    : { color: "faint", width: 1, ...(idle ? { dash: [4, 3] } : {}) };
  const marks: Mark[] = [{ kind: "rect", ...box, r: TILE, fill: idle ? "bg" : "panel", stroke }];
  marks.push(...nameMarks(view, tile, runs));
  if (!runs) {
    const y = tile.id === "above" ? box.y + 36 : box.y + box.h / 2 + 4;
    const x = tile.id === "above" ? box.x + 10 : (tile.places[0]?.box.x ?? box.x + 30);
    marks.push(label(x, y, fit("does not run", box.x + box.w - x - 6, 11), 11, "muted"));
    return marks;
  }
  for (const place of tile.places) {
    if (stage.motion === "none") marks.push(...plainMarks(view, p, place));
    else marks.push(...movingMarks(view, tile, place, after));
  }
  if (stage.motion === "none") marks.push(...arrowMarks(view, tile));
  if (!folded) marks.push(...readingMarks(view, tile));
  return marks;
}

/** The id, with coordinates under or beside it. */
function nameMarks(view: StepView, { box, members, id, coordinates, places }: Tile, runs: boolean): Mark[] {
  const { mesh } = view.trace;
  const [p = 0] = members;
  const text = members.length > 1 ? `×${members.length}` : String(mesh.ids[p] ?? 0);
  const digits = members.length > 1 ? "" : `(${mesh.digits(p).join(",")})`;
  const ink = runs ? "ink" : "muted";
  if (id === "above") {
    const [y, w] = [box.y + 14, textWidth(text, 12, true)];
    const marks: Mark[] = [label(box.x + 9, y, text, 12, ink, BOLD)];
    const room = coordinates && mesh.axes.length > 0 && w + textWidth(digits, 10.5, true) + 24 < box.w;
    if (room) marks.push(label(box.x + 15 + w, y, digits, 10.5, "muted", MONO));
    return marks;
  }
  const x = box.x + 8;
  const block = places[0]?.box ?? box;
  const two = coordinates && block.h >= 32;
  const low = box.h >= 40 && coordinates;
  const middle = block.y + block.h / 2;
  const marks: Mark[] = [label(x, two || low ? middle - 2 : middle + 4, text, 12, ink, BOLD)];
  if (!coordinates || mesh.axes.length === 0) return marks;
  const beside = x + textWidth(text, 12, true) + 6;
  marks.push(
    two || low
      ? label(x, middle + 12, digits, 10, "muted", MONO)
      : label(beside, middle + 4, digits, 10, "muted", MONO),
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
function plainMarks(view: StepView, p: number, { v, box, face, room }: Place): Mark[] {
  const { trace, step } = view;
  const wrong = step.primitive === "error" && trace.doc.error?.variable === v.id;
  const scale = view.formats.get(v.id)?.exponent ?? "";
  const exponent = scale && ` ${scale}`;
  const copies = copiesSpans(trace, v);
  const chip = textWidth(copies.map((s) => s.text).join(""), 10, true);
  const name = fitName(trace.nameOf(v, p), room - textWidth(exponent, 10, true), 10, true) + exponent;
  // The copies give way before the name does.
  const both = textWidth(name, 10, true) + chip <= room;
  return [
    label(box.x, box.y - 4, [{ text: name }, ...(both ? copies : [])], 10, "muted", MONO),
    ...blockMarks(box, {
      ...numbers(view, v, face, (element) => view.text(v, p, element)),
      fill: view.color(v, p, v.unreduced),
      hatch: v.unreduced.length > 0 ? view.hatch : null,
      ...(wrong ? { stroke: { color: "error", width: 2 } } : {}),
    }),
  ];
}

/** The block of a tile in a collective: what the device has now. */
function movingMarks(view: StepView, tile: Tile, { v, box, face }: Place, after: boolean): Mark[] {
  const { stage, input, collective: c } = view;
  if (!c || !input) return [];
  const [p = 0] = tile.members;
  if (after) return heldMarks(view, tile, box);
  const folded = tile.members.length > 1;
  const summand: Pick<BlockLook, "hatch"> = { hatch: view.adds ? view.hatch : null };
  const mark = markIn(view, face, p);
  // Members that are folded into one row hold the same in the end, or nothing that can be drawn once.
  if (folded && !(view.finished && c.semantics.replicates)) {
    const text =
      view.adds && stage.motion === "gather" && !view.finished
        ? (element: number) => view.together(tile.members, element)
        : () => "";
    const fill = view.color(input, p, view.hops && view.adds ? c.axes : []);
    return blockMarks(box, { ...numbers(view, v, face, text), fill, ...summand, mark });
  }
  if (stage.chunks > 1) return stripMarks(view, p, box, face);
  if (view.finished && stage.motion === "gather" && stage.after) {
    const { v: output, face: last } = stage.after;
    return fittedMarks(view, output, last, box, p, mark);
  }
  if (view.hops) {
    // A block that goes round whole: what has not arrived yet is an empty place.
    const parts = view.parts(p, 0);
    const has = parts.length > 0;
    const text = (element: number) => (has ? view.text(view.output ?? v, p, element) : "");
    const from = parts[0] ?? p;
    return blockMarks(box, {
      ...numbers(view, v, face, text),
      fill: has ? colorOf(view, input, from) : null,
      ...(has ? {} : { stroke: EMPTY }),
    });
  }
  const text = (element: number) => view.text(v, p, element);
  const alpha = sends(view, p) ? 1 : 0.5;
  return blockMarks(box, { ...numbers(view, v, face, text), fill: colorOf(view, input, p), ...summand, mark, alpha });
}

/** A result in the place of the block before it, whose face it mostly has. */
function fittedMarks(view: StepView, v: Variable, face: Face, box: Box, p: number, mark: number | null): Mark[] {
  const w = (box.w / (view.stage.face?.columns ?? 1)) * face.columns;
  const h = (box.h / (view.stage.face?.rows ?? 1)) * face.rows;
  const at = { x: box.x, y: box.y + (box.h - h) / 2, w, h };
  const look = numbers(view, v, face, (element) => view.text(v, p, element));
  return blockMarks(at, {
    ...look,
    fill: view.color(v, p, v.unreduced),
    mark: face.elements.length === view.stage.face?.elements.length ? mark : null,
  });
}
