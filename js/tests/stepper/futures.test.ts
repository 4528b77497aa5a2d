/** Transfers that are under way over several steps: what rests, what waits, what is said, and their lines in space-time. */
import { expect, test } from "vitest";
import { axisToken, type Mark } from "../../src/draw/marks";
import { lanesOf } from "../../src/stepper/model/futures";
import { headOf } from "../../src/stepper/model/head";
import { primitiveName, type TraceModel } from "../../src/stepper/model/trace";
import { trafficAt } from "../../src/stepper/model/traffic";
import { meanwhile } from "../../src/stepper/model/transit";
import { frameOf, StepperLayout, type StepperOptions } from "../../src/stepper/scene/stepper";
import { stepView } from "../../src/stepper/scene/view";
import { spaceTime } from "../../src/stepper/spacetime/model/spacetime";
import { layoutSpace } from "../../src/stepper/spacetime/scene/layout";
import { linksTo, spaceMarks } from "../../src/stepper/spacetime/scene/rows";
import { RULES } from "./rules";
import { model, stepOf } from "./traces";

const OPTIONS: StepperOptions = { scheme: "light", algorithm: "meaning", device: null, still: false, rules: RULES };

const frame = (t: TraceModel, step: number, phase = 1, still = false) =>
  frameOf(stepView(new StepperLayout(t, 760), { step, phase }, { ...OPTIONS, still }));

const wordsOf = (marks: readonly Mark[]) =>
  marks.flatMap((m) => (m.kind === "text" ? [m.spans.map((s) => s.text).join("")] : []));

/** Places of futures: dashed, in the ink of the axis. */
const waiting = (marks: readonly Mark[], color = axisToken(0)) =>
  marks.filter((m) => m.kind === "rect" && m.stroke?.color === color && m.stroke.dash !== undefined);

test("copies leave in the step that starts them, rest while others run, and go on in the step that receives", () => {
  const t = model("under way");
  const [start, done] = [stepOf(t, "ppermute_start"), stepOf(t, "ppermute_done")];
  const at = (step: number, phase = 1) => frame(t, step, phase).flights.map(({ box: { x, y } }) => [x, y]);
  const resting = at(start);
  expect(resting).toHaveLength(4);
  expect(at(start, 0.4)).not.toEqual(resting);
  for (const name of ["mul", "add"]) expect(at(stepOf(t, name))).toEqual(resting);
  expect(at(done, 0)).toEqual(resting);
  expect(at(done, 0.5)).not.toEqual(resting);
  expect(at(done)).toEqual([]);
  // Both halves take as long as the whole would.
  const whole = model("ppermute");
  const step = (of: TraceModel, k: number) => of.steps[k] as (typeof of.steps)[number];
  expect(t.duration(step(t, start), "meaning") + t.duration(step(t, done), "meaning")).toBeCloseTo(
    whole.duration(step(whole, stepOf(whole, "ppermute")), "meaning"),
  );
});

test("what rests is seen without motion, too", () => {
  const t = model("under way");
  expect(frame(t, stepOf(t, "ppermute_start"), 1, true).flights).toHaveLength(4);
  expect(frame(t, stepOf(t, "add"), 1, true).flights).toHaveLength(4);
});

test("a future has empty places, with who sends and the line, until it is received", () => {
  const t = model("under way");
  for (const name of ["ppermute_start", "mul", "add"]) {
    const { under, over } = frame(t, stepOf(t, name));
    expect(waiting(over)).toHaveLength(4);
    expect(wordsOf(over).filter((text) => /^from \d$/.test(text))).toEqual(["from 3", "from 0", "from 1", "from 2"]);
    expect(wordsOf(under)).toContain("nxt: no values yet");
    expect(wordsOf(under)).toContain("nxt is on its way: started at line 2, received at line 5.");
    expect(wordsOf(under)).toContain("How far a copy has come is not known; line 5 waits for it.");
  }
  const received = frame(t, stepOf(t, "ppermute_done"));
  expect(waiting(received.over)).toHaveLength(0);
  expect(wordsOf(received.over)).toEqual(expect.arrayContaining(["7", "8"]));
  expect(waiting(frame(t, t.steps.length - 1).over)).toHaveLength(0);
});

