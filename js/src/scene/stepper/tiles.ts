/** Tiles of devices with their blocks, as they are at a moment. */
import { combined, partsAt } from "../../model/chunks";
import { hex, type Rgb } from "../../model/color";
import { reduces } from "../../model/trace";
import { workedCell } from "../../model/worked";
import { type BlockLook, blockMarks, SMALLEST } from "../block";
import { deviceBox } from "../grid";
import { fit, textWidth } from "../measure";
import { axisToken, BOLD, type Box, CENTER, label, type Mark, MONO, type Stroke } from "../scene";
import { longest } from "./contents";
import { ARROW, GAP } from "./layout";
import { type Slot, type StepView, slotFace } from "./view";

const EMPTY: Stroke = { color: "faint", width: 1, dash: [3, 3] };

/** A device's tile with the blocks before and after the step. */
export function tileMarks(view: StepView, p: number): Mark[] {
  const { trace, options } = view;
  const box = view.seats.get(p);
  if (!box) return [];
  const id = String(trace.mesh.ids[p] ?? 0);
  const active = view.active === null || view.active.has(p);
  const looked = options.device === p;
  const stroke = { color: looked ? "ink" : "line", width: looked ? 2 : 1 } as const;
  const marks: Mark[] = [{ kind: "rect", ...box, r: 8, fill: "bg", stroke, ...(active ? {} : { alpha: 0.5 }) }];
  marks.push(label(box.x + 10, box.y + 17, id, 12, active ? "ink" : "muted", BOLD));
  const digits = `(${trace.mesh.digits(p).join(",")})`;
  if (trace.mesh.axes.length > 0 && textWidth(id + digits, 12, true) + 26 < box.w) {
    marks.push(label(box.x + 16 + textWidth(id, 12, true), box.y + 17, digits, 11, "muted", MONO));
  }
  if (!active) {
    marks.push(label(box.x + 10, box.y + 36, fit("does not run", box.w - 16, 11), 11, "muted"));
    return marks;
  }
  view.slots.forEach((slot, i) => {
    const at = view.box(p, i);
    if (!at) return;
    marks.push(...slotMarks(view, p, slot, i, at));
    const name = fit(trace.nameOf(slot.v, p), at.w + GAP - 2, 10, true);
    marks.push(label(at.x + at.w / 2, at.y - 4, name, 10, "muted", CENTER));
  });
  marks.push(...arrowMarks(view, box));
  return marks;
}

/** A device of many: its id and a swatch of its block, or the swatch alone. */
export function smallMarks(view: StepView, p: number): Mark[] {
  const { trace, layout, options } = view;
  const box = deviceBox(trace.mesh, layout.grid, p);
  const v = (view.finished ? view.show.after[0] : view.show.before[0]) ?? view.show.after[0] ?? view.show.before[0];
  const runs = view.active === null || view.active.has(p);
  const fill = v && runs ? hex(view.color(v, p, partial(view, v))) : "panel";
  const compact = layout.grid.density === "compact";
  // No id stands on the stripes of a partial sum.
  const hatch = !compact && v !== undefined && partial(view, v).length > 0;
  const looked = options.device === p;
  const stroke: Stroke = { color: looked ? "ink" : "edge", width: looked ? 2 : 1 };
  const marks: Mark[] = [{ kind: "rect", ...box, r: compact ? 4 : 1, fill, hatch, stroke }];
  if (compact) {
    const ink = runs && v ? "tile-ink" : "muted";
    const id = fit(String(trace.mesh.ids[p] ?? 0), box.w - 6, 11, true);
    marks.push(label(box.x + box.w / 2, box.y + box.h / 2 + 4, id, 11, ink, CENTER));
  }
  return marks;
}

/** Axes that an input is summed over: its blocks are summands. */
function partial(view: StepView, v: StepView["show"]["before"][number]): readonly string[] {
  const c = view.collective;
  return reduces(c) && v.id === view.show.before[0]?.id ? (c?.axes ?? []) : v.unreduced;
}

