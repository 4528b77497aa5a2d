/** Tasks of ranks on a time axis, in their order, where a student has put them; and the numbers that follow. */
import { KINDS } from "../../pipeline/scene/public";
import { type Task, taskOf } from "./moving";

/** When each task of each rank starts. */
export type Starts = readonly (readonly number[])[];

export type Rows = readonly (readonly Task[])[];

/** The tasks of each rank, from a field's options. */
export function rowsOf(options: readonly string[]): Rows {
  return options.map((row) => row.split(" ").flatMap((text) => taskOf(text) ?? []));
}

/** Every task right after the one before it, whatever it waits for. */
export function packed(rows: Rows): Starts {
  return rows.map((row) => {
    let at = 0;
    return row.map(({ long }) => {
      at += long;
      return at - long;
    });
  });
}

/** Length of the axis: room for every rank to wait for all others once. */
export function lengthOf(rows: Rows): number {
  const longest = Math.max(0, ...rows.map((row) => row.reduce((sum, { long }) => sum + long, 0)));
  return longest + 3 * rows.length;
}

/** One task at another time: after the one before it on its rank; those after it make way. */
export function shifted(rows: Rows, starts: Starts, rank: number, task: number, to: number): Starts {
  const row = rows[rank] ?? [];
  const after = row.slice(task).reduce((sum, { long }) => sum + long, 0);
  const times = [...(starts[rank] ?? [])];
  let free = task > 0 ? (times[task - 1] ?? 0) + (row[task - 1]?.long ?? 0) : 0;
  times[task] = Math.max(free, Math.min(lengthOf(rows) - after, Math.round(to)));
  for (let k = task; k < row.length; k++) {
    times[k] = Math.max(free, times[k] ?? 0);
    free = times[k] + (row[k]?.long ?? 0);
  }
  return starts.map((one, r) => (r === rank ? times : one));
}

/** Idle and all time of all ranks until the last of them is done. */
export function idleOf(rows: Rows, starts: Starts): { idle: number; all: number } {
  const ends = rows.flatMap((row, r) => row.map(({ long }, k) => (starts[r]?.[k] ?? 0) + long));
  const all = rows.length * Math.max(0, ...ends);
  return { idle: all - rows.flat().reduce((sum, { long }) => sum + long, 0), all };
}

/** Activations that a rank keeps while it runs a task: from the start of a forward task to the end of its backward task. */
export function keptAt(row: readonly Task[], task: number): number {
  const letter = ({ kind }: Task) => KINDS[kind];
  const frees = row.some((one) => letter(one) === "B" || letter(one) === "W") ? ["B", "W"] : ["F"];
  const begun = row.slice(0, task + 1).filter((one) => letter(one) === "F").length;
  return begun - row.slice(0, task).filter((one) => frees.includes(letter(one) ?? "")).length;
}
