/** Which elements an element of a result came from, on which devices: index arithmetic of a step's primitive. */
import type { Step, Variable } from "../../core/document.gen";
import { product, unravel } from "../../core/mesh";
import { equation } from "../../core/numbers";
import { exchanges, gathers, permutes, ragged, scatters, tells } from "./semantics";
import type { TraceModel } from "./trace";

/** An element of a block. */
export interface Source {
  v: Variable;
  /** Mesh position. */
  device: number;
  /** Index in the corner that the document carries; null outside it. */
  element: number | null;
}

/** The elements that one came from; null where the primitive's rule is not known. */
export function sourcesOf(
  trace: TraceModel,
  step: Step,
  v: Variable,
  device: number,
  element: number,
): readonly Source[] | null {
  const inputs = step.inputs.flatMap((id) => trace.variable(id) ?? []);
  const corner = trace.corner(v);
  if (!corner || !step.outputs.includes(v.id)) return null;
  const at = unravel(element, corner.shape);
  const made = trace.communicates(step)
    ? moved(trace, step, inputs, v, device, at)
    : local(step, inputs, v, at)?.map(([input, index]) => [input, device, index] as const);
  return (
    made?.map(([input, from, index]) => ({ v: input, device: from, element: numberIn(trace, input, index) })) ?? null
  );
}

type Index = readonly number[];
type Local = readonly (readonly [Variable, Index])[];
type Moved = readonly (readonly [Variable, number, Index])[];

/** The number of an element in the corner of a variable. */
function numberIn(trace: TraceModel, v: Variable, index: Index): number | null {
  const shape = trace.corner(v)?.shape;
  if (!shape || index.some((i, d) => i < 0 || i >= (shape[d] ?? 1))) return null;
  return index.reduce((at, i, d) => at * (shape[d] ?? 1) + i, 0);
}

/** For a collective: elements on members of the device's group. */
function moved(
  trace: TraceModel,
  step: Step,
  inputs: readonly Variable[],
  v: Variable,
  device: number,
  at: Index,
): Moved | null {
  const c = step.collective;
  const input = inputs[step.outputs.indexOf(v.id)] ?? inputs[0];
  const group = c && trace.groups(c).find((g) => g.includes(device));
  if (!c || !input || !group || ragged(c)) return null;
  const [n, rank] = [group.length, group.indexOf(device)];
  const all = (index: Index): Moved => group.map((p) => [input, p, index] as const);
  const [split, concat] = [c.split_axis, c.concat_axis];
  const shift = (index: Index, axis: number, by: number) => index.map((i, d) => (d === axis ? i + by : i));
  if (permutes(c) || tells(c)) {
    const pairs = trace.plans(step)[0]?.rounds[0]?.flatMap((m) => m.pairs) ?? [];
    const from = pairs.find(([, to]) => to === rank)?.[0] ?? (tells(c) ? rank : undefined);
    return from === undefined ? [] : [[input, group[from] ?? device, at]];
  }
  if (gathers(c)) {
    // Stacked along a dimension of its own, or along one that the block has.
    if (v.shape.length > input.shape.length)
      return [[input, group[at[concat] ?? 0] ?? device, at.filter((_, d) => d !== concat)]];
    const size = input.shape[concat] ?? 1;
    const from = Math.floor((at[concat] ?? 0) / size);
    return [[input, group[from] ?? device, shift(at, concat, -from * size)]];
  }
  if (scatters(c)) {
    const size = (input.shape[split] ?? n) / n;
    if (v.shape.length < input.shape.length) return all([...at.slice(0, split), rank, ...at.slice(split)]);
    return all(shift(at, split, rank * size));
  }
  if (exchanges(c)) {
    if (v.shape.length !== input.shape.length || split < 0 || concat < 0) return null;
    const part = (v.shape[concat] ?? n) / n;
    const from = Math.floor((at[concat] ?? 0) / part);
    const inside = shift(at, concat, -from * part);
    return [[input, group[from] ?? device, shift(inside, split, (rank * (input.shape[split] ?? n)) / n)]];
  }
  return input.shape.join() === v.shape.join() ? all(at) : null;
}

