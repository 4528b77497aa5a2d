import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Ints, Program } from "../../src/core/document.gen";
import { duration } from "../../src/core/format";
import { DocumentError } from "../../src/core/wire";
import { sideBySide } from "../../src/program/model/cells";
import { groupsOf, groupTotal, rowsOf, SORTS, type Sort } from "../../src/program/model/groups";

import { decodePrograms, ProgramModel } from "../../src/program/model/program";
import {
  analysis,
  badgesOf,
  callSeconds,
  causeNotes,
  estimateText,
  groupsText,
  groupTexts,
  linksText,
  nestText,
  verdictOfAll,
  whereText,
} from "../../src/program/model/words";
import { blockAt, layoutLanes } from "../../src/program/scene/lanes";
import { find, many, model, modelOf, PROGRAMS, pod, program, repeated, SINGLE, wire } from "./programs";

const listed = (m: ReturnType<typeof model>, options: { sort?: Sort; axis?: string; search?: string } = {}) =>
  rowsOf(m, {
    sort: options.sort ?? "order",
    axis: options.axis ?? null,
    search: options.search ?? "",
    interconnect: 0,
  });

test.each(PROGRAMS)("%s is decoded", (name) => {
  const { programs, sideBySide } = decodePrograms(wire(name));
  expect(sideBySide).toBe(name === "layouts");
  expect(programs).toHaveLength(name === "layouts" ? 3 : 1);
});

test("a document that cannot be drawn says what is wrong with it", () => {
  const said = (doc: unknown) => {
    try {
      decodePrograms(doc);
    } catch (error) {
      expect(error).toBeInstanceOf(DocumentError);
      return (error as Error).message;
    }
    throw new Error("it was decoded");
  };
  const base = program("training");
  expect(said({ ...base, version: 99 })).toContain("version 99");
  expect(said({ ...base, kind: "trace" })).toContain('kind "trace"');
  expect(said({ ...base, collectives: 3 })).toContain("it has no collectives");
  expect(said({ ...base, plans: [] })).toContain("all-gather all-gather.0 names an axis or a plan that does not exist");
  const odd = base.collectives.map((c) => ({ ...c, axes: ["nowhere"] }));
  expect(said({ ...base, collectives: odd })).toContain("names an axis");
  expect(said({ ...wire("layouts"), programs: [] })).toContain("it has no programs");
  expect(said(null)).toContain("of kind undefined; this page draws");
});

test("groups are the mesh positions of every axis, in rank order", () => {
  const m = model("training");
  expect(m.groups(find(m, "all-gather", "data"))[1]).toEqual([1, 5, 9, 13]);
  expect(m.groups(find(m, "all-reduce", "model"))[1]).toEqual([4, 5, 6, 7]);
  expect(m.groups(find(m, "all-reduce", "data", "model"))).toHaveLength(1);
});

test("the groups of every regular collective over one axis are those of the axis", () => {
  for (const name of SINGLE) {
    const m = model(name);
    for (const c of m.collectives.filter((c) => c.axes.length === 1 && !c.irregular)) {
      const own = m.groupsOfAxis(m.mesh.axisOf(c.axes[0] ?? ""));
      const sorted = (groups: readonly (readonly number[])[]) => groups.map((g) => g.join()).sort();
      expect(sorted(m.groups(c))).toEqual(sorted(own));
    }
  }
});

test("sorting puts what is large first, keeps the schedule among equals, and loses nothing", () => {
  const m = modelOf(many(100));
  for (const sort of SORTS) expect([...listed(m, { sort })].sort((a, b) => a - b)).toEqual([...m.collectives.keys()]);
  expect(listed(m)).toEqual([...m.collectives.keys()]);
  const seconds = listed(m, { sort: "time" }).map((i) => m.seconds(m.collectives[i] as never, 0));
  expect(seconds).toEqual([...seconds].sort((a, b) => b - a));
  const runs = listed(m, { sort: "runs" }).map((i) => m.collectives[i]?.times);
  expect([runs[0], runs.at(-1)]).toEqual([7, 1]);
  const kinds = listed(m, { sort: "op" }).map((i) => m.collectives[i]?.kind);
  expect([kinds[0], kinds.at(-1)]).toEqual(["all-gather", "reduce-scatter"]);
  const equal = listed(m, { sort: "op" }).filter((i) => m.collectives[i]?.kind === "all-gather");
  expect(equal).toEqual([...equal].sort((a, b) => a - b));
});