test("a step that receives takes the future, and is called as JAX calls it; bytes arrive then", () => {
  const t = model("under way");
  const [start, done] = [stepOf(t, "ppermute_start"), stepOf(t, "ppermute_done")];
  const step = t.steps[done] as (typeof t.steps)[number];
  expect(primitiveName(step)).toBe("ppermute_done");
  expect(headOf(t, step).inputs.shown.map((v) => v.name)).toEqual(["nxt"]);
  const bytes = (at: number, phase = 1) => {
    const [{ arrived, flying, total } = { arrived: 0, flying: 0, total: 0 }] = trafficAt(
      t,
      { step: at, phase },
      "meaning",
    );
    return [arrived, flying, total];
  };
  expect(bytes(start, 0)).toEqual([0, 0, 32]);
  expect(bytes(start)).toEqual([0, 32, 32]);
  expect(bytes(done - 1)).toEqual([0, 32, 32]);
  expect(bytes(done)).toEqual([32, 0, 32]);
  expect(t.transfers.map((transfer) => meanwhile(t, transfer))).toEqual(["under way during 2 steps: mul, add"]);
});

test("what nobody receives never arrives, and says so", () => {
  const t = model("never received");
  const { under } = frame(t, stepOf(t, "mul"));
  expect(wordsOf(under)).toContain(
    "nxt is on its way: started at line 2, and never received. What is sent is thrown away.",
  );
  expect(trafficAt(t, { step: t.steps.length - 1, phase: 1 }, "meaning")).toMatchObject([{ arrived: 0, flying: 32 }]);
});

test("a future that is taken for an array is red where the program stops", () => {
  const t = model("used too early");
  const { over } = frame(t, stepOf(t, "error"));
  expect(waiting(over, "error")).toHaveLength(4);
  expect(wordsOf(over).filter((text) => text === "!")).toHaveLength(4);
  expect(trafficAt(t, { step: 2, phase: 1 }, "meaning")).toMatchObject([{ arrived: 0 }]);
});

test("transfers that are under way at once have lanes of their own, and others take the first that is free", () => {
  const future = model("under way").transfers[0]?.future;
  if (!future) throw new Error("nothing is under way");
  const spans = [
    [0, 4],
    [1, 3],
    [3, 6],
    [4, null],
    [7, 8],
  ] as const;
  expect(lanesOf(spans.map(([start, done]) => ({ start, done, future })))).toEqual([0, 1, 1, 0, 1]);
});

const space = (t: TraceModel) => layoutSpace(t, spaceTime(t), 760, new Set());
const drawn = (t: TraceModel) =>
  spaceMarks(t, new StepperLayout(t, 760), space(t), 0, { scheme: "light", device: null, tile: null });

test("in space-time a transfer leaves its row, runs down between the columns past other rows, and enters its own", () => {
  const t = model("under way");
  const { rows, ...layout } = space(t);
  expect(rows.map(({ text, note }) => `${text}: ${note}`)).toEqual([
    "in_specs: k, q",
    "ppermute_start: sends k",
    "mul: s",
    "add: t",
    "ppermute_done x: k",
  ]);
  const [, start, mul, add, done] = rows;
  if (!start || !mul || !add || !done) throw new Error("rows are missing");
  const links = linksTo(t, new StepperLayout(t, 760), { rows, ...layout }, done, { scheme: "light", device: null });
  const [first] = links?.ribbons ?? [];
  expect(first?.points[0]?.[1]).toBe(start.y + start.h);
  expect(first?.points.at(-1)?.[1]).toBe(done.y);
  const beside = first?.points.filter(([, y]) => y > mul.y && y < add.y + add.h) ?? [];
  expect(beside.length).toBeGreaterThan(1);
  const [tile, next] = [layout.left + layout.tile, layout.left + layout.pitch];
  expect(beside.every(([x]) => x > tile && x < next)).toBe(true);
});

test("in space-time what nobody receives is dotted to the end of the program, and struck there", () => {
  const t = model("never received");
  const dotted = drawn(t).filter((m) => m.kind === "line" && m.stroke.color === axisToken(0) && m.stroke.dash);
  const end = space(t).rows.at(-1);
  expect(dotted).toHaveLength(4);
  for (const m of dotted)
    if (m.kind === "line") expect(m.points.at(-1)?.[1]).toBeGreaterThan((end?.y ?? 0) + (end?.h ?? 0));
  expect(wordsOf(drawn(t))).toContain("the program ends: nxt was never received");
});

test("in space-time a future that is taken for an array has red tiles", () => {
  const t = model("used too early");
  expect(waiting(drawn(t), "error")).toHaveLength(4);
  expect(space(t).rows.at(-1)).toMatchObject({ text: "TypeError", note: "nxt" });
});
