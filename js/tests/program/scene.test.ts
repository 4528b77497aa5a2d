/** The picture of a collective at any moment: finite, inside its stage; copies go where the algorithm sends them. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ALGORITHMS } from "../../src/collective/model/algorithm";
import { transfers } from "../../src/collective/model/plan";
import { hex, positionColor } from "../../src/core/color";
import type { HloCollective, Semantics } from "../../src/core/document.gen";
import { unravel } from "../../src/core/mesh";
import { type Box, type LineMark, PAD, type RectMark } from "../../src/draw/marks";
import { groupsOf, groupTotal } from "../../src/program/model/groups";
import { ProgramModel } from "../../src/program/model/program";
import { phaseAfter } from "../../src/program/model/rounds";
import { programScene } from "../../src/program/scene/card";
import { collectiveMarks } from "../../src/program/scene/collective";
import { captionOf } from "../../src/program/scene/collective/caption";
import { crowded, flightMarks } from "../../src/program/scene/collective/flights";
import { lineLoads, linkMarks, linksOf } from "../../src/program/scene/collective/links";
import { outlineMarks } from "../../src/program/scene/collective/outlines";
import { stageOf } from "../../src/program/scene/collective/stage";
import { chunkBox, numbered, stripOf } from "../../src/program/scene/collective/tiles";
import { CollectiveView, type ViewOptions } from "../../src/program/scene/collective/view";
import { layoutLanes } from "../../src/program/scene/lanes";
import { extent } from "../array/cases";
import { meshOf, raw } from "../documents";
import { PLANS } from "../stepper/traces";
import { find, groupsAlone, model, modelOf, type ProgramName, pod, program, repeated, SINGLE } from "./programs";

/** What is stated of a kind of collective. */
function semanticsOf(kind: string): Semantics {
  const found = PLANS.find((c) => c.kind === kind);
  if (!found) throw new Error(`there is no plan of ${kind}`);
  return found.plan.semantics;
}

const MODELS = new Map(SINGLE.map((name) => [name, model(name)]));
const AT_REST: ViewOptions = {
  scheme: "light",
  algorithm: "meaning",
  phase: 0,
  group: 0,
  device: null,
  lit: null,
  still: false,
};

function viewOf(m: ProgramModel, c: HloCollective, options: Partial<ViewOptions> = {}, width = 400, physical = false) {
  return new CollectiveView(m, stageOf(m, width, physical, c.group_size), c, { ...AT_REST, ...options });
}

const cases = fc.record({
  name: fc.constantFrom(...SINGLE),
  at: fc.nat(),
  width: fc.integer({ min: 200, max: 900 }),
  physical: fc.boolean(),
  phase: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  algorithm: fc.constantFrom(...ALGORITHMS),
  group: fc.nat({ max: 40 }),
  device: fc.option(fc.nat({ max: 7 })),
  lit: fc.option(fc.constantFrom(0, 1)),
  still: fc.boolean(),
  scheme: fc.constantFrom("light" as const, "dark" as const),
});

test("every mark is finite and stands on the stage", () => {
  fc.assert(
    fc.property(cases, ({ name, at, width, physical, ...options }) => {
      const m = MODELS.get(name) as ProgramModel;
      const lit = options.lit === null ? null : options.lit % m.mesh.axes.length;
      const c = m.collectives[at % m.collectives.length] as HloCollective;
      const view = viewOf(m, c, { ...options, lit }, width, physical);
      const { grid, height } = view.stage;
      const right = Math.max(width, grid.box.w);
      for (const mark of collectiveMarks(view)) {
        const { x, y, w, h } = extent(mark);
        if (![x, y, w, h].every(Number.isFinite)) expect.fail(`not finite: ${JSON.stringify(mark)}`);
        // Names of rails may reach into the margin further than arrows that close a ring.
        if (mark.kind === "text") continue;
        const out = Math.max(-x, -y, x + w - right, y + h - height);
        if (out > 14) expect.fail(`${out} px outside ${right} × ${height}: ${JSON.stringify(mark)}`);
      }
    }),
    { numRuns: 250 },
  );
});

