/** Who waits for whom at a moment, iterations, words. */
import { expect, test } from "vitest";
import { decodeRuns, type LaneEvents, rowsOf } from "../../src/run/model/run";
import { answerOf, doingText, notesOf, summaryText } from "../../src/run/model/words";
import { model, models, wire } from "./runs";

const step = model("step");
const lane = (position: number) => step.lanes[position] as LaneEvents;
/** A tick is a nanosecond here. */
const us = 1000;

test("a device waits for the last of its group, and for how much longer", () => {
  // Device 1 is 60 µs late in the first call: device 0 arrives at 100 µs, it at 163.
  const at = step.doing(lane(0), 0, 120 * us);
  expect(at).toMatchObject({ what: "wait", waitsFor: 1, since: 20 * us, left: 43 * us });
  expect(step.doing(lane(1), 0, 120 * us).what).toBe("compute");
  expect(step.doing(lane(0), 0, 170 * us).what).toBe("collective");
  expect(step.doing(lane(0), 0, 1990 * us)).toMatchObject({ what: "nothing", event: -1 });
  expect(doingText(step, at)).toBe(
    "device 0 waits for device 1, 20 µs so far, 43 µs more: all-reduce over y, iteration 0; line 8 · h = x @ w",
  );
  expect(summaryText(step.lanes.map((l) => step.doing(l, 0, 120 * us)))).toMatch(/^\d devices? waits? for \d$/);
});

test("each execution has the last arrival of its own", () => {
  for (let call = 0; call < step.calls; call++) {
    const first = lane(0).bounds[call] ?? 0;
    const sums = [0, 1, 2].map((k) => first + 3 * k + 1);
    for (const [k, e] of sums.entries()) {
      expect(step.collective(lane(0), e)?.kind).toBe("all-reduce");
      expect(step.waitedFor(lane(0), call, e)).toBe(1);
      expect(lane(0).waited[e]).toBe((63 + 20 * call) * us);
      expect(step.iterations(lane(0), e)).toEqual([k]);
    }
  }
});

test("every wait of a lane comes in order", () => {
  let tick = -1;
  const found: number[] = [];
  for (let e = step.nextWait(lane(0), 0, tick); e >= 0; e = step.nextWait(lane(0), 0, tick)) {
    found.push(e);
    tick = lane(0).start[e] ?? 0;
  }
  expect(found).toEqual([1, 4, 7, 9]);
});

test("the table goes by time in a call, by waiting, by bytes, or as the program has it", () => {
  const kinds = (sort: "time" | "wait" | "order") => rowsOf(step, sort).map((i) => step.collectives[i]?.kind);
  expect(kinds("time")).toEqual(["all-reduce", "all-gather"]);
  expect(kinds("wait")[0]).toBe([...step.collectives].sort((a, b) => b.call_wait_s - a.call_wait_s)[0]?.kind);
  expect(rowsOf(step, "order")).toEqual([0, 1]);
});

test("what is damaged is refused", () => {
  expect(() => decodeRuns({ ...wire("step"), lanes: null })).toThrow("it has no lanes");
  expect(() => decodeRuns({ ...wire("compared"), runs: [] })).toThrow("it has no runs");
  expect(decodeRuns(wire("compared")).sideBySide).toBe(true);
  expect(models("compared").map((m) => m.doc.name)).toEqual(["before", "after"]);
});

test("what has no line is said", () => {
  expect(notesOf(step).join(" ")).toContain("without one: copy.9");
});

test("the answer is where devices wait, or what takes the time", () => {
  const { doc } = step;
  expect(answerOf(doc)).toBe("5.8 % of the time is waiting for others: most over y, in line 8");
  const sure = { ...doc, shares: { ...doc.shares, waiting: 0.04 } };
  expect(answerOf(sure)).toBe("Line 8 takes 34.4 % of 1.04 ms per call");
  const [sum] = doc.collectives;
  const slow = sum ? [{ ...sum, call_s: 600e-6 }] : [];
  expect(answerOf({ ...sure, collectives: slow })).toBe("All-reduce over y in line 8 takes 57.7 % of 1.04 ms per call");
  const idle = { ...sure.shares, idle: 0.5 };
  expect(answerOf({ ...sure, shares: idle })).toBe(
    "50 % of 1.04 ms per call has no event on a device; line 8 takes 34.4 %",
  );
  const late = [0.6e-3, 0.65e-3, 0.6e-3, 2.4e-3];
  expect(answerOf({ ...sure, seconds: late })).toMatch(
    /^Line 8 takes [\d.]+ % of 1\.06 ms per call \(median 625 µs\)$/,
  );
  const [most, ...others] = doc.lines;
  const lines = most ? [{ ...most, source: { ...most.source, file: "layers.py" } }, ...others] : [];
  expect(answerOf({ ...sure, lines })).toBe("Line 8 of layers.py takes 34.4 % of 1.04 ms per call");
});
