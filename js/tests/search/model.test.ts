/** Searches: the answer in words, ratios, orders, specs. */
import { expect, test } from "vitest";
import type { Mark } from "../../src/draw/marks";
import { textWidth } from "../../src/draw/measure";
import {
  answerOf,
  basisOf,
  decodeSearch,
  factsOf,
  notesOf,
  type Row,
  SearchModel,
  sentenceOf,
  sentOf,
  specsOf,
  squaresOf,
  subjectOf,
} from "../../src/search/model/search";
import { chartMarks, chartOf, selectedMarks, sign } from "../../src/search/scene/chart";
import { rowMarks, tableMarks, tableOf } from "../../src/search/scene/table";
import { search, wire } from "./searches";

test("those that are known as the best is have a rank, and now has none", () => {
  const { rows } = search("compiled");
  expect(rows.map((row) => row.rank).slice(0, 7)).toEqual([1, 2, 3, 4, 5, 6, null]);
  expect(search("paper").rows[0]?.rank).toBe(1);
  expect(rows.find((row) => row.now)?.rank).toBeNull();
  expect(search("nothing fits").rows.every((row) => row.rank === null)).toBe(true);
});

test("the answer is what is better, and by how much", () => {
  const model = search("compiled");
  const [strong] = answerOf(model);
  expect(model.best?.compiled).toBe(true);
  expect(strong).toMatch(new RegExp(`^${model.best?.title}:`));
  expect(answerOf(search("paper"))[1]).toMatch(/ms a step, .* of 16 GiB$/);
  expect(answerOf(search("nothing fits"))[0]).toMatch(/^None of \d+ fits:$/);
});

test("an estimate is not compared with a compiled program", () => {
  const model = search("compiled");
  const { now, rows } = model;
  expect(now).not.toBeNull();
  for (const row of rows) expect(model.ratio(row) === null).toBe(row.now || row.compiled !== now?.compiled);
});

test("a step is compute or what is hidden, and then what is exposed", () => {
  for (const { time, figures } of search("compiled").rows)
    expect(time).toBeCloseTo(Math.max(figures.compute_s, figures.hidden_s) + figures.exposed_s);
});

test("candidates by memory, and only those that may fit", () => {
  const model = search("compiled");
  const sizes = model.listed("memory", false).map((row) => row.bytes);
  expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  expect(model.listed("time", true).every((row) => row.now || row.candidate.fits !== false)).toBe(true);
});

test("what is said of a candidate, of its specs, of all", () => {
  const model = search("compiled");
  const [first] = model.rows;
  if (!first) throw new Error("no rows");
  expect(sentenceOf(model, first)).toMatch(
    /ms a step \(compute .* exposed, .* hidden\), .* of 16 GiB, fits; compiled$/,
  );
  expect(specsOf(model, first).map(({ paths, spec }) => [paths, spec])).toEqual([
    ["up", "P('fsdp', 'tensor')"],
    ["tokens", "P(('data', 'fsdp'))"],
  ]);
  expect(subjectOf(model)).toContain("16 chips of TPU v5e 4×4");
  expect(factsOf(model)).toBe("81 ms a step, compiled; now 174 ms, estimated");
  expect(notesOf(model)[0]).toContain("rank correlation of communication 0.90");
});

test("the front is what nothing known in the same way beats in time and memory", () => {
  for (const name of ["compiled", "paper", "many"] as const) {
    const model = search(name);
    const fitting = model.rows.filter((row) => row.candidate.fits !== false);
    for (const row of fitting) {
      const better = fitting.some(
        (other) =>
          other.compiled === row.compiled &&
          other.time <= row.time &&
          other.bytes <= row.bytes &&
          (other.time < row.time || other.bytes < row.bytes),
      );
      if (better) expect(model.front.has(row)).toBe(false);
    }
    expect(model.front.size).toBeGreaterThan(0);
    expect(model.listed("front", false).every((row) => row.now || model.front.has(row))).toBe(true);
  }
});

