/** A schedule that was run: its tasks, when each starts, and what follows. */
import type { Durations, Recipe, Schedule, Schedules } from "../../core/document.gen";
import { MeshModel } from "../../core/mesh";
import { decodeDocument } from "../../core/wire";
import { flawOf, generate, nearest } from "./generators";
import { bubbleOf, keptOf, type Run, simulate, sum } from "./simulate";
import { decodeOrder, F, type Tasks } from "./tasks";

/** What a reader may change, to see what a schedule gains. */
export interface Changes {
  /** Null: as many as the document says. */
  microbatches: number | null;
  /** Time of a backward task over that of a forward task; null: as the document says. */
  ratio: number | null;
  /** Time that a send takes, in forward tasks; null: as the document says. */
  communication: number | null;
}

export const UNCHANGED: Changes = { microbatches: null, ratio: null, communication: null };

/** The schedules of a document, one or several. */
export function decodeSchedules(wire: unknown): { schedules: readonly Schedule[]; several: boolean } {
  if ((wire as { kind?: unknown } | null)?.kind === "schedules") {
    const flaw = ({ schedules }: Schedules) =>
      schedules.map((d) => flawOfTimes(d.durations)).find((f) => f) ??
      (schedules.length > 0 ? null : "it has no schedules");
    return { schedules: decodeDocument(wire, "schedules", flaw, true).schedules, several: true };
  }
  const meshless = (wire as { mesh?: unknown } | null)?.mesh === null;
  const flaw = (d: Schedule) => (d.source ? flawOfTimes(d.durations) : "it has no tasks");
  return { schedules: [decodeDocument(wire, "schedule", flaw, meshless)], several: false };
}

/** Durations: none is negative. */
function flawOfTimes({ forward, backward_input, backward_weight, communication }: Durations): string | null {
  const all = [...forward, ...backward_input, ...backward_weight, communication];
  return all.every((time) => time >= 0) ? null : "a task takes a negative time";
}

export class ScheduleModel {
  readonly tasks: Tasks;
  readonly run: Run;
  readonly durations: Durations;
  readonly mesh: MeshModel | null;
  /** Kinds of tasks that occur. */
  readonly kinds: ReadonlySet<number>;
  /** Whether there is a way back, for which activations are kept. */
  readonly trains: boolean;
  /** The time of the shortest task that takes any. */
  readonly shortest: number;
  /** Why the number of microbatches is not the wanted one; empty if it is. */
  readonly remark: string;

  constructor(
    readonly doc: Schedule,
    changes: Changes = UNCHANGED,
  ) {
    const recipe = recipeOf(doc);
    const wanted = changes.microbatches;
    if (recipe) {
      const microbatches = wanted === null ? recipe.microbatches : nearest(recipe, wanted);
      const other = { ...recipe, microbatches };
      this.remark =
        wanted === null || microbatches === wanted ? "" : (flawOf({ ...recipe, microbatches: wanted }) ?? "");
      this.tasks = generate(other);
    } else {
      this.tasks = decodeOrder(doc.source as Exclude<Schedule["source"], Recipe>);
      this.remark = wanted === null || wanted === this.tasks.microbatches ? "" : "its tasks are listed one by one";
    }
    this.durations = changed(doc.durations, changes);
    this.run = simulate(this.tasks, this.durations);
    this.mesh = doc.mesh && new MeshModel(doc.mesh);
    this.kinds = new Set(this.tasks.kind);
    this.trains = [...this.kinds].some((kind) => kind !== F);
    this.shortest = this.run.start.reduce((least, start, t) => {
      const long = (this.run.end[t] ?? 0) - start;
      return long > 0 ? Math.min(least, long) : least;
    }, this.run.makespan);
  }

  /** Stages on each rank. */
  get chunks(): number {
    return this.tasks.stages / this.tasks.ranks;
  }

  get bubble(): number {
    return bubbleOf(this.run);
  }

  /** The bubble as a fraction of small whole numbers; null if it is not one. */
  get fraction(): readonly [number, number] | null {
    const idle = sum(this.run.idle) + sum(this.run.wasted);
    const all = this.tasks.ranks * this.run.makespan;
    const unit = [1, 2, 3, 4, 6, 8].find((k) => whole(k * idle) && whole(k * all));
    if (!unit) return null;
    const [a, b] = [Math.round(unit * idle), Math.round(unit * all)];
    const d = divisor(a, b);
    return b / d < 10_000 ? [a / d, b / d] : null;
  }

