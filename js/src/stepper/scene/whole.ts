/** The whole array beside the tiles: what in_specs cuts into blocks, and what out_specs makes of them. */
import { hex } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import { product } from "../../core/mesh";
import { axisTokens, clauses } from "../../core/text";
import { type Box, CENTER, label, type Mark, MONO, spans } from "../../draw/marks";
import { fitName, textWidth } from "../../draw/measure";
import { blockMarks } from "./block";
import { cellOf, firstOf } from "./cells";
import { type Face, faceOf } from "./contents";
import { blockColor, fills, numberOf, numbers } from "./look";
import { besideTiles, LEAST_WHOLE } from "./stage";
import type { StepView } from "./view";

/** Height of a name with its type, and of what is said under an array. */
const NAMED = 32;
const SAID = 18;

/** The arrays of a step at the ends of a region, one under another. */
export function wholeMarks(view: StepView): Mark[] {
  const { stage } = view;
  const arrays = wholesOf(view);
  const { x, w: room } = besideTiles(stage);
  const w = Math.min(300, room);
  const top = stage.tiles[0]?.box.y ?? 0;
  const band = bandMarks(view, arrays);
  // Under a map there is room beside the tiles.
  const beside = stage.map !== null && stage.map.box.y + stage.map.box.h > top;
  if (beside || arrays.length === 0 || arrays.length > 3 || w < LEAST_WHOLE) return band;
  const h = Math.floor((stage.line.y - 24 - top) / arrays.length);
  return [...band, ...arrays.flatMap((array, i) => arrayMarks(view, array, { x, y: top + i * h, w, h: h - 8 }))];
}

/** Arrays that a step cuts into blocks or assembles. */
function wholesOf({ step, trace }: StepView): readonly Whole[] {
  const ids = step.primitive === "in_specs" ? step.inputs : step.primitive === "out_specs" ? step.outputs : [];
  const region = trace.doc.regions[trace.variable(step.outputs[0] ?? -1)?.region ?? -1];
  return ids.flatMap((id, i): Whole[] => {
    const v = trace.variable(id);
    if (!v || v.region >= 0 || v.shape.length === 0) return [];
    if (step.primitive === "out_specs") return [{ v, block: v }];
    const block = trace.variable(step.outputs[i] ?? -1);
    const spec = region?.in_specs[i];
    const axes = axesOf(spec ?? "");
    return block && spec !== undefined
      ? [{ v: { ...v, dims: v.shape.map((size, d) => ({ ...NO_DIM, size, axes: axes[d] ?? [] })) }, block }]
      : [];
  });
}

/** Least height under a tile in which something is drawn, and the most that it takes. */
const BAND = 52;
const MOST_BAND = 104;

/**
 * Under each tile, where a collective of the program has room for its copies: the place of the block in the whole
 * array, or the blocks that a step reads.
 */
function bandMarks(view: StepView, arrays: readonly Whole[]): Mark[] {
  const { stage, trace, step } = view;
  if (stage.map || stage.large || stage.motion !== "none") return [];
  const shown = new Set(stage.tiles.flatMap(({ places }) => places.map(({ v }) => v.id)));
  const reads =
    arrays.length > 0
      ? []
      : [...new Set(step.inputs)]
          .flatMap((id) => trace.variable(id) ?? [])
          .filter((v) => v.drawn && v.region >= 0 && v.shape.length > 0 && !shown.has(v.id))
          .slice(0, 3);
  const n = arrays.length + reads.length;
  if (n === 0 || n > 3) return [];
  // All tiles say the same of their blocks: what the longest has room for, each has.
  const each = (stage.tiles[0]?.box.w ?? 0) / n - 4;
  const said = arrays.every(({ v }) =>
    stage.tiles.every(({ members: [p = 0] }) => textWidth(sliceOf(view, v, placeOf(view, v, p)), 9.5, true) <= each),
  );
  // Every row shows it, or none does; the last one may have less room.
  const rows = [...new Set(stage.tiles.map(({ box }) => box.y))].sort((a, b) => a - b);
  const high = stage.tiles[0]?.box.h ?? 0;
  if (rows.slice(1).some((y, i) => y - (rows[i] ?? 0) - high < BAND)) return [];
  return stage.tiles.flatMap(({ box, members: [p = 0, ...more] }) => {
    const under = stage.tiles.filter((t) => t.box.x === box.x && t.box.y > box.y).map((t) => t.box.y);
    const room = Math.min(stage.line.y - 16, ...under) - box.y - box.h;
    if (room < BAND || more.length > 0 || (view.active && !view.active.has(p))) return [];
    const h = Math.min(MOST_BAND, room - 16);
    const w = box.w / n;
    const at = (i: number): Box => ({ x: box.x + i * w + 4, y: box.y + box.h + 8, w: w - 8, h });
    return [
      ...arrays.flatMap((array, i) => placeMarks(view, array, p, said, at(i))),
      ...reads.flatMap((v, i) => readMarks(view, v, p, at(i))),
    ];
  });
}