test("if a chip had less memory: less fits, nothing stands elsewhere", () => {
  const whole = search("compiled");
  const less = new SearchModel(whole.doc, 4 * 2 ** 30);
  const count = (model: SearchModel) => model.rows.filter((row) => row.candidate.fits === false).length;
  expect(count(less)).toBeGreaterThan(count(whole));
  for (const row of less.rows) if (row.compiled) expect(row.candidate.fits).toBe(row.bytes <= 4 * 2 ** 30);
  expect(answerOf(less)[0]).toBe("If a chip had 4 GiB, FSDP 16:");
  expect(answerOf(new SearchModel(whole.doc, 2 ** 20))[0]).toMatch(/^If a chip had 1 MiB, none of 12 fits:$/);
  const [before, after] = [chartOf(whole, 430), chartOf(less, 430)];
  expect(after.points).toEqual(before.points);
  expect(after.wall).toBeLessThan(before.wall as number);
  expect(after.sizeAt(after.wall as number)).toBeCloseTo(4 * 2 ** 30, -3);
});

test("the name of now stands on the side with fewer candidates", () => {
  const chart = chartOf(search("compiled"), 934);
  const now = chart.model.now?.index as number;
  const [x, y] = [450, 100];
  const nameAt = (side: number) => {
    const points = chart.points.map((_, k) => (k === now ? { x, y } : { x: x + side * 40, y: y + (k % 2 ? -10 : 14) }));
    const names = selectedMarks({ ...chart, points }, now).filter((m) => m.kind === "text");
    return names.find((m) => m.spans[0]?.text.startsWith("now:"))?.x as number;
  };
  expect(nameAt(1)).toBeLessThan(x);
  expect(nameAt(-1)).toBeGreaterThan(x);
});

test("names, the words of compute alone and of the stair meet neither each other nor the edge", () => {
  const chart = chartOf(search("compiled"), 430);
  const now = chart.model.now?.index as number;
  const boxes = (marks: readonly Mark[]) =>
    marks.flatMap((m) => {
      if (m.kind !== "text" || m.size < 11 || m.size > 11.5) return [];
      const text = m.spans.map((s) => s.text).join("");
      const w = textWidth(text, m.size);
      return /now:|alone|compiled|DP/.test(text)
        ? [{ text, x: m.anchor === "end" ? m.x - w : m.x, y: m.y - 9, w }]
        : [];
    });
  for (let k = 0; k < 60; k++) {
    // Golden steps: everywhere in the chart.
    const at = (n: number) => ({ x: 66 + 350 * ((n * 0.381966) % 1), y: 32 + 145 * ((n * 0.618034) % 1) });
    const points = chart.points.map((_, i) => at(k + i / 3));
    const selected = (now + 1) % points.length;
    points[selected] = { x: (points[now]?.x ?? 0) - 45, y: points[now]?.y ?? 0 };
    const moved = { ...chart, points, compute: { y: 176, text: "compute alone: 849 µs" } };
    const all = boxes([...chartMarks(moved), ...selectedMarks(moved, selected)]);
    expect(all.every(({ x, w }) => x >= 16 && x + w <= 430)).toBe(true);
    const named = all.filter(({ text }) => !text.startsWith("best"));
    for (const [i, a] of named.entries())
      for (const b of named.slice(i + 1))
        expect(a.x + a.w <= b.x || b.x + b.w <= a.x || Math.abs(a.y - b.y) >= 11, `${a.text}, ${b.text}`).toBe(true);
  }
});

test("a candidate that is compiled now says so, with half a disc", () => {
  const model = search("compiling");
  const row = model.rows[model.doc.compiling] as Row;
  expect([basisOf(row), basisOf(row, 0.9), basisOf(row, 41.7)]).toEqual(["compiling …", "compiling …", "41 s so far"]);
  expect(sign(row, 20, 20).length).toBe(3);
  expect(squaresOf(model)).toEqual(["done", "done", "done", "failed", "half", ""]);
  const texts = (seconds: number) =>
    tableMarks(tableOf(model, 934, model.rows), 0, null, { axis: null, seconds }).flatMap((m) =>
      m.kind === "text" ? m.spans.map((s) => s.text) : [],
    );
  expect(texts(7)).toContain("7 s so far");
});

test("now is not the best because it alone is compiled yet", () => {
  const { doc } = search("paper");
  const [first, second] = doc.candidates;
  if (!first || !second) throw new Error("no candidates");
  const made = (now: number, objective = "time") => {
    const candidates = doc.candidates.map((c, k) => (k === now ? { ...c, compiled: c.estimated } : c));
    return new SearchModel({ ...doc, candidates, now_index: now, objective }).best?.index;
  };
  expect(made(1)).toBe(0);
  expect(made(0)).toBe(0);
  expect(made(1, "memory")).toBe(0);
});