const overlap = (a: Box, b: Box) =>
  Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x) > 0.01 &&
  Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y) > 0.01;

test("no two devices share a place, by mesh or by coordinates", () => {
  for (const name of SINGLE) {
    for (const physical of [false, true]) {
      for (const width of [240, 400, 560]) {
        const stage = stageOf(MODELS.get(name) as ProgramModel, width, physical, 16);
        const boxes = [...stage.boxes, ...stage.seats];
        boxes.forEach((a, i) => {
          for (const b of boxes.slice(i + 1)) if (overlap(a, b)) expect.fail(`${JSON.stringify([a, b])} overlap`);
        });
      }
    }
  }
});

test("neighbours of the torus stand side by side there", () => {
  const m = model("torus");
  const stage = stageOf(m, 560, true, 4);
  expect(stage.physical).toBe(true);
  const box = (x: number, y: number, z: number) =>
    stage.boxes[
      m.mesh.coords[0]?.findIndex((_, p) => [x, y, z].every((n, k) => m.mesh.coords[k]?.[p] === n)) ?? -1
    ] as Box;
  expect(box(1, 0, 0).x - box(0, 0, 0).x).toBeCloseTo(stage.grid.pitch[0]);
  expect(box(0, 1, 0).y - box(0, 0, 0).y).toBeCloseTo(stage.grid.pitch[1]);
  expect(box(0, 0, 1).x - box(0, 0, 0).x + box(0, 0, 1).y - box(0, 0, 0).y).toBeGreaterThan(stage.grid.pitch[0] * 3);
  expect(stageOf(model("shard_map"), 560, true, 4).physical).toBe(false);
});

test("each group is outlined, the chosen one strong", () => {
  const m = model("training");
  const c = find(m, "all-gather", "data");
  const outlines = outlineMarks(viewOf(m, c, { group: 2 })).filter(
    (k): k is RectMark => k.kind === "rect" && !!k.stroke,
  );
  expect(outlines.map((o) => o.stroke?.width)).toEqual([1, 1, 2.4, 1]);
  const stage = stageOf(m, 400, false, 4);
  const strong = outlines[2] as Box;
  const inside = stage.boxes.flatMap((b, p) => (overlap(b, strong) ? [p] : []));
  expect(inside).toEqual(m.groups(c)[2]);
});

test("groups that are not rectangles are numbered, and only those", () => {
  const m = model("shard_map");
  const irregular = viewOf(m, find(m, "all-reduce"));
  expect(numbered(irregular)).toBe(true);
  const texts = collectiveMarks(irregular).flatMap((k) =>
    k.kind === "text" && k.size === 10 && k.weight === 700 ? k.spans[0]?.text : [],
  );
  expect(texts).toEqual(["1", "2", "2", "1", "2", "1", "1", "2"]);
  expect(outlineMarks(irregular)).toEqual([]);
  expect(numbered(viewOf(m, find(m, "all-reduce", "y")))).toBe(false);
});

test("blocks over each link of a line, counted one by one", () => {
  // Every block goes over each link between its source and its destination once, however many are behind it.
  const count = (n: number, i: number, forward: boolean, pass: (from: number, to: number) => boolean) => {
    const crossing = new Set<number>();
    for (let from = 0; from < n; from++) {
      for (let to = 0; to < n; to++) {
        const over = forward ? from <= i && to > i : from > i && to <= i;
        if (over && pass(from, to)) crossing.add(from * n + to);
      }
    }
    return crossing;
  };
  const distinct = (set: Set<number>, by: (key: number) => number) => new Set([...set].map(by)).size;
  for (let n = 2; n <= 6; n++) {
    for (let i = 0; i < n - 1; i++) {
      const [there, back] = [count(n, i, true, () => true), count(n, i, false, () => true)];
      const sources = (s: Set<number>) => distinct(s, (k) => Math.floor(k / n));
      const targets = (s: Set<number>) => distinct(s, (k) => k % n);
      expect(lineLoads(semanticsOf("all_gather"), n)?.(i)).toEqual([sources(there), sources(back)]);
      expect(lineLoads(semanticsOf("reduce_scatter"), n)?.(i)).toEqual([targets(there), targets(back)]);
      expect(lineLoads(semanticsOf("all_to_all"), n)?.(i)).toEqual([there.size, back.size]);
      expect(lineLoads(semanticsOf("psum"), n)?.(i)).toEqual([
        sources(there) + targets(there),
        sources(back) + targets(back),
      ]);
    }
  }
});