/** From the blocks before to those after. */
function arrowMarks(view: StepView, box: Box): Mark[] {
  const first = view.slots.find((s) => !s.input);
  const last = view.slots.filter((s) => s.input).at(-1);
  if (!first || !last || view.show.after.length === 0) return [];
  const stroke: Stroke = { color: "muted", width: 1.4 };
  const down = first.y > last.y + last.h;
  const y = box.y + Math.max(last.y + last.h / 2, first.y + first.h / 2);
  const points = down
    ? ([
        [box.x + 12, box.y + last.y + last.h],
        [box.x + 12, box.y + first.y - 4],
      ] as const)
    : ([
        [box.x + first.x - ARROW - 2, y],
        [box.x + first.x - 5, y],
      ] as const);
  return [{ kind: "line", points, stroke, arrow: true }];
}

function slotMarks(view: StepView, p: number, slot: Slot, index: number, box: Box): Mark[] {
  const { trace, collective: c, step } = view;
  const { v } = slot;
  const { rows, columns } = slotFace(view, slot);
  const corner = trace.corner(v);
  const plain = corner ? (cell: number) => corner.elements.text(corner.start(p) + cell) : null;
  const summed = slot.input ? partial(view, v) : v.unreduced;
  const look = { rows, columns, mark: markOf(view, p, slot) };
  const wrong = step.primitive === "error" && trace.doc.error?.variable === v.id;
  const whole: BlockLook = {
    ...look,
    text: plain,
    shade: corner && ((cell) => corner.level(corner.start(p) + cell)),
    fill: view.color(v, p, summed),
    hatch: summed.length > 0 ? view.hatch : null,
    ...(wrong ? { stroke: { color: "error", width: 2 } } : {}),
  };
  if (!c || !view.played || view.finished) return finalMarks(view, p, slot, box, whole);
  if (index === view.work) return workMarks(view, p, box, slot, look, plain);
  // What a step has not made yet is an empty place.
  return blockMarks(box, slot.input ? whole : { ...look, text: null, fill: null, stroke: EMPTY });
}

/** A block when nothing is on its way: in a gathered one every chunk has the colour of where it came from. */
function finalMarks(view: StepView, p: number, slot: Slot, box: Box, whole: BlockLook): Mark[] {
  const { collective: c, played } = view;
  const input = view.show.before[0];
  const group = view.groupOf(p);
  const result = !slot.input && slot.v.id === view.show.after[0]?.id;
  const chunk = view.chunks(slot.v);
  if (!c || !played || !input || !group || !result || !chunk || reduces(c)) return blockMarks(box, whole);
  const rank = group.indexOf(p);
  const fillAt = (cell: number): Rgb | null => {
    const from = partsAt(played.states.at(-1), rank, chunk(cell))[0];
    return from === undefined ? null : view.color(input, group[from] ?? p);
  };
  return blockMarks(box, { ...whole, fill: null, fillAt });
}