test("lines sort by number, unknown runs first, unknown lines last", () => {
  const m = model("shard_map");
  const lines = listed(m, { sort: "source" }).map((i) => m.collectives[i]?.source?.line);
  expect(lines).toEqual([21, 22, 23, 24, undefined]);
  expect(m.collectives[listed(m, { sort: "runs" })[0] ?? -1]?.times).toBeNull();
  expect(m.collectives[listed(m, { sort: "axes" }).at(-1) ?? -1]?.irregular).toBe(true);
});

test("a filter keeps what goes over the axis or stays within it; a search looks in words and lines", () => {
  const m = model("shard_map");
  expect(listed(m, { axis: "x" })).toEqual([0, 1, 4]);
  expect(listed(m, { axis: "y" })).toEqual([2]);
  expect(listed(m, { search: "LINE 22" })).toEqual([1]);
  expect(listed(m, { search: "gather" })).toEqual([4]);
  expect(listed(m, { search: "w_out", axis: "x" })).toEqual([1]);
  expect(listed(m, { search: "nothing" })).toEqual([]);
});

test("totals by axis add up to the call, whatever the interconnect", () => {
  for (const name of SINGLE) {
    const m = model(name);
    for (const k of m.doc.interconnects.keys()) {
      const whole = m.collectives.reduce((sum, c) => sum + m.seconds(c, k), 0);
      const parts = m.totals(k).reduce((sum, t) => sum + t.seconds, 0);
      expect(parts).toBeCloseTo(whole, 12);
      expect(m.totals(k).reduce((n, t) => n + t.count, 0)).toBe(m.collectives.length);
    }
  }
});

/** What the cells of a program say, beside others. */
function cells(one: ProgramModel) {
  const said = Object.entries(sideBySide([one])[0] ?? {}).map(([key, lines]) => {
    return [
      key,
      lines
        .flat()
        .flatMap((piece) => ("text" in piece ? piece.text : []))
        .join(" "),
    ];
  });
  return Object.fromEntries(said);
}

test("what a call comes to; a loop of unknown length makes it a least", () => {
  const training = model("training");
  expect(cells(training)).toMatchObject({ estimate: "27.2 ms", sent: "876 MiB", memory: "144 MiB" });
  expect(badgesOf(training, 0).map((b) => `${b.strong} ${b.text}`)).toEqual([
    "8 collectives",
    "27.2 ms a call, estimate",
    "1 to look at",
  ]);
  expect(cells(model("shard_map"))).toMatchObject({ estimate: "≥ 15 µs", sent: "≥ 10 KiB" });
});

test("of a program without a text nothing is said to be 0", () => {
  const none = modelOf({ ...program("training"), collectives: [], instructions: 0 });
  expect(cells(none)).toMatchObject({ found: "?", estimate: "?", sent: "?" });
  expect(badgesOf(none, 0)).toEqual([{ strong: "?", text: "collectives, not known", tone: "warn" }]);
  const quiet = modelOf({ ...program("training"), collectives: [] });
  expect(cells(quiet)).toMatchObject({ found: "0", estimate: "0 s", sent: "0 B" });
  expect(badgesOf(quiet, 0)).toEqual([{ strong: "0", text: "collectives", tone: "ok" }]);
});

test("an estimate for another interconnect than the devices' own says which", () => {
  expect(badgesOf(model("training"), 1)[1]?.text).toBe("a call on TPU v5p, estimate");
  expect(badgesOf(model("shard_map"), 0)[1]?.text).toBe("a call on TPU v5e, estimate");
});

test("a slice without wraparound is a line, a torus is a ring, a CPU is neither", () => {
  const training = model("training");
  const [gather] = [find(training, "all-gather", "data")];
  expect(training.connection(gather)).toBe("line");
  expect(linksText(training, gather)).toContain("no wraparound links along data");
  expect(estimateText(training, gather, 0)).toBe(
    "6 MiB sent by each chip (V·(N−1)/N, V = 8388608 B, N = 4). On TPU v5e: latency 3 µs, bandwidth 186 µs, so bandwidth bound, 186 µs, run 12 times.",
  );
  const torus = model("torus");
  expect(torus.connection(find(torus, "all-gather", "data"))).toBe("ring");
  const cpu = model("shard_map");
  expect(cpu.connection(find(cpu, "all-to-all", "x"))).toBe("unknown");
  expect(linksText(cpu, find(cpu, "all-to-all", "x"))).toBe("");
});

