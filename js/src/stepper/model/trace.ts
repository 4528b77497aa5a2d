/** A trace as the stepper reads it: variables with their blocks, steps with their groups, times. */
import type { Corner } from "../../collective/model/chunks";
import { lasting, type Played, play, playable, type Times, timesOf } from "../../collective/model/plan";
import type { Collective, Origin, Plan, Step, Trace, Variable } from "../../core/document.gen";
import { unpack } from "../../core/ints";
import { MeshModel, product } from "../../core/mesh";
import { keyWord } from "../../core/numbers";
import { items } from "../../core/table";
import { Elements } from "../../core/values";
import { decodeDocument } from "../../core/wire";
import { bySize, differingAxes, firstEqual } from "./equal";
import { type Transfer, transfersOf, withArrivals } from "./futures";
import { originName } from "./origins";
import { joinedBlocks, knownReplicas } from "./replication";
import { runsOf } from "./runs";

/** A trace as it came over the wire; one that was read already stays as it is. */
export function decodeTrace(wire: unknown): Trace {
  if (typeof wire !== "object" || wire === null) return decodeDocument(wire, "trace", flaw);
  const { steps, variables } = wire as { steps?: unknown; variables?: unknown };
  const doc = decodeDocument({ ...wire, steps: items(steps), variables: items(variables) }, "trace", flaw);
  return withArrivals(withResults(doc));
}

/** What a collective gives and no name is bound to is called `result`, and so is what the function then returns. */
function withResults(doc: Trace): Trace {
  const steps = doc.steps.filter((s) => s.collective || s.primitive === "out_specs");
  const given = new Set(steps.flatMap((s) => s.outputs));
  const variables = doc.variables.map((v) => (given.has(v.id) && CALL.test(v.name) ? { ...v, name: "result" } : v));
  return { ...doc, variables };
}

/** A call, or a name that was made for a value without one. */
const CALL = /^(tmp\d+|[\w.]+\(.*\))$/s;

export class TraceModel {
  /** What was measured of it, by what that is. */
  readonly measured = new Map<string, number>();
  readonly mesh: MeshModel;
  readonly steps: readonly Step[];
  /** Collectives that are started in one step and received in a later one. */
  readonly transfers: readonly Transfer[];
  readonly #ends = new Map<Step, readonly ["start" | "done", Transfer]>();
  readonly #corners = new Map<number, Corner | null>();
  readonly #origins = new Map<Origin, Int32Array>();
  readonly #groups = new Map<Collective, readonly (readonly number[])[]>();
  readonly #played = new Map<Plan, Played>();
  readonly #first = new Map<number, readonly number[] | null>();
  #arguments: ReadonlySet<number> | null = null;
  #joined: ReadonlyMap<number, Origin> | null = null;
  #replicas: ReadonlyMap<number, readonly string[]> | null = null;

  /** How many executions a step stands for, the iterations that are not shown included. */
  readonly runs: (step: Step) => number;

  /** The number of a step in the document, which `view.step` is: of one that stands for several, of the last of them. */
  readonly number: (at: number) => number;

  constructor(
    readonly doc: Trace,
    numbers?: readonly number[],
  ) {
    this.number = (at) => numbers?.[at] ?? at;
    this.runs = runsOf(doc);
    this.mesh = new MeshModel(doc.mesh);
    this.steps = doc.steps;
    this.transfers = transfersOf(doc);
    for (const transfer of this.transfers) {
      this.#ends.set(this.steps[transfer.start] as Step, ["start", transfer]);
      const done = this.step(transfer.done ?? -1);
      if (done?.collective) this.#ends.set(done, ["done", transfer]);
    }
  }

  /** Whether a step only starts its collective, or only receives what another started; null for any other. */
  end(step: Step): "start" | "done" | null {
    return this.#ends.get(step)?.[0] ?? null;
  }

  /** The transfer that a step starts or receives. */
  transfer(step: Step): Transfer | null {
    return this.#ends.get(step)?.[1] ?? null;
  }

  /** What a collective gives, where it is received if it is only started here. */
  given(step: Step): Variable | null {
    const done = this.step(this.transfer(step)?.done ?? -1);
    return this.variable((done?.collective ? done : step).outputs[0] ?? -1);
  }

  /** Transfers that are under way at a step, those that it starts and receives included. */
  underWay(at: number): readonly Transfer[] {
    return this.transfers.filter(({ start, done }) => start <= at && at <= (done ?? at));
  }