test("arrows are as wide as links are full, on a line alone", () => {
  const m = model("training");
  const gather = find(m, "all-gather", "data");
  const loads = linksOf(m, gather, m.groups(gather)[0] ?? []);
  expect(loads.map((l) => [l.from, l.to, Math.round(l.load * 3)])).toEqual([
    [0, 4, 1],
    [4, 0, 3],
    [4, 8, 2],
    [8, 4, 2],
    [8, 12, 3],
    [12, 8, 1],
  ]);
  const widths = linkMarks(viewOf(m, gather)).map((k) => (k as LineMark).stroke.width);
  expect(new Set(widths).size).toBe(6);
  expect(captionOf(viewOf(m, gather))).toBe("arrow width = blocks carried; grey links idle");
  const torus = model("torus");
  const ring = find(torus, "all-gather", "data");
  const links = linksOf(torus, ring, torus.groups(ring)[0] ?? []);
  expect(links.filter((l) => l.wraps)).toHaveLength(2);
  expect(new Set(links.map((l) => l.load))).toEqual(new Set([1]));
  expect(captionOf(viewOf(torus, ring))).toContain("arrows out of the edge close the ring");
});

test("over several axes of chips the arrows are links that are there", () => {
  const torus = model("torus");
  const c = find(torus, "all-reduce", "model");
  const links = linksOf(torus, c, torus.groups(c)[1] ?? []);
  // 4×4 chips have 24 links between them and 8 around, each in both directions.
  expect(links).toHaveLength(2 * 32);
  expect(links.every((l) => torus.linked(l.from, l.to))).toBe(true);
  expect(new Set(links.map((l) => l.axis))).toEqual(new Set([1]));
  expect(captionOf(viewOf(torus, c))).toContain("arrows: the links in use");
});

test("on any torus or grid of chips, and whatever the groups, arrows said to be links are links", () => {
  const torus = model("torus");
  const c = find(torus, "all-reduce", "model");
  const drawn = fc.record({
    box: fc.tuple(fc.constantFrom(1, 2, 4, 5), fc.constantFrom(1, 2, 4), fc.constantFrom(1, 2, 3)),
    wraps: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    order: fc.constantFrom<number[]>([0, 1, 2], [2, 1, 0], [1, 0, 2]),
    cut: fc.nat({ max: 2 }),
  });
  fc.assert(
    fc.property(drawn, ({ box, wraps, order, cut }) => {
      const n = box[0] * box[1] * box[2];
      // Devices in any order of the coordinates; groups are all devices, or those alike in one coordinate.
      const places = Array.from({ length: n }, (_, p) =>
        unravel(
          p,
          order.map((k) => box.at(k) ?? 1),
        ),
      );
      const at = (p: number, k: number) => places[p]?.[order.indexOf(k)] ?? 0;
      const all = [...places.keys()];
      const size = n / (box[cut] ?? 1);
      const positions = all.toSorted((a, b) => at(a, cut) - at(b, cut) || a - b);
      const mesh = { ...torus.mesh.mesh, ...meshOf([{ name: "i", size: n, type: "Auto" }]) };
      const coords = [0, 1, 2].map((k) => raw(all.map((p) => at(p, k))));
      const of = { ...c, axes: ["i"], positions: raw(positions), group_size: size };
      const m = new ProgramModel({ ...torus.doc, mesh: { ...mesh, coords }, wraps: [...wraps], collectives: [of] });
      if (m.connection(of) === "unknown") return;
      for (const group of m.groups(of))
        for (const { from, to } of linksOf(m, of, group)) expect(m.linked(from, to), `${from} to ${to}`).toBe(true);
    }),
  );
});