test("an axis over several axes of chips is a box of them; a part of a ring is a line", () => {
  const torus = model("torus");
  const folded = find(torus, "all-reduce", "model");
  expect(torus.lies(folded)).toEqual({ along: [1, 2], sizes: [4, 4], rings: [true, true] });
  for (const [wraps, words] of [
    [[true, true, false], "with links that wrap around along 1 of its 2 sides"],
    [[true, false, false], "without links that wrap around"],
  ] as const) {
    const flat = modelOf({ ...program("torus"), wraps });
    const box = find(flat, "all-reduce", "model");
    expect(flat.connection(box)).toBe("line");
    expect(linksText(flat, box)).toBe(`Each group is a box of 4×4 chips, ${words}.`);
  }

  const big = model("pod");
  const halves = { ...(big.doc.mesh.device_ids as Ints), shape: [32, 8], strides: [8, 1] };
  const half = { ...find(big, "all-reduce", "model"), positions: halves, group_size: 8 };
  expect(big.doc.wraps).toEqual([true, true]);
  expect(big.connection(find(big, "all-reduce", "model"))).toBe("ring");
  expect(big.lies(half)).toEqual({ along: [1], sizes: [8], rings: [false] });
  expect(linksText(big, half)).toBe("Each group is a part of a ring: a line, which takes twice the time.");
  // Every other chip: between them are others, which pass on what is sent.
  const apart = { ...half, positions: { ...halves, strides: [16, 2], shape: [16, 8] } };
  expect([big.lies(apart), big.connection(apart), linksText(big, apart)]).toEqual([null, "unknown", ""]);
});

