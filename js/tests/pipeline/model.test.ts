import { expect, test } from "vitest";
import type { Durations, Schedule } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { nearest } from "../../src/pipeline/model/generators";
import { recipeOf, ScheduleModel, UNCHANGED } from "../../src/pipeline/model/schedule";
import { keptOf, simulate } from "../../src/pipeline/model/simulate";
import { tasksOf, taskText } from "../../src/pipeline/model/tasks";
import {
  answerOf,
  badgesOf,
  cellText,
  comparedText,
  needsText,
  rankText,
  summaryText,
} from "../../src/pipeline/model/words";
import runs from "./runs.json";
import { model, models } from "./schedules";

interface Found {
  document: unknown;
  times: Partial<Record<"forward" | "backward_input" | "backward_weight", number[]>> & { communication: number };
  tasks: string[][];
  makespan: number;
  start: number[];
  idle: number[];
  wasted: number[];
  peaks: number[];
  messages: number;
  critical: number[];
}

/** Units of each rank as text, as Python writes them. */
function texts({ tasks }: ScheduleModel): string[][] {
  return Array.from({ length: tasks.ranks }, (_, r) => {
    const out: string[] = [];
    for (let t = tasks.first[r] ?? 0; t < (tasks.first[r + 1] ?? 0); t++) {
      const text = taskText(tasks, t);
      if (t > 0 && tasks.unit[t] === tasks.unit[t - 1]) out[out.length - 1] += `+${text}`;
      else out.push(text);
    }
    return out;
  });
}

test.each((runs as unknown as Found[]).map((found, i) => [i, found] as const))(
  "run %i: the same tasks, times and figures as Python's",
  (_, found) => {
    const doc = reviveBytes(found.document) as unknown as Schedule;
    const durations: Durations = { ...doc.durations, ...found.times };
    const { tasks, ...made } = new ScheduleModel({ ...doc, durations });
    expect(texts({ tasks, ...made } as ScheduleModel)).toEqual(found.tasks);
    const run = simulate(tasks, durations);
    expect(run.makespan).toBe(found.makespan);
    expect([...run.start]).toEqual(found.start);
    expect(run.critical).toEqual(found.critical);
    expect([...run.peaks]).toEqual(found.peaks);
    expect(run.messages).toBe(found.messages);
    found.idle.forEach((idle, r) => void expect(run.idle[r]).toBeCloseTo(idle, 9));
    found.wasted.forEach((wasted, r) => void expect(run.wasted[r]).toBeCloseTo(wasted, 9));
  },
);

test("the bubble is a fraction", () => {
  expect(model("one_f_one_b").fraction).toEqual([3, 11]);
  expect(models("compared").map((m) => [m.run.makespan, m.fraction])).toEqual([
    [33, [3, 11]],
    [33, [3, 11]],
    [28.5, [3, 19]],
    [27, [1, 9]],
  ]);
  expect(models("compared").map((m) => m.kept(0))).toEqual([4, 8, 5.5, 4]);
  expect(model("one_f_one_b", { ...UNCHANGED, communication: 0.1 }).fraction).not.toEqual([3, 11]);
});

test("more microbatches, a dearer way back, slow sends: answered here", () => {
  const at = (microbatches: number) => model("one_f_one_b", { ...UNCHANGED, microbatches });
  expect(at(16).bubble).toBeCloseTo(3 / 19);
  expect(at(16).tasks.microbatches).toBe(16);
  expect(model("one_f_one_b", { ...UNCHANGED, ratio: 3 }).run.makespan).toBe(44);
  expect(model("one_f_one_b", { ...UNCHANGED, communication: 1 }).run.makespan).toBeGreaterThan(33);
  const written = model("written", { ...UNCHANGED, microbatches: 5 });
  expect([written.tasks.microbatches, written.remark]).toEqual([2, "its tasks are listed one by one"]);
});

test("a recipe takes the nearest number of microbatches that it can", () => {
  const recipe = { generator: "interleaved_1f1b", stages: 8, microbatches: 8, ranks: 4 } as const;
  expect(nearest(recipe, 11)).toBe(12);
  expect(nearest({ ...recipe, generator: "dualpipe_v" }, 3)).toBe(8);
  expect(nearest({ ...recipe, generator: "circular" }, 2)).toBe(4);
  expect(nearest({ ...recipe, generator: "gpipe" }, 0)).toBe(1);
  const [, , interleaved] = models("compared", { ...UNCHANGED, microbatches: 11 });
  expect(interleaved?.tasks.microbatches).toBe(12);
  expect(interleaved?.remark).toBe("the number of microbatches must be a multiple of 4");
});

test("a moment finds its task, and a microbatch its way", () => {
  const m = model("one_f_one_b");
  const at = (rank: number, time: number) => {
    const task = m.taskAt(rank, time);
    return task === null ? null : taskText(m.tasks, task);
  };
  expect([at(0, 0), at(0, 3.5), at(0, 5), at(3, 3.2), at(3, 33)]).toEqual(["0F0", "0F3", null, "3F0", null]);
  expect(m.way(3).map((t) => taskText(m.tasks, t))).toEqual(["0F3", "1F3", "2F3", "3F3", "3B3", "2B3", "1B3", "0B3"]);
  expect(taskText(m.tasks, m.firstAfter(0, 5))).toBe("0B0");
  expect(m.positions(1)).toEqual([4, 5, 6, 7]);
});

test("what is kept rises and falls to nothing", () => {
  const m = model("one_f_one_b");
  const kept = keptOf(m.tasks, m.run, 0);
  expect(Math.max(...kept.map(([, n]) => n))).toBe(4);
  expect(kept.at(-1)).toEqual([33, 0]);
});

test("words", () => {
  const m = model("one_f_one_b");
  expect(summaryText(m)).toBe("1F1B: idle 27.3 %, keeps 4, 3, 2, 1 activations, 48 sends, 33 steps long");
  expect(badgesOf(m).map((b) => `${b.strong} ${b.text}`)).toEqual(["27.3 % idle", "4 activations kept", "48 sends"]);
  expect(answerOf(m)).toBe("27.3 % idle: every rank loses 9 of 33 units");
  expect(comparedText(models("compared"))).toMatch(/ is shortest: .* units, .* % idle$/);
  const task = m.way(3)[2] ?? -1;
  expect(cellText(m, task)).toBe("stage=2, time 11 to 12, forward of microbatch 3, stage 2");
  expect(needsText(m, task)).toBe("needs 1F3 of rank 1, done at 11");
  const ring = model("ring");
  expect(badgesOf(ring)[0]?.text).toBe("idle or wasted");
  expect(cellText(ring, 2)).toContain("nothing uses it");
  expect(rankText(model("zb_v"), 3)).toBe("stage=3");
  const fused = model("dualpipe_v");
  const pair = fused.taskAt(0, fused.run.makespan / 2) ?? 0;
  expect(cellText(fused, pair)).toContain("at the same time as");
});

test("a deadlock is named, not waited for", () => {
  const tasks = tasksOf([
    [
      [0, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0, 1, 1],
    ],
    [
      [1, 0, 1],
      [1, 0, 0],
      [1, 1, 0],
      [1, 1, 1],
    ],
  ]);
  const times = { forward: [1], backward_input: [1], backward_weight: [1], communication: 0 };
  expect(() => simulate(tasks, times)).toThrow("deadlock: rank 0 at 0B0,rank 1 at 1F1");
});

test("a schedule of thousands is run at once", () => {
  const m = model("large");
  expect(recipeOf(m.doc)?.microbatches).toBe(256);
  expect([m.tasks.size, m.run.makespan]).toEqual([32768, 957]);
});