test("a copy that passes between tiles is no wider than the gap", () => {
  const halos = (name: "training" | "shard_map", kind: HloCollective["kind"], axis: string) => {
    const m = model(name);
    const view = viewOf(m, find(m, kind, axis), { phase: 0.45 });
    expect(view.progress).toBeCloseTo(0.5);
    return flightMarks(view).filter((k): k is RectMark => k.kind === "rect" && k.alpha === 0.16);
  };
  // The halo reaches 4 px over the copy, and the gap has 24.
  for (const halo of halos("training", "all-reduce", "model")) expect(halo.w).toBeLessThanOrEqual(24 + 2);
  // Of a ring of four, in two groups, one copy each goes back past the tiles between.
  const widths = halos("shard_map", "collective-permute", "x").map((halo) => halo.w);
  expect(widths.filter((w) => w <= 24 + 2)).toHaveLength(2);
  expect(widths).toHaveLength(8);
});

test("before a permutation each device has a block of its own, afterwards its neighbour's", () => {
  const m = model("shard_map");
  const c = find(m, "collective-permute", "x");
  const color = (rank: number) => hex(positionColor(rank, 4, 0, 1, "light"));
  const fill = (phase: number, p: number) => {
    const view = viewOf(m, c, { phase });
    const strip = stripOf(view.seats.get(p) as Box);
    const found = collectiveMarks(view).find(
      (k) => k.kind === "rect" && k.fill?.startsWith("#") && k.y === strip.y && k.x === strip.x,
    );
    return (found as RectMark | undefined)?.fill;
  };
  expect([0, 2, 4, 6].map((p) => fill(0, p))).toEqual([0, 1, 2, 3].map(color));
  expect([0, 2, 4, 6].map((p) => fill(1, p))).toEqual([3, 0, 1, 2].map(color));
});

test("a permutation has an arrow for each of its pairs", () => {
  const m = model("shard_map");
  const c = find(m, "collective-permute", "x");
  const links = m.groups(c).flatMap((g) => linksOf(m, c, g));
  expect(links.map((l) => [l.from, l.to])).toEqual(expect.arrayContaining(c.pairs as never));
  expect(links).toHaveLength(c.pairs.length);
  expect(linkMarks(viewOf(m, c))).toHaveLength(c.pairs.length);
});

test("half way through a round every copy is between the tiles that its transfer names", () => {
  const m = model("training");
  for (const [kind, axis] of [
    ["all-gather", "data"],
    ["reduce-scatter", "data"],
    ["all-reduce", "model"],
  ] as const) {
    const c = find(m, kind, axis);
    for (const plan of m.plans(c)) {
      plan.rounds.forEach((_, round) => {
        const rounds = plan.rounds.length;
        const phase = (phaseAfter(rounds, round) + 0.9 * ((round + 1) / rounds)) / 2;
        const view = viewOf(m, c, { algorithm: plan.algorithm, phase });
        expect([view.round, view.progress]).toEqual([round, expect.closeTo(0.5)]);
        const sent = transfers(plan, round).filter((t) => t.source !== t.destination);
        const halos = flightMarks(view).filter((k) => k.kind === "rect" && k.alpha === 0.16);
        expect(halos).toHaveLength(sent.length * m.groups(c).length);
      });
    }
  }
});

