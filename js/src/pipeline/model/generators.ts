/**
 * Well-known schedules, by the rules of `shardwidget/pipeline/generators.py`, which names their papers. A test compares
 * both, task for task.
 */
import type { Recipe } from "../../core/document.gen";
import { B, type Draft, F, I, type Tasks, tasksOf, W } from "./tasks";

/** Why a recipe cannot be followed; null where it can. */
export function flawOf({ generator, stages, microbatches: m, ranks: p }: Recipe): string | null {
  if (stages < 1 || m < 1 || p < 1 || stages % p !== 0) return `${stages} stages do not fit ${p} ranks`;
  if (generator === "interleaved_1f1b" && m % p !== 0) return `the number of microbatches must be a multiple of ${p}`;
  if (generator === "circular" && stages > p && m < p) return `there must be ${p} microbatches or more`;
  if (generator === "dualpipe_v" && m < 2 * p) return `there must be ${2 * p} microbatches or more`;
  return null;
}

/** The number of microbatches nearest to a wanted one that a recipe can have. */
export function nearest(recipe: Recipe, wanted: number): number {
  const p = recipe.ranks;
  if (recipe.generator === "interleaved_1f1b") return Math.max(p, Math.round(wanted / p) * p);
  if (recipe.generator === "circular" && recipe.stages > p) return Math.max(p, wanted);
  return recipe.generator === "dualpipe_v" ? Math.max(2 * p, wanted) : Math.max(1, wanted);
}

export function generate(recipe: Recipe): Tasks {
  const rule = RULES[recipe.generator];
  return tasksOf(Array.from({ length: recipe.ranks }, (_, rank) => rule(rank, recipe)));
}

type Rule = (rank: number, recipe: Recipe) => Draft[];

const RULES: Readonly<Record<Recipe["generator"], Rule>> = {
  gpipe: (rank, { microbatches }) => [F, B].flatMap((kind) => each(microbatches, (k): Draft => [rank, kind, k])),
  one_f_one_b: (rank, recipe) => steady(rank, recipe, recipe.ranks - 1 - rank),
  eager_1f1b: (rank, recipe) => steady(rank, recipe, 2 * (recipe.ranks - 1 - rank)),
  interleaved_1f1b: (rank, recipe) => {
    const afterFirst = recipe.stages - recipe.ranks;
    return steady(rank, recipe, afterFirst + (afterFirst > 0 ? 2 : 1) * (recipe.ranks - 1 - rank));
  },
  zb_h1: (rank, recipe) => steady(rank, recipe, recipe.ranks - 1 - rank, rank),
  zb_v: zbV,
  dualpipe_v: dualPipeV,
  circular: (rank, { stages, ranks, microbatches }) => {
    const forward = each(stages / ranks, (lap) => each(microbatches, (k) => [rank + lap * ranks, k] as const)).flat();
    return [
      ...forward.map(([stage, k]): Draft => [stage, F, k]),
      ...forward.reverse().map(([stage, k]): Draft => [stage, B, k]),
    ];
  },
};

/** `warmUp` forward tasks, then forward and backward in turn; backward in halves where at most `lag` of them wait. */
function steady(rank: number, recipe: Recipe, warmUp: number, lag: number | null = null): Draft[] {
  const p = recipe.ranks;
  const chunks = recipe.stages / p;
  const total = recipe.microbatches * chunks;
  const task = (kind: number, k: number): Draft => {
    if (chunks === 1) return [rank, kind, k];
    const turn = Math.floor(k / (p * chunks));
    const within = k % (p * chunks);
    const at = Math.floor(within / p);
    return [rank + p * (kind === F ? at : chunks - 1 - at), kind, turn * p + (within % p)];
  };
  let forward = Math.min(warmUp, total);
  let weights = 0;
  const out = each(forward, (k) => task(F, k));
  for (let k = 0; k < total; k++) {
    if (forward < total) out.push(task(F, forward++));
    out.push(task(lag === null ? B : I, k));
    if (lag !== null && k >= lag) out.push(task(W, weights++));
  }
  while (lag !== null && weights < total) out.push(task(W, weights++));
  return out;
}

function zbV(rank: number, { ranks, stages, microbatches }: Recipe): Draft[] {
  const [down, up] = [rank, stages - 1 - rank];
  const done = new Map<number, number>();
  const out: Draft[] = [];
  const count = (stage: number, kind: number) => done.get(4 * stage + kind) ?? 0;
  const put = (stage: number, ...kinds: number[]) => {
    for (const kind of kinds) {
      const k = count(stage, kind);
      if (k >= microbatches) continue;
      out.push([stage, kind, k]);
      done.set(4 * stage + kind, k + 1);
    }
  };
  for (let i = 0; i < 2 * (ranks - rank) - 1; i++) put(down, F);
  for (let i = 0; i < rank; i++) {
    put(up, F);
    put(down, F);
  }
  for (let i = rank; i < ranks; i++) put(up, F, I, W);
  while (count(up, F) < microbatches) {
    put(down, F, I, W);
    put(up, F, I, W);
  }
  for (let i = 0; i < rank; i++) {
    put(down, I);
    put(up, I);
  }
  for (let i = rank; i < ranks; i++) put(down, I, W);
  for (const stage of [up, down]) for (let i = 0; i < microbatches; i++) put(stage, I, W);
  return out;
}

function dualPipeV(rank: number, { ranks, stages, microbatches }: Recipe): Draft[] {
  const [down, up, behind] = [rank, stages - 1 - rank, ranks - 1 - rank];
  const done = new Map<number, number>();
  const waiting: Draft[] = [];
  const out: Draft[] = [];
  const put = (...parts: (readonly [stage: number, kind: number])[]) => {
    parts.forEach(([stage, kind], i) => {
      const key = 2 * stage + (kind === F ? 0 : 1);
      const k = done.get(key) ?? 0;
      done.set(key, k + 1);
      out.push([stage, kind, k, i > 0]);
      if (kind === I) waiting.push([stage, W, k]);
    });
  };
  const weight = () => out.push(...waiting.splice(0, 1));
  for (let i = 0; i < 2 * behind; i++) put([down, F]);
  for (let i = 0; i <= rank; i++) {
    put([down, F]);
    put([up, F]);
  }
  for (let i = 0; i < behind; i++) {
    put([up, I]);
    weight();
    put([up, F]);
  }
  for (let i = 0; i < microbatches - 2 * ranks + rank + 1; i++) {
    // The last rank's first backward task is of a microbatch that has only just turned.
    if (i === 0 && behind === 0) {
      put([down, F]);
      put([up, B]);
    } else put([down, F], [up, B]);
    put([up, F], [down, B]);
  }
  for (let i = 0; i < behind; i++) {
    put([up, B]);
    put([up, F], [down, B]);
  }
  for (let i = 0; i < 2 * (rank + 1); i++) put([i % 2 ? down : up, i <= rank ? B : I]);
  for (let i = 0; i < behind; i++) {
    weight();
    put([down, I]);
  }
  return [...out, ...waiting];
}

function each<T>(n: number, of: (k: number) => T): T[] {
  return Array.from({ length: n }, (_, k) => of(k));
}