  /** Positions of the devices that a variable's blocks come from. */
  origins(origin: Origin): Int32Array {
    let found = this.#origins.get(origin);
    if (!found) {
      found = unpack(origin.positions);
      this.#origins.set(origin, found);
    }
    return found;
  }

  /** The iterations that a step stands in, the outermost first: `scan 3 of 8`. */
  iterations(step: Step): string {
    const found: string[] = [];
    const { scopes } = this.doc;
    for (let scope = scopes[step.scope]; scope; scope = scopes[scope.parent]) {
      if (scope.kind !== "iteration") continue;
      found.unshift(`${scope.name} ${scope.iteration + 1}${scope.times === null ? "" : ` of ${scope.times}`}`);
    }
    return found.join(", ");
  }

  step(index: number): Step | null {
    return this.steps[index] ?? null;
  }

  variable(id: number): Variable | null {
    return this.doc.variables[id] ?? null;
  }

  /** Ids of the variables that have names at a step: each the last one of its name up to there. */
  latest(names: readonly string[], step: number): number[] {
    const ids = new Map<string, number>();
    if (names.length > 0) {
      for (const { outputs } of this.steps.slice(0, step + 1))
        for (const id of outputs) ids.set(this.variable(id)?.name ?? "", id);
    }
    return names.flatMap((name) => ids.get(name) ?? []);
  }

  /** Values of a variable; null where the document carries none. */
  corner(v: Variable): Corner | null {
    let corner = this.#corners.get(v.id);
    if (corner === undefined) {
      const w = v.window;
      if (w) {
        const block = unpack(w.block);
        const size = product(w.shape);
        const elements = new Elements(w.format, w.data);
        corner = {
          shape: w.shape,
          elements,
          text: (index) => elements.text(index, v.type.startsWith("key<") ? keyWord : undefined),
          start: (position) => (block[position] ?? 0) * size,
          // An element of a key is several words.
          whole: v.shape.every((_, d) => w.shape[d] === this.local(v, d)),
        };
      } else corner = null;
      this.#corners.set(v.id, corner);
    }
    return corner;
  }

  /** Size of a dimension on one device. */
  local(v: Variable, d: number): number {
    return (v.shape[d] ?? 1) / product((v.dims[d]?.axes ?? []).map((a) => this.mesh.axisSize(a)));
  }

  /** What a block is called on a device: by where it came from, `k of device 6`, by its slice, by what of it is shown. */
  nameOf(v: Variable, position: number): string {
    return originName(this, v, position, this.#sliceOf(v, position));
  }

  /** A shard of a global array with its slice, a cut one with what is shown. */
  #sliceOf(v: Variable, position: number): string {
    const corner = this.corner(v);
    if (corner && !corner.whole) return `${v.name}[${corner.shape.map((n) => `:${n}`).join(", ")}]`;
    if (v.region >= 0 || v.dims.every((d) => d.axes.length === 0) || v.dims.some((d) => d.cut)) return v.name;
    const digits = this.mesh.digits(position);
    const slices = v.dims.map((dim, d) => {
      if (dim.axes.length === 0) return ":";
      const [size, part] = [
        this.local(v, d),
        dim.axes.reduce((at, a) => at * this.mesh.axisSize(a) + (digits[this.mesh.axisOf(a)] ?? 0), 0),
      ];
      return `${part * size}:${(part + 1) * size}`;
    });
    return `${v.name}[${slices.join(", ")}]`;
  }

  /** Mesh positions of each group of a collective, in rank order. */
  groups(c: Collective): readonly (readonly number[])[] {
    let groups = this.#groups.get(c);
    if (!groups) {
      const flat = [...unpack(c.positions)];
      groups = Array.from({ length: Math.ceil(flat.length / c.group_size) }, (_, i) =>
        flat.slice(i * c.group_size, (i + 1) * c.group_size).filter((p) => p >= 0),
      );
      this.#groups.set(c, groups);
    }
    return groups;
  }

  /** The plans of a step's collective that can be played, the meaning first. */
  plans(step: Step): readonly Plan[] {
    return (step.collective?.plans ?? []).flatMap((i) => this.doc.plans[i] ?? []).filter(playable);
  }