test("nothing flies before the first moment and after the last; chunks are then where they belong", () => {
  const m = model("training");
  const c = find(m, "all-gather", "data");
  const fills = (view: CollectiveView, p: number) => {
    const strip = stripOf(view.seats.get(p) as Box);
    return collectiveMarks(view).flatMap((k) =>
      k.kind === "rect" && k.fill?.startsWith("#") && k.y === strip.y && k.x >= strip.x - 0.1 && k.x < strip.x + strip.w
        ? [k.fill]
        : [],
    );
  };
  const color = (rank: number) => hex(positionColor(rank, 4, 0, 1, "light"));
  for (const algorithm of ["meaning", "ring", "bidirectional ring"] as const) {
    const [before, after] = [viewOf(m, c, { algorithm }), viewOf(m, c, { algorithm, phase: 1 })];
    expect(flightMarks(before)).toEqual([]);
    expect(flightMarks(after)).toEqual([]);
    expect(fills(before, 9)).toEqual([color(2)]);
    expect(fills(after, 9)).toEqual([0, 1, 2, 3].map(color));
  }
  const scatter = find(m, "reduce-scatter", "data");
  expect(fills(viewOf(m, scatter, { phase: 1, algorithm: "ring" }), 9)).toEqual([color(2)]);
});

test("a sum is hatched until every part is in it", () => {
  const m = model("training");
  const c = find(m, "all-reduce", "model");
  const hatched = (phase: number) =>
    collectiveMarks(viewOf(m, c, { algorithm: "ring", phase })).filter((k) => k.kind === "rect" && k.hatch).length;
  expect([hatched(0), hatched(1)]).toEqual([16 * 4, 0]);
  expect(hatched(phaseAfter(6, 3))).toBeLessThan(hatched(0) + 16);
  expect(captionOf(viewOf(m, c, { algorithm: "ring", phase: 0.3 }))).toBe(
    "round 3 of 6; hatched: a sum that is not complete",
  );
});

test("a chunk has its own part of the strip", () => {
  const m = model("training");
  const view = viewOf(m, find(m, "all-gather", "data"));
  const tile = view.seats.get(0) as Box;
  const boxes = [0, 1, 2, 3].map((chunk) => chunkBox(view, tile, chunk));
  expect(boxes.reduce((w, b) => w + b.w, 0)).toBeCloseTo(stripOf(tile).w);
  boxes.slice(1).forEach((b, i) => {
    expect(b.x).toBeCloseTo((boxes[i]?.x ?? 0) + b.w);
  });
});

test("without motion there are arrows and sources, and no copies", () => {
  const m = model("training");
  const marks = flightMarks(viewOf(m, find(m, "all-gather", "data"), { algorithm: "ring", phase: 0.2, still: true }));
  expect(marks.filter((k) => k.kind === "line")).toHaveLength(16);
  expect(marks.some((k) => k.kind === "rect" && k.alpha === 0.16)).toBe(false);
});

test("of many copies those to one device are shown, and the caption says so", () => {
  const m = model("pod");
  const view = viewOf(m, find(m, "all-gather", "data"), { phase: 0.4 });
  expect(crowded(view)).toBe(true);
  expect(captionOf(view)).toContain("copies to device 0 shown");
  const halos = flightMarks(view).filter((k) => k.kind === "rect" && k.alpha === 0.16);
  expect(halos).toHaveLength(15);
});

test("an axis that is pointed at has its groups in place of the collective's", () => {
  const m = model("training");
  const view = viewOf(m, find(m, "all-gather", "data"), { lit: 1 });
  expect(view.groups[0]).toEqual([0, 1, 2, 3]);
  expect(linkMarks(view)).toEqual([]);
  expect(outlineMarks(view).filter((k) => k.kind === "rect" && k.stroke)).toHaveLength(4);
});

test("thousands of devices are a ground with one group on it", () => {
  const m = modelOf(pod(64, 64));
  expect(stageOf(m, 400, false, 64).density).toBe("field");
  for (const c of m.collectives.slice(0, 2)) {
    expect(collectiveMarks(viewOf(m, c)).length).toBeLessThan(300);
    expect(captionOf(viewOf(m, c))).toContain("64 groups, one shown");
  }
});