/** Where a device's block lies in the whole array, with its slice. */
function placeMarks(view: StepView, { v, block: own }: Whole, p: number, said: boolean, { x, y, w, h }: Box): Mark[] {
  const [rows, columns] = [product(v.shape.slice(0, -1)), v.shape.at(-1) ?? 1];
  const place = placeOf(view, v, p);
  const slice = sliceOf(view, v, place);
  const high = h - 14;
  const each = Math.min(14, (w - 8) / columns, high / rows);
  const [ghostW, ghostH] = [Math.max(6, each * columns), Math.max(6, each * rows)];
  const outer = { x: x + (w - ghostW) / 2, y: y + (high - ghostH) / 2, w: ghostW, h: ghostH };
  const block = blockOf(view, v, place, { ...outer, w: ghostW / columns, h: ghostH / rows });
  if (!block) return [];
  const fill = hex(blockColor(view, own, p));
  return [
    { kind: "rect", ...outer, fill: "bg", stroke: { color: "faint", width: 1 } },
    { kind: "rect", ...block, fill, stroke: { color: "edge", width: 1 } },
    ...(said ? [label(x + w / 2, y + h, slice, 9.5, "muted", { mono: true, anchor: "middle" })] : []),
  ];
}

/** `[0:4,:]`, the slice of an array at a place. */
function sliceOf({ trace }: StepView, v: Variable, place: readonly number[]): string {
  const spans = v.shape.map((size, d) => {
    const [n, k] = [trace.local(v, d), place[d] ?? 0];
    return n === size ? ":" : `${k * n}:${(k + 1) * n}`;
  });
  return `[${spans.join(",")}]`;
}

/** A block that a step reads, under its name: with its numbers where they have room. */
function readMarks(view: StepView, v: Variable, p: number, { x, y, w, h }: Box): Mark[] {
  const { trace, formats } = view;
  const face = faceOf(trace, v, [64, 64]);
  if (!face || face.columns === 0) return [];
  const format = formats.get(v.id) ?? null;
  const most = Math.min(18, (h - 14) / face.rows);
  const cell = Math.min(format ? cellOf({ format }, 10.5, true) : 12, w / face.columns);
  const numbered = format !== null && most >= 12 && cell >= format.width * 6.3 + 2;
  const [wide, high] = [cell * face.columns, most * face.rows];
  const at = { x: x + (w - wide) / 2, y: y + 13, w: wide, h: high };
  return [
    label(at.x, y + 9, fitName(trace.nameOf(v, p), Math.max(wide, w - 4), 10, true), 10, "muted", MONO),
    ...blockMarks(at, {
      ...numbers(view, v, face, (element) => numberOf(view, v, p, element)),
      size: 10.5,
      ...(numbered ? {} : { text: null }),
      ...fills(view, v, p, face),
      hatch: v.unreduced.length > 0 ? view.hatch : null,
    }),
  ];
}

/** An array with the variable that its blocks are. */
interface Whole {
  v: Variable;
  block: Variable;
}

const NO_DIM = { unconstrained: false, cut: null } as const;

/** Mesh axes of each dimension in a spec as Python writes it: `P('x', ('y', 'z'))`. */
function axesOf(spec: string): readonly (readonly string[])[] {
  const items =
    /^P\((.*)\)$/
      .exec(spec)?.[1]
      ?.split("unreduced")[0]
      ?.match(/\([^)]*\)|'[^']*'|\w+/g) ?? [];
  return items.map((item) => [...item.matchAll(/'([^']*)'/g)].map((found) => found[1] ?? ""));
}