  /** A plan from its beginning to its end. */
  played(plan: Plan): Played {
    let played = this.#played.get(plan);
    if (!played) {
      played = play(plan);
      this.#played.set(plan, played);
    }
    return played;
  }

  /** The plan of a step for a chosen algorithm; the meaning where that algorithm does not apply. */
  plan(step: Step, algorithm: Plan["algorithm"]): Plan | null {
    const plans = this.plans(step);
    return plans.find((p) => p.algorithm === algorithm) ?? plans[0] ?? null;
  }

  /** The collective of a step that moves data between devices; null for any other. */
  sends(step: Step | null): Collective | null {
    return step && this.communicates(step) ? step.collective : null;
  }

  /** Whether a step moves data between devices. */
  communicates(step: Step): boolean {
    return step.collective !== null && step.collective.group_size > 1 && step.collective.plans.length > 0;
  }

  /** How long the parts of a step's collective take. */
  times(step: Step, algorithm: Plan["algorithm"]): Times {
    return timesOf(this.plan(step, algorithm), step.collective?.group_size ?? 1, reduces(step.collective));
  }

  /** How far a collective has come at a phase of its step: one that is only started rests on its first way until it is done. */
  progress(step: Step, algorithm: Plan["algorithm"], phase: number): number {
    const end = this.end(step);
    if (end === null) return phase;
    const times = this.times(step, algorithm);
    const rest = times.round / 2 / lasting(times);
    return end === "start" ? phase * rest : rest + phase * (1 - rest);
  }

  /** Milliseconds that a step takes when it is played at single speed. */
  duration(step: Step, algorithm: Plan["algorithm"]): number {
    if (!this.communicates(step)) return LOCAL;
    const part = this.progress(step, algorithm, 1) - this.progress(step, algorithm, 0);
    return part * lasting(this.times(step, algorithm));
  }

  /** Mesh axes along which a variable's blocks are equal although its type does not say so. */
  replicas(v: Variable): readonly string[] {
    this.#replicas ??= knownReplicas(this);
    return this.#replicas.get(v.id) ?? [];
  }

  /**
   * For each mesh position, the first one with an equal block; null where only types tell. An argument's blocks have
   * places of their own in it, whatever their values.
   */
  firstEqual(v: Variable): readonly number[] | null {
    let first = this.#first.get(v.id);
    if (first === undefined) {
      first = this.#placed(v) ? null : firstEqual(this, v);
      this.#first.set(v.id, first);
    }
    return first;
  }

  #placed(v: Variable): boolean {
    this.#arguments ??= new Set(
      this.steps.flatMap((s) => (s.primitive === "in_specs" ? [...s.inputs, ...s.outputs] : [])),
    );
    return this.#arguments.has(v.id);
  }

  /** The pieces that a block is joined from, also after what is computed element by element; null for one piece. */
  joined(v: Variable): Origin | null {
    this.#joined ??= joinedBlocks(this);
    return this.#joined.get(v.id) ?? null;
  }

  /** Mesh axes that choose the colour of a variable's block: those over which blocks differ, the largest first. */
  colorAxes(v: Variable): number[] {
    const first = this.firstEqual(v);
    if (first) return differingAxes(this.mesh, first);
    const over = v.region < 0 ? v.dims.flatMap((d) => d.axes) : [...new Set([...v.varying, ...v.unreduced])];
    const equal = this.replicas(v);
    const axes = over.filter((a) => !equal.includes(a)).map((a) => this.mesh.axisOf(a));
    return bySize(this.mesh.meshShape, axes);
  }
}

/** Milliseconds of a step that sends nothing. */
const LOCAL = 450;

/** Whether a collective combines what it moves. */
export function reduces(c: Collective | null): boolean {
  return c !== null && c.semantics.combines !== "";
}

function flaw(doc: Trace): string | null {
  if (!Array.isArray(doc.steps) || doc.steps.length === 0) return "it has no steps";
  if (!Array.isArray(doc.variables)) return "it has no variables";
  const ids = doc.steps.flatMap((s) => [...s.inputs, ...s.outputs]);
  return ids.every((id) => doc.variables[id]?.id === id) ? null : "a step names a variable that does not exist";
}

/** A primitive by its usual name: a collective by what it does, whatever JAX calls its variants. */
export function primitiveName(step: Step): string {
  return /_(start|done)$/.test(step.primitive) ? step.primitive : (step.collective?.kind ?? step.primitive);
}
