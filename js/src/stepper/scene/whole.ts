/** The whole array beside the tiles: what in_specs cuts into blocks, and what out_specs makes of them. */
import { hex } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import { product } from "../../core/mesh";
import { axisTokens } from "../../core/text";
import { type Box, CENTER, label, type Mark, MONO, spans } from "../../draw/marks";
import { fitName, textWidth } from "../../draw/measure";
import { cellOf } from "./cells";
import { blockColor, numberOf } from "./look";
import type { StepView } from "./view";

/** Least width in which an array is drawn. */
const LEAST = 56;
/** Height of a name with its type, and of what is said under an array. */
const NAMED = 32;
const SAID = 18;

/** The arrays of a step at the ends of a region, one under another. */
export function wholeMarks(view: StepView): Mark[] {
  const { stage, step, trace } = view;
  const ids = step.primitive === "in_specs" ? step.inputs : step.primitive === "out_specs" ? step.outputs : [];
  const region = trace.doc.regions[trace.variable(step.outputs[0] ?? -1)?.region ?? -1];
  const arrays = ids.flatMap((id, i): Whole[] => {
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
  const right = Math.max(...stage.tiles.map(({ box }) => box.x + box.w)) + 22;
  const top = stage.tiles[0]?.box.y ?? 0;
  const w = Math.min(300, stage.width - right - 2);
  if (stage.map || arrays.length === 0 || arrays.length > 3 || w < LEAST) return [];
  const h = Math.floor((stage.line.y - 24 - top) / arrays.length);
  return arrays.flatMap((array, i) => arrayMarks(view, array, { x: right, y: top + i * h, w, h: h - 8 }));
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
  const seen = new Set<string>();
  for (let p = 0; p < trace.mesh.size; p++) {
    const place = placeOf(view, v, p);
    if (seen.has(place.join())) continue;
    seen.add(place.join());
    const block = blockOf(view, v, place, { x, y: y + NAMED, w: cw, h: ch });
    if (!block) return [];
    const fill = hex(blockColor(view, own, p));
    marks.push({ kind: "rect", ...block, r: 1, fill, stroke: { color: "edge", width: 1 } });
    const id = String(trace.mesh.ids[p] ?? p);
    if (numbers) marks.push(...numberMarks(view, v, p, block));
    else if (block.w >= textWidth(id, 10.5, true) + 4 && block.h >= 12)
      marks.push(label(block.x + block.w / 2, block.y + block.h / 2 + 4, id, 10.5, "tile-ink", CENTER));
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