/** The block that an algorithm works on, chunk by chunk. */
function workMarks(
  view: StepView,
  p: number,
  box: Box,
  { v }: Slot,
  look: Pick<BlockLook, "rows" | "columns" | "mark">,
  final: ((cell: number) => string) | null,
): Mark[] {
  const { trace, collective: c, played, arrived } = view;
  const input = view.show.before[0];
  const group = view.groupOf(p);
  const chunk = view.chunks(v);
  if (!c || !played || !input || !group || !chunk) {
    return blockMarks(box, { ...look, text: null, fill: null, stroke: EMPTY });
  }
  const rank = group.indexOf(p);
  const partsOf = (cell: number) => partsAt(played.states[arrived], rank, chunk(cell));
  if (!reduces(c)) {
    const text = final ? (cell: number) => (partsOf(cell).length > 0 ? final(cell) : "") : null;
    const fillAt = (cell: number): Rgb | null => {
      const from = partsOf(cell)[0];
      return from === undefined ? null : view.color(input, group[from] ?? p);
    };
    const marks = blockMarks(box, { ...look, text, fill: null, fillAt, stroke: EMPTY });
    return [...marks, ...waitingMarks(view, box, look, rank, chunk)];
  }
  const texts = new Map<string, ((cell: number) => string) | null>();
  // An all-reduce over dimensions of the block too has no sums cell by cell.
  const corner = trace.corner(input);
  // A mark behind some numbers alone would say something of those: where one has no room none has it.
  const marked =
    corner === null || textWidth("0".repeat(longest(corner) + 1), SMALLEST, true) <= box.w / look.columns - 1;
  const aligned = trace.corner(v)?.shape.join() === trace.corner(input)?.shape.join();
  const text = (cell: number) => {
    const parts = partsOf(cell);
    const key = parts.join();
    let sum = texts.get(key);
    if (sum === undefined) {
      sum = combined(trace, c, input, group, parts);
      texts.set(key, sum);
    }
    const said = sum?.(cell) ?? "";
    return marked ? said : said.replace(/\+$/, "");
  };
  return blockMarks(box, {
    ...look,
    text: final && aligned ? text : null,
    fill: view.color(v, p, c.axes),
    hatch: view.hatch,
  });
}

/** In the places of chunks that are not there: the hop that brings them. */
function waitingMarks(
  view: StepView,
  box: Box,
  { rows, columns }: Pick<BlockLook, "rows" | "columns">,
  rank: number,
  chunk: (cell: number) => number,
): Mark[] {
  const { played, arrived, collective } = view;
  const axis = view.trace.mesh.axisOf(collective?.axes[0] ?? "");
  const marks: Mark[] = [];
  for (const [number, place] of chunkBoxes(box, rows, columns, chunk)) {
    if (partsAt(played?.states[arrived], rank, number).length > 0) continue;
    const hop = played?.states.findIndex((held) => partsAt(held, rank, number).length > 0) ?? -1;
    const next = hop === arrived + 1 && view.progress < 1;
    const words = hop < 0 ? "" : next ? "arriving" : `hop ${hop}`;
    const room = place.h >= 13 && textWidth(words, 10) <= place.w - 2;
    if (next) marks.push({ kind: "rect", ...place, r: 2, stroke: { color: axisToken(axis), width: 1.5 } });
    if (room) {
      const at = [place.x + place.w / 2, place.y + place.h / 2 + 3.5] as const;
      marks.push(label(...at, words, 10, next ? axisToken(axis) : "muted", { anchor: "middle" }));
    }
  }
  return marks;
}

/** The boxes about the cells of each chunk. */
export function chunkBoxes(box: Box, rows: number, columns: number, chunk: (cell: number) => number) {
  const edges = new Map<number, [number, number, number, number]>();
  for (let cell = 0; cell < rows * columns; cell++) {
    const [r, c] = [Math.floor(cell / columns), cell % columns];
    const [r0, r1, c0, c1] = edges.get(chunk(cell)) ?? [r, r, c, c];
    edges.set(chunk(cell), [Math.min(r0, r), Math.max(r1, r), Math.min(c0, c), Math.max(c1, c)]);
  }
  const [w, h] = [box.w / Math.max(1, columns), box.h / Math.max(1, rows)];
  return new Map(
    [...edges].map(([number, [r0, r1, c0, c1]]): [number, Box] => [
      number,
      { x: box.x + c0 * w, y: box.y + r0 * h, w: (c1 - c0 + 1) * w, h: (r1 - r0 + 1) * h },
    ]),
  );
}

/** The cell of the worked element, in the blocks that it is made from and the one that it is in. */
function markOf(view: StepView, p: number, slot: Slot): number | null {
  const cell = workedCell(view.trace, view.step, view.options.device);
  if (!cell?.group.includes(p)) return null;
  const { before, after } = view.show;
  const own = slot.input ? slot.v.id === before[0]?.id : slot.v.id === after[0]?.id && p === cell.device;
  return own ? cell.at : null;
}