test("links join neighbours, and the ends of what wraps", () => {
  const line = model("training");
  expect([line.linked(0, 1), line.linked(0, 4), line.linked(0, 5), line.linked(0, 3)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const ring = model("torus");
  expect([ring.linked(0, 3), ring.linked(0, 48), ring.linked(0, 2), ring.linked(0, 0)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("devices that share a place, or leave one empty, are not a physical box", () => {
  expect(model("torus").box()?.sizes).toEqual([4, 4, 4]);
  expect(model("shard_map").box()).toBeNull();
  const doc = program("training");
  const moved = (coords: Program["mesh"]["coords"]) => modelOf({ ...doc, mesh: { ...doc.mesh, coords } }).box();
  const [x, y] = doc.mesh.coords;
  if (!x || !y) throw new Error("no coordinates");
  expect(moved([{ ...x, start: 7 }, y])?.least).toEqual([7, 0]);
  expect(moved([x, x])).toBeNull();
  expect(moved([{ ...x, strides: [2, 0] }, y])).toBeNull();
});

test("words of a collective: groups, causes, ids", () => {
  const m = model("training");
  const c = find(m, "all-gather", "data");
  expect(groupsText(m, c)).toBe("4 groups of 4 chips, at once");
  expect(groupTexts(m, c, 1).map((g) => (g.chosen ? `[${g.text}]` : g.text))).toEqual([
    "{0,4,8,12}",
    "[{1,5,9,13}]",
    "{2,6,10,14}",
    "{3,7,11,15}",
  ]);
  const big = model("pod");
  expect(groupTexts(big, find(big, "all-gather", "data"), 15).map((g) => g.chosen)).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(causeNotes(m, m.collectives[5] as never)).toEqual(["line 21", "backward", "by the compiler"]);
  const also = [21, 22, 21].map((line) => ({ file: "cell 4", line, text: "", function: "" }));
  expect(causeNotes(m, { ...c, also })[0]).toBe("lines 21, 22");
  const library = { file: "linear.py", line: 422, text: "y = dot(x, w)", function: "__call__" };
  const flax = causeNotes(m, { ...c, library, module: "Transformer/mlp", widened_from: "bf16" });
  expect(flax.slice(1, 3)).toEqual(["in linear.py, line 422", "Transformer/mlp"]);
  expect(flax.at(-1)).toBe("bf16 in your program, wider on CPUs");
  expect(causeNotes(m, { ...c, source: null, shapes: [] })).toEqual(["line not known"]);
  const files = modelOf({
    ...program("training"),
    collectives: [c, { ...c, source: { file: "cell 9", line: 3, text: "", function: "" } }],
  });
  expect(files.collectives.map((of) => causeNotes(files, of)[0])).toEqual(["cell 4, line 21", "cell 9, line 3"]);
  expect(causeNotes(model("shard_map"), model("shard_map").collectives[4] as never)).toEqual([
    "line not known",
    "by the compiler",
  ]);
});

test("durations and the compiler's figures are in their units", () => {
  expect([0, 4.2e-8, 3e-6, 0.0123, 2].map(duration)).toEqual(["0 s", "42 ns", "3 µs", "12.3 ms", "2 s"]);
  const { doc } = model("training");
  expect(Object.fromEntries(analysis(doc))).toMatchObject({
    outputs: "48 MiB, 48 MiB of it in place of arguments",
    "floating-point operations": "4.1 T",
    "compiler's own estimate": "21 ms",
  });
  expect(analysis({ ...doc, memory: null, work: null, instructions: 0 })).toEqual([]);
});

test("every plan that is offered can be played, one of thousands of ranks cannot", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SINGLE), fc.nat(), (name, i) => {
      const m = model(name);
      const c = m.collectives[i % m.collectives.length];
      for (const plan of c ? m.plans(c) : []) expect(m.played(plan).states).toHaveLength(plan.rounds.length + 1);
    }),
  );
  const large = modelOf(pod(64, 64));
  expect(large.groups(large.collectives[2] as never)[0]).toHaveLength(4096);
  expect(large.plan(large.collectives[2] as never, "ring")).toBeNull();
});

test("equal collectives are one line of the table, with their runs and times added up", () => {
  const m = modelOf(repeated(33));
  const listed = { sort: "time", axis: null, search: "", interconnect: 0 } as const;
  const groups = groupsOf(m, listed);
  const [first] = m.collectives;
  const group = groups.find((g) => g.members.includes(0));
  if (!first || !group) return expect.fail("the first collective is not listed");
  expect(group.members).toHaveLength(33);
  const total = groupTotal(m, group, 0);
  expect(total.seconds).toBeCloseTo(33 * m.seconds(first, 0));
  expect(total.runs).toBe(33 * (first.times ?? Number.NaN));
  expect(groups.flatMap((g) => g.members).sort((a, b) => a - b)).toEqual([...m.collectives.keys()]);
  const seconds = groups.map((g) => groupTotal(m, g, 0).seconds);
  expect(seconds).toEqual([...seconds].sort((a, b) => b - a));
});

test("the timeline is as wide as the call takes, a lane for each axis, and knows each block by its middle", () => {
  const m = model("training");
  const t = layoutLanes(m, 0, 800);
  if (!t) return expect.fail("nothing takes time");
  const total = m.collectives.reduce((sum, c) => sum + m.seconds(c, 0), 0);
  for (const { at, boxes } of t.blocks) {
    const c = m.collectives[at];
    if (!c) return expect.fail("a block of no collective");
    expect(boxes).toHaveLength(Math.max(1, c.axes.length));
    for (const b of boxes) {
      expect(b.w).toBeCloseTo(Math.max(1.2, (m.seconds(c, 0) / total) * (800 - t.left - 4)));
      expect(b.x + b.w).toBeLessThanOrEqual(800);
      if (b.w > 4) expect(blockAt(t, b.x + b.w / 2, b.y + b.h / 2)).toBe(at);
    }
  }
  expect(layoutLanes(m, 99, 800)).toBeNull();
});

test("what a collective stands in, outermost first", () => {
  const m = model("training");
  const c = find(m, "all-gather", "data");
  expect(m.trail(c).map(nestText)).toEqual(["scan ×12"]);
  expect(whereText(m, c)).toBe("in scan ×12");
  expect(whereText(m, { ...c, calls: 2 })).toBe("in scan ×12, 2 calls");
  expect(whereText(m, { ...c, nest: -1 })).toBe("");
  const nest = {
    kind: "condition",
    name: "while_loop",
    parent: -1,
    times: null,
    source: null,
    backward: false,
  } as const;
  expect(nestText(nest)).toBe("while_loop condition");
  expect(nestText({ ...nest, kind: "branch", name: "1", times: 1 })).toBe("branch 1");
});

test("of several programs it is said which spends most in collectives, and which least or nothing", () => {
  const { programs } = decodePrograms(wire("layouts"));
  const models = programs.map((doc) => new ProgramModel(doc));
  const all = models.map((m) => ({ name: m.doc.name, s: callSeconds(m, m.doc.interconnect) }));
  const most = all.reduce((a, b) => (b.s > a.s ? b : a));
  const silent = models.filter((m) => m.collectives.length === 0).map((m) => m.doc.name);
  expect(verdictOfAll(models)).toContain(`${most.name} spends most in collectives: `);
  for (const name of silent) expect(verdictOfAll(models)).toContain(name);
  const [first] = models;
  if (!first) throw new Error("there is no program");
  expect(verdictOfAll([first])).toBe("");
  expect(verdictOfAll([first, first])).toMatch(/^All spend /);
  const quiet = new ProgramModel({ ...first.doc, collectives: [] });
  expect(verdictOfAll([quiet, quiet])).toBe("None of them has a collective");
  expect(verdictOfAll([quiet, first])).toMatch(/ sends nothing; .* spends most/);
});
