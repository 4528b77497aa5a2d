/** Memory as numbers and words: what Python says of the same documents. */
import { expect, test } from "vitest";
import { decodeMemory, MemoryModel } from "../../../src/program/memory/model/memory";
import {
  basisText,
  constantsText,
  dominates,
  failureText,
  legendOf,
  loopText,
  memoryBadges,
  placeText,
  rowText,
  stepSentence,
} from "../../../src/program/memory/model/words";
import { AXES, large, MEMORIES, model, said, wire } from "./memories";

const MIB = 2 ** 20;

test.each(MEMORIES)("%s: sums, peak and what is alive are Python's", (name) => {
  const m = model(name);
  const { total, peak_step, peak_bytes, allocated_bytes, alive } = said(name);
  expect([...m.total]).toEqual(total);
  expect([m.peak, m.peakBytes, m.allocated]).toEqual([peak_step, peak_bytes, allocated_bytes]);
  expect(m.alive(m.peak).map((b) => [b.name, b.bytes])).toEqual(alive);
  const sums = m.total.map((_, s) => m.byKind.reduce((n, held) => n + (held[s] ?? 0), 0));
  expect([...sums]).toEqual(total);
});

test("a document that is damaged, or of another kind, says so", () => {
  expect(() => decodeMemory({ ...wire("plain"), loops: null })).toThrow("it has no schedule");
  expect(() => decodeMemory({ ...wire("plain"), kind: "program" })).toThrow('this page draws "memory"');
});

test("buffers of one name, type, kind and line are one row", () => {
  const m = model("training");
  const rows = m.rows(m.peak);
  const twice = rows.find((r) => r.count > 1);
  expect([twice?.buffer.type, twice?.count, twice?.bytes]).toEqual(["f32[2048,3072]", 2, 48 * MIB]);
  expect([twice?.born, twice?.dies]).toEqual([64, 74]);
  expect(rows.reduce((n, r) => n + r.bytes, 0)).toBe(m.peakBytes);
  expect(rows.map(rowText)).toContain("temporary, backward, ×2, in each iteration");
});

test("one sentence says what dominates", () => {
  const m = model("training");
  expect(dominates(m, m.peak)).toBe(
    "At the peak, what is kept for the backward pass takes 96 MiB of 248 MiB (38.7 %), nearly all of it h (96 MiB, line 21).",
  );
  expect(dominates(m, 0)).toBe(
    "At instruction 1, arguments take 64 MiB of 64 MiB (100 %), most of it params['w_in'] (48 MiB).",
  );
});

test("a step is told by its place, its line and its loop", () => {
  const m = model("training");
  expect(placeText(m, 70)).toBe("instruction 71 of 120, line 21, backward, inside a loop of 12");
  expect(stepSentence(m, m.peak, 2 ** 34)).toMatch(
    /^Peak 248 MiB of 16 GiB at instruction 71 of 120, .* Largest: h 96 MiB, /,
  );
  expect(m.doc.loops.map(loopText)).toEqual(["scan, 12 times", "scan, backward, 12 times"]);
  expect(legendOf(m, m.peak).map((l) => l.kind)).toEqual(["collective", "temporary", "kept", "output", "argument"]);
});

test("the difference to the compiler is said, with its sign", () => {
  expect(basisText(model("training"))).toBe(
    "Read from the schedule's text: −5.34 % against the compiler's own peak, 262 MiB. 14 MiB are not explained: which " +
      "buffers share memory is not in the text.",
  );
  expect(basisText(model("plain"))).toContain("gives no figure");
  const gaps = new MemoryModel({ ...decodeMemory(wire("training")), gaps: 12 * MIB }, AXES);
  expect(basisText(gaps)).toMatch(/262 MiB\. 12 MiB of that hold nothing at the peak: gaps between temporaries\.$/);
});

test("badges say whether it fits", () => {
  const m = model("training");
  const last = (limit: number | null) => memoryBadges(m, limit).at(-1);
  expect(last(16 * 2 ** 30)).toMatchObject({ tone: "ok", text: "free of 16 GiB" });
  expect(last(192 * MIB)).toMatchObject({ tone: "warn", strong: "80 MiB", text: "too much for 192 MiB" });
  expect(last(null)?.text).toBe("allocated");
});

test("lines know the steps that work on them", () => {
  const m = model("training");
  const steps = m.lines.flatMap((l) => [...l.forward, ...l.backward]);
  expect(steps.length).toBe(46);
  expect(m.workAt(0)).toBeNull();
  expect(m.workAt(20)).toMatchObject({ backward: false, line: { source: { line: 21 } } });
});

test("twenty thousand steps are summed exactly", () => {
  const m = large(20_000);
  const at = 12_345;
  expect(m.alive(at).reduce((n, b) => n + b.bytes, 0)).toBe(m.total[at]);
});

test("large constants are pointed out, with what to do", () => {
  expect(constantsText(model("refused"))).toBe(
    "table (64 MiB, line 21), model.head (2 MiB) are constants of the program: every device holds all of them, however " +
      "the function's own array is split. If the function closes over them, give them as arguments.",
  );
  expect(constantsText(model("training"))).toBe("");
  expect(legendOf(model("refused"), 0).map((l) => l.name)).toContain("constants of the program");
});

test("a program that was not compiled says by how much it is too large", () => {
  const m = model("refused");
  const limit = m.doc.chips[m.doc.chip ?? 0]?.bytes ?? null;
  expect(failureText(m, limit)).toBe(
    "XLA did not compile it: it needs 338 MiB, 146 MiB more than 192 MiB. This is the schedule that it had made.",
  );
  expect(failureText(m, null)).toBe("XLA did not compile it: it needs 338 MiB. This is the schedule that it had made.");
  expect(failureText(model("tight"), limit)).toBeNull();
});

test("a donated argument says which result takes its place", () => {
  const m = model("refused");
  const row = m.rows(0).find((r) => r.buffer.donated);
  expect(row && rowText(row)).toBe("argument, donated: result[0]['w_in'] is put there");
});

test("a peak that counts memory on the chip says so", () => {
  const { doc } = model("training");
  const compiler = doc.compiler && { ...doc.compiler, peak: 2 * 2 ** 30 };
  expect(basisText(new MemoryModel({ ...doc, compiler }))).toMatch(/Its own peak, 2 GiB, counts memory on the chip/);
  expect(basisText(model("training"))).not.toMatch(/on the chip/);
});