/** For a step in which every device works alone. */
function local(step: Step, inputs: readonly Variable[], v: Variable, at: Index): Local | null {
  const [first, second] = inputs;
  if (step.elementwise) return inputs.map((input) => [input, fitted(input.shape, at)]);
  if (!first) return null;
  const param = (name: string) => numbersIn(step.params.find(([key]) => key === name)?.[1] ?? "");
  const many = (shape: Index, of: (index: Index) => Index): Local | null =>
    product(shape) > MOST
      ? null
      : Array.from({ length: product(shape) }, (_, i) => [first, of(unravel(i, shape))] as const);
  switch (step.primitive) {
    case "reshape":
    case "squeeze":
    case "expand_dims": {
      const flat = at.reduce((n, i, d) => n * (v.shape[d] ?? 1) + i, 0);
      return [[first, unravel(flat, first.shape)]];
    }
    case "transpose": {
      const order = param("permutation");
      return [[first, first.shape.map((_, d) => at[order.indexOf(d)] ?? 0)]];
    }
    case "slice": {
      const [start, strides] = [param("start_indices"), param("strides")];
      return [[first, at.map((i, d) => (start[d] ?? 0) + i * (strides[d] ?? 1))]];
    }
    case "rev": {
      const turned = param("dimensions");
      return [[first, at.map((i, d) => (turned.includes(d) ? (first.shape[d] ?? 1) - 1 - i : i))]];
    }
    case "broadcast_in_dim": {
      const to = param("broadcast_dimensions");
      return [[first, first.shape.map((n, d) => (n === 1 ? 0 : (at[to[d] ?? 0] ?? 0)))]];
    }
    case "concatenate": {
      const [axis = 0] = param("dimension");
      let start = 0;
      for (const input of inputs) {
        const size = input.shape[axis] ?? 1;
        if ((at[axis] ?? 0) < start + size) return [[input, at.map((i, d) => (d === axis ? i - start : i))]];
        start += size;
      }
      return null;
    }
    case "reduce_sum":
    case "reduce_max":
    case "reduce_min":
    case "reduce_prod":
    case "reduce_and":
    case "reduce_or": {
      const axes = param("axes");
      const inner = axes.map((d) => first.shape[d] ?? 1);
      return many(inner, (k) => {
        let kept = 0;
        return first.shape.map((_, d) => (axes.includes(d) ? (k[axes.indexOf(d)] ?? 0) : (at[kept++] ?? 0)));
      });
    }
    case "cumsum":
    case "cumprod":
    case "cummax":
    case "cummin": {
      const [axis = 0] = param("axis");
      const back = step.params.some(([key, value]) => key === "reverse" && value === "True");
      const [from, to] = back ? [at[axis] ?? 0, (first.shape[axis] ?? 1) - 1] : [0, at[axis] ?? 0];
      return many([to - from + 1], ([k = 0]) => at.map((i, d) => (d === axis ? from + k : i)));
    }
    case "dot_general":
      return second ? contraction(step, first, second, at) : null;
    default:
      return null;
  }
}

/** The rows and columns that make an element of a matrix product. */
function contraction(step: Step, a: Variable, b: Variable, at: Index): Local | null {
  const groups = (step.params.find(([key]) => key === "dimension_numbers")?.[1] ?? "").match(/\([\d, ]*\)/g);
  const [ac = [], bc = [], ab = [], bb = []] = (groups ?? []).map(numbersIn);
  if (groups?.length !== 4) return null;
  const inner = ac.map((d) => a.shape[d] ?? 1);
  if (product(inner) > MOST) return null;
  const free = (shape: Index, ...used: Index[]) => shape.map((_, d) => d).filter((d) => !used.flat().includes(d));
  const [af, bf] = [free(a.shape, ac, ab), free(b.shape, bc, bb)];
  const index = (shape: Index, batch: Index, own: Index, summed: Index, offset: number, k: Index): Index =>
    shape.map((_, d) => {
      const [s, o] = [summed.indexOf(d), batch.indexOf(d)];
      return (s >= 0 ? k[s] : o >= 0 ? at[o] : at[offset + own.indexOf(d)]) ?? 0;
    });
  return Array.from({ length: product(inner) }, (_, i) => unravel(i, inner)).flatMap((k) => [
    [a, index(a.shape, ab, af, ac, ab.length, k)] as const,
    [b, index(b.shape, bb, bf, bc, ab.length + af.length, k)] as const,
  ]);
}

/** An index in a block that is spread over one of more elements: dimensions of size one stay at their element. */
function fitted(shape: Index, at: Index): Index {
  const skip = at.length - shape.length;
  return shape.map((n, d) => (n === 1 ? 0 : (at[d + skip] ?? 0)));
}

/** All whole numbers of a parameter as JAX prints it. */
function numbersIn(text: string): number[] {
  return (text.match(/-?\d+/g) ?? []).map(Number);
}

/** At most this many elements are named. */
const MOST = 512;

/** How an element was made, in numbers: `2·4 + 3·5 = 23`; `null` where the rule is not known. */
export function arithmetic(
  trace: TraceModel,
  step: Step,
  sources: readonly Source[],
  text: (source: Source) => string,
  result: string,
): string {
  const known = sources.filter((s) => s.element !== null);
  if (known.length < sources.length || known.length === 0) return "";
  const terms = known.map(text);
  const { primitive } = step;
  const { dtype = "" } = trace.variable(step.outputs[0] ?? -1) ?? {};
  if (primitive === "dot_general") {
    const pairs = terms.flatMap((t, i) => (i % 2 === 0 ? [`${t}·${terms[i + 1]}`] : []));
    return equation("sum", pairs, result, dtype);
  }
  const combines = trace.communicates(step) ? step.collective?.semantics.combines : REDUCTIONS[primitive];
  if (combines) return equation(combines, terms, result, dtype);
  const sign = SIGNS[primitive];
  if (sign && terms.length === 2)
    return sign === "+" ? equation("sum", terms, result, dtype) : `${terms[0]} ${sign} ${terms[1]} = ${result}`;
  if (step.elementwise && step.literals.length === 0 && !SILENT.has(primitive))
    return `${primitive}(${terms.join(", ")}) = ${result}`;
  return "";
}

const REDUCTIONS: Readonly<Record<string, string>> = {
  reduce_sum: "sum",
  cumsum: "sum",
  reduce_max: "max",
  cummax: "max",
  reduce_min: "min",
  cummin: "min",
  reduce_prod: "product",
  cumprod: "product",
};
const SIGNS: Readonly<Record<string, string>> = { add: "+", add_any: "+", sub: "−", mul: "×", div: "÷" };
const SILENT: ReadonlySet<string> = new Set(["pvary", "copy", "stop_gradient", "convert_element_type"]);