  /** The most activations that any rank keeps, in units of a rank's whole share of the model. */
  kept(rank: number): number {
    return (this.run.peaks[rank] ?? 0) / this.chunks;
  }

  /** The task before which its rank is idle longest. */
  get longestWaited(): number {
    const { tasks, run } = this;
    const waits = Array.from(run.start, (start, t) => {
      const first = tasks.first[tasks.rank[t] ?? 0] === t;
      return start - (first ? 0 : (run.end[t - 1] ?? 0));
    });
    return waits.indexOf(Math.max(...waits));
  }

  /** The task from which on a rank keeps the most activations of all ranks. */
  get fullest(): number {
    const { tasks, run } = this;
    const most = Math.max(...run.peaks);
    const rank = run.peaks.indexOf(most);
    const moment = keptOf(tasks, run, rank).find(([, n]) => n === most)?.[0] ?? 0;
    return this.firstAfter(rank, moment);
  }

  /** Positions of the mesh that a rank stands for. */
  positions(rank: number): number[] {
    const { mesh, doc, tasks } = this;
    if (!mesh) return [];
    const axis = mesh.axes.findIndex((a) => a.name === doc.axis);
    const size = mesh.axes[axis]?.size ?? 1;
    const lanes = tasks.ranks / size;
    const at = Math.floor(rank / lanes);
    return Array.from({ length: mesh.size }, (_, p) => p).filter((p) => (mesh.digits(p)[axis] ?? 0) === at);
  }

  /** The task that a rank runs at a moment, or null. */
  taskAt(rank: number, time: number): number | null {
    const { first } = this.tasks;
    let [low, high] = [first[rank] ?? 0, (first[rank + 1] ?? 0) - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      if ((this.run.end[middle] ?? 0) <= time) low = middle + 1;
      else if ((this.run.start[middle] ?? 0) > time) high = middle - 1;
      else return middle;
    }
    return null;
  }

  /** The tick at a moment, if ranks advance together. */
  tickAt(time: number): number {
    return this.tasks.tick.reduce(
      (found, tick, t) => ((this.run.start[t] ?? 0) <= time ? Math.max(found, tick) : found),
      0,
    );
  }

  /** The first task of a rank that ends after a moment. */
  firstAfter(rank: number, time: number): number {
    const { first } = this.tasks;
    let [low, high] = [first[rank] ?? 0, first[rank + 1] ?? 0];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.run.end[middle] ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Tasks of a microbatch that something uses, in order of time. */
  way(microbatch: number): number[] {
    const { tasks, run } = this;
    const found: number[] = [];
    for (let t = 0; t < tasks.size; t++) if (tasks.microbatch[t] === microbatch && !tasks.wasted[t]) found.push(t);
    return found.sort((a, b) => (run.start[a] ?? 0) - (run.start[b] ?? 0) || (run.end[a] ?? 0) - (run.end[b] ?? 0));
  }
}

/** The recipe of a schedule; null where its tasks are written out. */
export function recipeOf({ source }: Schedule): Recipe | null {
  return "generator" in source ? source : null;
}

/** Backward over forward time, of the first stage. */
export function ratioOf({ forward, backward_input, backward_weight }: Durations): number {
  return ((backward_input[0] ?? 0) + (backward_weight[0] ?? 0)) / (forward[0] || 1);
}

function changed(own: Durations, { ratio, communication }: Changes): Durations {
  const scale = ratio === null ? 1 : ratio / ratioOf(own);
  const scaled = (times: readonly number[]) => (scale === 1 ? times : times.map((t) => t * scale));
  return {
    forward: own.forward,
    backward_input: scaled(own.backward_input),
    backward_weight: scaled(own.backward_weight),
    communication: communication === null ? own.communication : communication * (own.forward[0] ?? 1),
  };
}

function whole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6;
}

function divisor(a: number, b: number): number {
  return b === 0 ? Math.max(1, a) : divisor(b, a % b);
}