test("one that is asked for is next, until it is compiled", () => {
  const { doc } = search("compiling");
  const title = search("compiling").rows.at(-1)?.title as string;
  expect(basisOf(new SearchModel(doc, null, title).rows.at(-1) as Row)).toBe("next");
  const at = doc.candidates.length - 1;
  expect(basisOf(new SearchModel({ ...doc, compiling: at }, null, title).rows.at(-1) as Row)).toBe("compiling …");
});

test("one that did not compile keeps its estimate, and its disc is struck", () => {
  const model = search("stopped");
  const row = model.rows.find((one) => one.candidate.failure) as Row;
  expect(row.figures).toEqual(row.candidate.estimated);
  expect(sign(row, 20, 20).length).toBe(2);
});

test("a document without candidates is damaged", () => {
  expect(() => decodeSearch({ ...wire("paper"), candidates: undefined })).toThrow("it has no candidates");
});

test("a search on its way, one candidate, nothing that fits", () => {
  expect(answerOf(search("running"))[0]).toMatch(/^So far /);
  expect(answerOf(search("one"))).toEqual(["DP 4 × TP 4:", expect.stringMatching(/a step/)]);
  const short = search("nothing fits");
  expect(answerOf(short)[1]).toMatch(/^the least takes .* of 1 GiB, 1.75 GiB too much$/);
  expect(factsOf(short)).toBe("FSDP 16: arguments 1.38 GiB, 1.38 GiB alive beside them");
  expect(notesOf(short)[0]).toMatch(
    /may be enough together with that. As estimated, FSDP 64 fits on 64 chips, TPU v5e 8×8.$/,
  );
  expect(notesOf(search("stopped")).join(" ")).toContain(
    "Stopped after 3 of 6 were compiled: 3 are known by their estimate only.",
  );
});

test("a long table is painted a window at a time", () => {
  const model = search("many");
  const table = tableOf(model, 934, model.rows);
  const marks = tableMarks(table, 0, 6400);
  expect(marks.length).toBeLessThan(tableMarks(table, 0).length / 10);
  const texts = marks.filter((m) => m.kind === "text").flatMap((m) => m.spans.map((s) => s.text));
  expect(texts).toContain(model.rows[Math.ceil((6400 - 28) / table.line)]?.title);
});

test("a candidate that takes far longer leaves the bars of others their length, and is cut with a gap", () => {
  const model = search("many");
  const fast = model.rows[0] as Row;
  const { figures } = fast;
  const slow = { ...fast, time: 100 * fast.time, figures: { ...figures, compute_s: 100 * figures.compute_s } };
  const table = tableOf(model, 934, [fast, slow]);
  const [bar, long] = [fast, slow].map((row) => {
    const marks = rowMarks(table, row, false, { axis: null, seconds: 0 });
    const compute = marks.find((m) => m.kind === "rect" && m.fill === "k0") as Mark & { kind: "rect" };
    return { x: compute.x, w: compute.w, gap: marks.some((m) => m.kind === "line" && m.stroke.color === "bg") };
  });
  expect(bar?.gap).toBe(false);
  expect(long?.gap).toBe(true);
  expect((bar?.w ?? 0) * 5).toBeGreaterThan(long?.w ?? 0);
  expect((long?.x ?? 0) + (long?.w ?? 0)).toBeLessThan(600);
});

test.each([320, 480, 600, 720, 800, 934])("every axis is in the legend, %d px", (width) => {
  for (const name of ["compiled", "many", "stopped"] as const) {
    const model = search(name);
    const { legend, head } = tableOf(model, width, model.rows);
    expect(legend.map((part) => part.text)).toEqual(["compute", ...model.axes, "light: hidden"]);
    for (const { x, w, y } of legend) {
      expect(x + w).toBeLessThanOrEqual(width);
      expect(y).toBeLessThan(head);
    }
  }
});

test("what a chip sends is summed by axis and by whether it is hidden", () => {
  const model = search("compiled");
  const [row] = model.rows;
  if (!row) throw new Error("no rows");
  expect(sentOf(model, row).map((part) => part.hidden)).toEqual([false, true]);
});