test.each<ProgramName>(["training", "pod"])("%s: the title says which group stands in full", (name) => {
  const m = model(name);
  const texts = outlineMarks(viewOf(m, m.collectives[0] as HloCollective, { group: 2 })).flatMap((k) =>
    k.kind === "text" ? (k.spans[0]?.text ?? "") : [],
  );
  expect(texts).toEqual(name === "pod" ? ["group 3 of 16, model=2; the others do the same"] : []);
});

test("the picture without a page has the call over time and lists equal collectives once", () => {
  const m = modelOf(repeated(33));
  const { marks } = programScene(m, { width: 1100, scheme: "light", selection: null, axis: null, sort: "time" });
  const texts = marks.flatMap((mark) => (mark.kind === "text" ? [mark.spans.map(({ text }) => text).join("")] : []));
  const groups = groupsOf(m, { sort: "time", axis: null, search: "", interconnect: m.doc.interconnect });
  expect(groups.length).toBeLessThan(m.collectives.length);
  for (const group of groups) expect(texts).toContain(`×${groupTotal(m, group, m.doc.interconnect).runs}`);
  const lanes = layoutLanes(m, m.doc.interconnect, 1100 - 2 * PAD);
  for (const { text } of lanes?.ticks ?? []) expect(texts).toContain(text);
});

test("a note of several lines stays beside the mesh", () => {
  const m = modelOf({ ...program("training"), note: "word ".repeat(80) });
  const { marks } = programScene(m, { width: 1100, scheme: "light", selection: null, axis: null, sort: "time" });
  const lines = marks.filter((mark) => mark.kind === "text" && mark.spans[0]?.text.startsWith("word word"));
  const panel = marks.find((mark) => mark.kind === "rect" && mark.fill === "panel" && mark.w === 372) as RectMark;
  expect(lines.length).toBeGreaterThan(1);
  for (const { x, w } of lines.map(extent)) expect(x + w).toBeLessThanOrEqual(panel.x);
});

test("a ring of one axis stands in two rows, and its links are short and straight, the last like the others", () => {
  const m = model("ring");
  const c = find(m, "collective-permute", "i");
  const { stage } = viewOf(m, c);
  expect([stage.density, stage.grid.ring, new Set(stage.boxes.map((b) => b.y)).size]).toEqual(["full", true, 2]);
  const links = linkMarks(viewOf(m, c)).map((k) => (k as LineMark).points);
  expect(links).toHaveLength(8);
  const gap = stage.grid.pitch[0] - stage.grid.w;
  expect(stage.grid.pitch[1] - stage.grid.h).toBe(gap);
  const ends = links.map((points) => [points[0], points.at(-1)] as [readonly number[], readonly number[]]);
  const lengths = ends.map(([[x0 = 0, y0 = 0], [x1 = 0, y1 = 0]]) => Math.hypot(x1 - x0, y1 - y0));
  for (const length of lengths) expect(length).toBeLessThan(gap);
  // Half way every copy is between the two neighbours, on its way back to the first as well.
  const view = viewOf(m, c, { phase: 0.45 });
  const halos = flightMarks(view).filter((k): k is RectMark => k.kind === "rect" && k.alpha === 0.16);
  expect(halos).toHaveLength(8);
  for (const halo of halos) expect(Math.min(halo.w, halo.h)).toBeLessThanOrEqual(gap + 2);
});

test.each([480, 1100])("the picture of groups alone has neither bytes nor times, %i wide", (width) => {
  const said = JSON.stringify(
    programScene(modelOf(groupsAlone()), { width, scheme: "light", selection: null, axis: null, sort: "time" }).marks,
  );
  expect(said).toContain("?");
  expect(said).not.toMatch(/0 B|0 ns/);
});