function arrayMarks(view: StepView, { v, block: own }: Whole, { x, y, w, h }: Box): Mark[] {
  const { trace, formats, stage } = view;
  const [rows, columns] = [product(v.shape.slice(0, -1)), v.shape.at(-1) ?? 1];
  const room = { w: w - 2, h: h - NAMED - SAID };
  if (room.h < 24) return [];
  const format = formats.get(v.id) ?? null;
  const natural = format ? cellOf({ format }, stage.font) : 8;
  const [cw, ch] = [Math.min(natural, room.w / columns), Math.min(18, room.h / rows)];
  const numbers = format !== null && cw >= natural && ch >= 14 && view.step.primitive === "out_specs";
  const type = textWidth(v.type, 10, true) <= w ? spans(axisTokens(v.type, trace.mesh)) : [];
  const marks: Mark[] = [
    label(x, y + 10, fitName(v.name, w, 11, true), 11, "ink", { ...MONO, weight: 700 }),
    label(x, y + 24, type, 10, "muted", MONO),
  ];
  const all = Array.from({ length: trace.mesh.size }, (_, p) => placeOf(view, v, p).join());
  const copies = all.length > 1 && new Set(all).size === 1 && own === v && !numbers;
  const part = copies && faceOf(trace, v, [Math.floor(room.h / 18), Math.floor(room.w / natural)]);
  if (part && format && part.columns > 0)
    return [...marks, ...partMarks(view, v, part, { x, y: y + NAMED, w, h: 18 }, natural)];
  const seen = new Set<string>();
  // All blocks have ids, or none has.
  const widest = textWidth(String(Math.max(...trace.mesh.ids)), 10.5, true);
  for (let p = 0; p < trace.mesh.size; p++) {
    const place = placeOf(view, v, p);
    if (seen.has(place.join())) continue;
    seen.add(place.join());
    const block = blockOf(view, v, place, { x, y: y + NAMED, w: cw, h: ch });
    if (!block) return [];
    const fill = hex(blockColor(view, own, p));
    marks.push({ kind: "rect", ...block, r: 1, fill, stroke: { color: "edge", width: 1 } });
    if (numbers) marks.push(...numberMarks(view, v, p, block));
    else if (block.w >= widest + 4 && block.h >= 12) {
      const id = String(trace.mesh.ids[p] ?? p);
      marks.push(label(block.x + block.w / 2, block.y + block.h / 2 + 4, id, 10.5, "tile-ink", CENTER));
    }
  }
  const times = trace.mesh.size / seen.size;
  const said =
    times > 1
      ? own === v
        ? `one of ${times} equal copies`
        : `each block on ${times} devices`
      : numbers
        ? ""
        : "number: its device";
  marks.push(label(x, y + NAMED + rows * ch + 14, textWidth(said, 10.5) <= w ? said : "", 10.5, "muted"));
  return marks;
}

/** As much of an array as has room for its numbers, of one that all devices hold whole. */
function partMarks(view: StepView, v: Variable, face: Face, { x, y, w, h }: Box, cell: number): Mark[] {
  const at = { x, y, w: cell * face.columns, h: h * face.rows };
  const part = [
    face.rows < face.of[0] ? firstOf("row", face.rows, face.of[0]) : "",
    face.columns < face.of[1] ? firstOf("column", face.columns, face.of[1]) : "",
  ];
  const said = [clauses(part), `one of ${view.trace.mesh.size} equal copies`].filter((text) => text !== "");
  return [
    ...blockMarks(at, {
      ...numbers(view, v, face, (element) => numberOf(view, v, 0, element)),
      ...fills(view, v, 0, face),
    }),
    ...said.map((text, i) => label(x, at.y + at.h + 14 + 13 * i, fitName(text, w, 10.5), 10.5, "muted")),
  ];
}

/** The index of a device's block along each dimension. */
function placeOf({ trace: { mesh } }: StepView, v: Variable, p: number): readonly number[] {
  const digits = mesh.digits(p);
  return v.dims.map(({ axes }) => axes.reduce((at, a) => at * mesh.axisSize(a) + (digits[mesh.axisOf(a)] ?? 0), 0));
}

/** Where a block lies in an array with cells of some size; null where it is no rectangle, as over a dimension between. */
function blockOf({ trace }: StepView, v: Variable, place: readonly number[], { x, y, w, h }: Box): Box | null {
  const last = v.shape.length - 1;
  const size = v.shape.map((_, d) => trace.local(v, d));
  const down = v.shape.slice(0, last);
  // Leading dimensions run down: all but the first that is cut have to be whole.
  const first = down.findIndex((n, d) => size[d] !== n);
  if (first > 0 && product(down.slice(0, first)) > 1) return null;
  if (down.some((n, d) => d > 0 && size[d] !== n)) return null;
  const inner = product(down.slice(1));
  const rows = last > 0 ? (size[0] ?? 1) * inner : 1;
  const at = last > 0 ? (place[0] ?? 0) * rows : 0;
  const columns = size[last] ?? 1;
  return { x: x + (place[last] ?? 0) * columns * w, y: y + at * h, w: columns * w, h: rows * h };
}

/** The numbers of a device's block, where all of them are known. */
function numberMarks(view: StepView, v: Variable, p: number, block: Box): Mark[] {
  const shape = v.shape.map((_, d) => view.trace.local(v, d));
  const [many, columns] = [product(shape), shape.at(-1) ?? 1];
  const [w, h] = [block.w / columns, (block.h * columns) / many];
  if (!view.trace.corner(v)?.whole) return [];
  const size = view.stage.font;
  return Array.from({ length: many }, (_, i) =>
    label(
      block.x + (i % columns) * w + w / 2,
      block.y + Math.floor(i / columns) * h + h / 2 + size * 0.36,
      numberOf(view, v, p, i),
      size,
      "tile-ink",
      { mono: true, anchor: "middle" },
    ),
  );
}
