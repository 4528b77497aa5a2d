/**
 * Runs a schedule: every task as early as its rank and its inputs allow, as `shardwidget/pipeline/simulation.py` does.
 * A test compares both, number for number.
 */
import type { Durations } from "../../core/document.gen";
import { B, F, I, type Tasks, taskText, W } from "./tasks";

export interface Run {
  readonly makespan: number;
  /** For each task. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** For each rank: time in which it does nothing, and time of tasks that nothing uses. */
  readonly idle: Float64Array;
  readonly wasted: Float64Array;
  /** For each rank: the most activations that it keeps at once. */
  readonly peaks: Int32Array;
  /** What each task waits for: two entries a task, -1 for none. */
  readonly needs: Int32Array;
  /** Sends from rank to rank. */
  readonly messages: number;
  /** Tasks that made the run as long as it is, in order of time. */
  readonly critical: readonly number[];
}

/** Part of all ranks' time in which they do nothing useful. */
export function bubbleOf({ idle, wasted, makespan }: Run): number {
  return (sum(idle) + sum(wasted)) / (idle.length * makespan);
}

export function simulate(tasks: Tasks, durations: Durations): Run {
  const needs = dependencies(tasks);
  const length = lengths(tasks, durations);
  const run = tasks.tick.length > 0 ? inTicks : asEarlyAsPossible;
  const { start, end, because } = run(tasks, needs, length, durations.communication);
  let makespan = 0;
  let last = 0;
  for (let t = 0; t < tasks.size; t++) {
    if ((end[t] ?? 0) > makespan) {
      makespan = end[t] ?? 0;
      last = t;
    }
  }
  const useful = new Float64Array(tasks.ranks);
  const wasted = new Float64Array(tasks.ranks);
  let messages = 0;
  for (let t = 0; t < tasks.size; t++) {
    const rank = tasks.rank[t] ?? 0;
    if (t === 0 || tasks.unit[t] !== tasks.unit[t - 1]) {
      const on = tasks.wasted[t] ? wasted : useful;
      on[rank] = (on[rank] ?? 0) + (end[t] ?? 0) - (start[t] ?? 0);
    }
    for (const need of [needs[2 * t] ?? -1, needs[2 * t + 1] ?? -1])
      if (need >= 0 && tasks.rank[need] !== rank) messages++;
  }
  const critical = [headOf(tasks, last)];
  for (let t = because[last] ?? -1; t >= 0; t = because[t] ?? -1) critical.push(t);
  return {
    makespan,
    start,
    end,
    idle: useful.map((busy, r) => makespan - busy - (wasted[r] ?? 0)),
    wasted,
    peaks: Int32Array.from({ length: tasks.ranks }, (_, r) =>
      keptOf(tasks, { start, end }, r).reduce((most, [, n]) => Math.max(most, n), 0),
    ),
    needs,
    messages,
    critical: critical.reverse(),
  };
}

/** How many activations a rank keeps: moments, and the number from each moment on. */
export function keptOf(tasks: Tasks, run: Pick<Run, "start" | "end">, rank: number): [moment: number, n: number][] {
  const from = tasks.first[rank] ?? 0;
  const to = tasks.first[rank + 1] ?? 0;
  const whole = frees(tasks);
  const changes: [number, number][] = [];
  for (let t = from; t < to; t++) {
    if (tasks.wasted[t]) continue;
    if (tasks.kind[t] === F) changes.push([run.start[t] ?? 0, 1]);
    if (whole(t)) changes.push([run.end[t] ?? 0, -1]);
  }
  // What ends at a moment frees room for what starts then.
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let n = 0;
  return changes.map(([moment, by]) => {
    n += by;
    return [moment, n];
  });
}

/** Whether a task frees an activation; without backward tasks, forward tasks do. */
export function frees(tasks: Tasks): (t: number) => boolean {
  const back = tasks.kind.some((kind) => kind !== F);
  return back ? (t) => tasks.kind[t] === B || tasks.kind[t] === W : () => true;
}

function lengths(tasks: Tasks, { forward, backward_input, backward_weight }: Durations): Float64Array {
  const at = (each: readonly number[], stage: number) => (each.length === 1 ? each[0] : each[stage]) ?? 0;
  return Float64Array.from({ length: tasks.size }, (_, t) => {
    const stage = tasks.stage[t] ?? 0;
    const kind = tasks.kind[t];
    if (kind === F) return at(forward, stage);
    if (kind === I) return at(backward_input, stage);
    if (kind === W) return at(backward_weight, stage);
    return at(backward_input, stage) + at(backward_weight, stage);
  });
}

