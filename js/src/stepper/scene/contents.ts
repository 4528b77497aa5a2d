/** What a step is about: blocks before and after, and the part of a block that has room in the picture. */
import type { Step, Variable } from "../../core/document.gen";
import { product } from "../../core/mesh";
import { isFuture } from "../model/futures";
import type { TraceModel } from "../model/trace";

export interface Contents {
  before: readonly Variable[];
  after: readonly Variable[];
  /** Watched variables that the step does not show anyway. */
  watch: readonly Variable[];
}

export function contents(trace: TraceModel, step: Step, watch: readonly number[]): Contents {
  const get = (ids: readonly number[]) =>
    [...new Set(ids)].flatMap((id) => trace.variable(id) ?? []).filter((v) => v.drawn);
  const inputs = get(step.inputs);
  const arrays = inputs.filter((v) => v.shape.length > 0 && (step.primitive === "error" || !isFuture(v)));
  const before = /^(in|out)_specs$/.test(step.primitive) ? [] : (arrays.length > 0 ? arrays : inputs).slice(0, 2);
  const after = get(step.outputs).slice(0, step.primitive === "in_specs" ? 3 : 2);
  const own = new Set([...before, ...after].map((v) => v.id));
  return { before, after, watch: get(watch).filter((v) => !own.has(v.id)) };
}

/** The variables of a step in the order in which keys go through them. */
export function slotsOf({ before, after, watch }: Contents): readonly Variable[] {
  return [...before, ...after, ...watch];
}

/** Rows and columns of a block's elements, as they are drawn: all that travelled, or those that have room. */
export interface Face {
  rows: number;
  columns: number;
  /** The elements, row by row, by their number in the corner that travelled. */
  elements: readonly number[];
  /** Rows and columns that there would be. */
  of: readonly [rows: number, columns: number];
}

/** Rows and columns of a value of some rank: leading dimensions run down, a long row is wrapped. */
export function sizeOf(shape: readonly number[]): readonly [rows: number, columns: number] {
  const columns = shape.at(-1) ?? 1;
  if (shape.length > 1) return [product(shape.slice(0, -1)), columns];
  return columns > LONG && columns % WRAP === 0 ? [columns / WRAP, WRAP] : [1, columns];
}

const LONG = 16;
const WRAP = 8;

/** A face of a variable's block, of its chunks alone where such are given; null where they are not a rectangle. */
export function faceOf(
  trace: TraceModel,
  v: Variable,
  most: readonly [rows: number, columns: number],
  wanted?: (element: number) => boolean,
): Face | null {
  if (wanted) return newFace(trace, v, most, wanted);
  return once(FACES, trace, `${v.id} ${most}`, () => newFace(trace, v, most));
}

/** What is made once for each key, as long as there is what it is made of. */
export function once<Of extends object, Made extends object | null>(
  all: WeakMap<Of, Map<string, Made>>,
  of: Of,
  key: string,
  make: () => Made,
): Made {
  const known = all.get(of) ?? new Map<string, Made>();
  all.set(of, known);
  const before = known.get(key);
  if (before !== undefined) return before;
  const made = make();
  known.set(key, made);
  return made;
}

/** Faces of whole blocks, which layouts ask for again and again. */
const FACES = new WeakMap<TraceModel, Map<string, Face | null>>();

function newFace(
  trace: TraceModel,
  v: Variable,
  most: readonly [rows: number, columns: number],
  wanted?: (element: number) => boolean,
): Face | null {
  const [allRows, allColumns] = shapeOf(trace, v);
  const every = Array.from({ length: allRows * allColumns }, (_, i) => i);
  const kept = wanted ? every.filter(wanted) : every;
  const across = wanted ? new Set(kept.map((i) => i % allColumns)).size : allColumns;
  if (across === 0 || kept.length % across !== 0) return kept.length === 0 && !wanted ? EMPTY : null;
  const down = kept.length / across;
  const [rows, columns] = [Math.min(down, most[0]), Math.min(across, most[1])];
  const elements = Array.from(
    { length: rows * columns },
    (_, i) => kept[Math.floor(i / columns) * across + (i % columns)] ?? 0,
  );
  return { rows, columns, elements, of: [down, across] };
}

const EMPTY: Face = { rows: 1, columns: 1, elements: [], of: [0, 0] };

/** Rows and columns of all values of a variable in the document; a few for a block without values. */
export function shapeOf(trace: TraceModel, v: Variable): readonly [rows: number, columns: number] {
  const corner = trace.corner(v);
  return sizeOf(corner ? corner.shape : v.shape.map((_, d) => Math.min(trace.local(v, d), 8)));
}

/**
 * A face of all chunks of a block side by side, each with at most so many rows and columns; -1 where a chunk has no
 * element for a cell. Chunks that are not rectangles are written in one row.
 */
export function stripOf(
  trace: TraceModel,
  v: Variable,
  chunk: (element: number) => number,
  n: number,
  most: readonly [rows: number, columns: number],
): Face {
  const [allRows, allColumns] = shapeOf(trace, v);
  const chunks = Array.from({ length: n }, (): number[] => []);
  for (let i = 0; i < allRows * allColumns; i++) chunks[chunk(i)]?.push(i);
  const sizes = chunks.map((own) => {
    const across = new Set(own.map((i) => i % allColumns)).size;
    return across > 0 && own.length % across === 0 ? [own.length / across, across] : [1, own.length];
  });
  const whole = [0, 1].map((d) => Math.max(1, ...sizes.map((size) => size[d] ?? 1))) as [number, number];
  const [rows, columns] = [Math.min(whole[0], most[0]), Math.min(whole[1], most[1])];
  const elements = Array.from({ length: rows * n * columns }, (_, cell) => {
    const [row, column] = [Math.floor(cell / (n * columns)), cell % (n * columns)];
    const k = Math.floor(column / columns);
    const [down, across] = sizes[k] ?? [0, 0];
    const at = column % columns;
    return row < (down ?? 0) && at < (across ?? 0) ? (chunks[k]?.[row * (across ?? 0) + at] ?? -1) : -1;
  });
  return { rows, columns: n * columns, elements, of: [whole[0], n * whole[1]] };
}

/** The cells of some chunks of a strip, as a face of their own. */
export function partOf(strip: Face, n: number, chunks: readonly number[]): Face {
  return once(PARTS, strip, `${n} ${chunks}`, () => newPart(strip, n, chunks));
}

/** Parts of strips, which layouts ask for again and again. */
const PARTS = new WeakMap<Face, Map<string, Face>>();

function newPart(strip: Face, n: number, chunks: readonly number[]): Face {
  const each = strip.columns / n;
  const columns = chunks.flatMap((k) => Array.from({ length: each }, (_, i) => k * each + i));
  const elements = Array.from(
    { length: strip.rows * columns.length },
    (_, cell) =>
      strip.elements[Math.floor(cell / columns.length) * strip.columns + (columns[cell % columns.length] ?? 0)] ?? -1,
  );
  return { ...strip, columns: columns.length, elements, of: [strip.of[0], columns.length] };
}