/** What each task waits for; a weight half for its input half, a backward task for its forward task and the stage behind. */
function dependencies(tasks: Tasks): Int32Array {
  const { stages, microbatches: m, size, stage, kind, microbatch, wasted } = tasks;
  const forward = new Int32Array(stages * m).fill(-1);
  const backward = new Int32Array(stages * m).fill(-1);
  for (let t = 0; t < size; t++) {
    if (wasted[t]) continue;
    const at = (stage[t] ?? 0) * m + (microbatch[t] ?? 0);
    if (kind[t] === F) forward[at] = t;
    else if (kind[t] !== W) backward[at] = t;
  }
  const needs = new Int32Array(2 * size).fill(-1);
  for (let t = 0; t < size; t++) {
    if (wasted[t]) continue;
    const at = (stage[t] ?? 0) * m + (microbatch[t] ?? 0);
    if (kind[t] === F) needs[2 * t] = (stage[t] ?? 0) > 0 ? (forward[at - m] ?? -1) : -1;
    else if (kind[t] === W) needs[2 * t] = backward[at] ?? -1;
    else {
      needs[2 * t] = forward[at] ?? -1;
      needs[2 * t + 1] = (stage[t] ?? 0) < stages - 1 ? (backward[at + m] ?? -1) : -1;
    }
  }
  return needs;
}

interface Times {
  start: Float64Array;
  end: Float64Array;
  /** The task that each had to wait for, -1 for none. */
  because: Int32Array;
}

/** Each unit is looked at once for each thing that it waits for, so this ends, whatever the schedule. */
function asEarlyAsPossible(tasks: Tasks, needs: Int32Array, length: Float64Array, communication: number): Times {
  const { size, ranks, unit, rank, first } = tasks;
  const start = new Float64Array(size);
  const end = new Float64Array(size).fill(-1);
  const because = new Int32Array(size).fill(-1);
  const at = first.slice(0, ranks);
  const free = new Float64Array(ranks);
  // Before each rank's first unit there is none.
  const before = new Int32Array(ranks).fill(-1);
  const waiting = new Map<number, number[]>();
  const able = Array.from({ length: ranks }, (_, r) => r);
  for (let r = able.pop(); r !== undefined; r = able.pop()) {
    const last = first[r + 1] ?? 0;
    let t = at[r] ?? 0;
    while (t < last) {
      let begin = free[r] ?? 0;
      let cause = -1;
      let missing = -1;
      let next = t;
      let takes = 0;
      for (; next < last && unit[next] === unit[t]; next++) {
        takes += length[next] ?? 0;
        for (let k = 2 * next; k < 2 * next + 2 && missing < 0; k++) {
          const need = needs[k] ?? -1;
          if (need < 0 || unit[need] === unit[t]) continue;
          if ((end[need] ?? -1) < 0) missing = need;
          else {
            const done = (end[need] ?? 0) + (rank[need] === r ? 0 : communication);
            if (done > begin) {
              begin = done;
              cause = need;
            }
          }
        }
      }
      if (missing >= 0) {
        waiting.set(missing, [...(waiting.get(missing) ?? []), r]);
        break;
      }
      // The first task of a unit stands for all.
      const head = cause >= 0 ? headOf(tasks, cause) : (before[r] ?? -1);
      for (let k = t; k < next; k++) {
        start[k] = begin;
        end[k] = begin + takes;
        because[k] = head;
        able.push(...(waiting.get(k) ?? []));
        waiting.delete(k);
      }
      before[r] = t;
      free[r] = begin + takes;
      t = next;
    }
    at[r] = t;
  }
  const stuck = Array.from(at, (t, r) => ({ t, r })).filter(({ t, r }) => t < (first[r + 1] ?? 0));
  if (stuck.length > 0) throw new Error(`deadlock: ${stuck.map(({ t, r }) => `rank ${r} at ${taskText(tasks, t)}`)}`);
  return { start, end, because };
}

function headOf(tasks: Tasks, t: number): number {
  let head = t;
  while (head > 0 && tasks.unit[head - 1] === tasks.unit[t]) head--;
  return head;
}

/** Where all ranks advance together, a tick lasts as long as its longest task. */
function inTicks(tasks: Tasks, _: Int32Array, length: Float64Array, communication: number): Times {
  const ticks = tasks.tick.reduce((most, tick) => Math.max(most, tick + 1), 0);
  const longest = new Float64Array(ticks);
  const slowest = new Int32Array(ticks).fill(-1);
  tasks.tick.forEach((tick, t) => {
    if (slowest[tick] === -1 || (length[t] ?? 0) >= (longest[tick] ?? 0)) slowest[tick] = t;
    longest[tick] = Math.max(longest[tick] ?? 0, length[t] ?? 0);
  });
  const begins = new Float64Array(ticks + 1);
  for (let k = 0; k < ticks; k++) begins[k + 1] = (begins[k] ?? 0) + ((longest[k] ?? 0) + communication);
  const start = Float64Array.from(tasks.tick, (tick) => begins[tick] ?? 0);
  return {
    start,
    end: start.map((s, t) => s + (length[t] ?? 0)),
    because: Int32Array.from(tasks.tick, (tick) => (tick > 0 ? (slowest[tick - 1] ?? -1) : -1)),
  };
}

export function sum(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0);
}
