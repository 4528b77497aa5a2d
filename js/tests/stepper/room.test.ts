/** What has too little room, or more than it needs: many chunks, empty ones, many groups, wide blocks, low rows. */
import { expect, test } from "vitest";
import type { Algorithm } from "../../src/collective/model/algorithm";
import type { Variable } from "../../src/core/document.gen";
import type { Mark } from "../../src/draw/marks";
import { textWidth } from "../../src/draw/measure";
import { blockTip } from "../../src/stepper/model/blocktip";
import { TraceModel } from "../../src/stepper/model/trace";
import { drawnOf } from "../../src/stepper/scene/drawn";
import { hitAt } from "../../src/stepper/scene/hit";
import { besideTiles, LEAST_WHOLE, type Stage, TWO_LINES } from "../../src/stepper/scene/stage";
import { frameMarks, frameOf, StepperLayout } from "../../src/stepper/scene/stepper";
import { type StepperOptions, type StepView, stepView } from "../../src/stepper/scene/view";
import { wholeMarks } from "../../src/stepper/scene/whole";
import { layoutOf } from "../../src/stepper/sizes";
import { raw } from "../documents";
import { type Program, programOf } from "./programs";
import { RULES } from "./rules";
import { model, stepOf } from "./traces";

interface Look extends Partial<Pick<StepperOptions, "device" | "lit">> {
  width?: number;
  most?: number;
  phase?: number;
  algorithm?: Algorithm;
}

function viewOf(
  program: Program,
  { width = 683, most = 508, phase = 0.2, algorithm = "meaning", ...looked }: Look = {},
): StepView {
  const trace = programOf(program);
  const options = { scheme: "light", algorithm, device: null, rules: RULES, still: false, ...looked } as const;
  return stepView(new StepperLayout(trace, width, [], { most, least: 0 }), { step: 2, phase }, options);
}

const written = (marks: readonly Mark[]) =>
  marks.flatMap((m) => (m.kind === "text" ? [m.spans.map((s) => s.text).join("")] : []));

const SUM: Program = { axes: { x: 8 }, kind: "psum", over: ["x"], shape: [3] };

test.each(["ring", "bidirectional ring", "halving-doubling"] as const)(
  "an array smaller than its group has empty chunks, which %s does not send",
  (algorithm) => {
    const rounds = viewOf(SUM, { algorithm }).played?.rounds ?? [];
    expect(rounds.length).toBeGreaterThan(0);
    // Three elements in eight chunks: those that begin before an element ends have it.
    const sent = new Set(rounds.flat().flatMap((t) => t.chunks));
    expect([...sent].sort()).toEqual([2, 5, 7]);
    for (const phase of [0.02, 0.3, 0.6, 0.9]) {
      const view = viewOf(SUM, { algorithm, phase });
      const { flights, under } = frameOf(view);
      // Each carries a number; in lanes it has its sender's id, too.
      for (const { marks } of flights)
        expect(written(marks).length).toBeGreaterThan(algorithm.endsWith("ring") ? 0 : 1);
      expect(written(under).join()).toContain("5 of 8 chunks have no element");
    }
    const done = viewOf(SUM, { algorithm, phase: 0.999 });
    const numbers = written(frameOf(done).over).filter((w) => ["84", "92", "100"].includes(w));
    expect(numbers).toHaveLength(24);
  },
);

test("a chunk of fewer elements than others has no ground where there is none", () => {
  const view = viewOf({ ...SUM, axes: { x: 4 }, shape: [6] }, { algorithm: "ring", phase: 0.999 });
  const [tile] = view.stage.tiles;
  const place = tile?.places[0];
  if (!tile || !place) return expect.fail("there is no tile");
  const filled = frameOf(view).over.filter(
    (m) =>
      m.kind === "rect" &&
      m.fill?.startsWith("#") &&
      m.y === place.box.y &&
      m.x < place.box.x + place.box.w &&
      m.x >= place.box.x,
  );
  expect(filled).toHaveLength(6);
});

test("beside the terms of a sum stands which rows are drawn, whole", () => {
  const value = (p: number, i: number) => -12.155 + 3.31 * p - 0.07 * i;
  const cut: string[] = [];
  for (let width = 560; width <= 960; width += 8) {
    const view = viewOf({ ...SUM, shape: [4, 4], dtype: "float32", value }, { width });
    cut.push(...written(frameOf(view).under).filter((text) => text.startsWith("row") && text.endsWith("…")));
  }
  expect(cut).toEqual([]);
});

const SIXTEEN: Program = { axes: { x: 16 }, kind: "psum", over: ["x"], shape: [16] };

test("where chunks have no room for numbers, every device writes out the cell that is looked at", () => {
  for (const algorithm of ["ring", "halving-doubling"] as const) {
    const view = viewOf(SIXTEEN, { width: 454, phase: 0.999, algorithm });
    const { stage } = view;
    expect([stage.bare, stage.reading === null]).toEqual([true, false]);
    const rows = stage.tiles.filter((t) => t.members.length === 1);
    // Device p holds 16p + i: their sums over all devices.
    const sum = (i: number) => String(1920 + 16 * i);
    expect(written(frameMarks(frameOf(view))).filter((w) => w === sum(1))).toHaveLength(rows.length);
    const place = stage.tiles[0]?.places[0];
    if (!place) return expect.fail("there is no block");
    const x = place.box.x + (5.5 * place.box.w) / 16;
    const lit = hitAt(view, x, place.box.y + 3);
    expect(lit?.cell).toBe(5);
    const other = viewOf(SIXTEEN, { width: 454, phase: 0.999, algorithm, lit });
    expect(other.stage.tiles.map((t) => t.box)).toEqual(stage.tiles.map((t) => t.box));
    expect(written(frameMarks(frameOf(other))).filter((w) => w === sum(5))).toHaveLength(rows.length);
  }
  const ring = viewOf(SIXTEEN, { width: 454, phase: 0.01, algorithm: "ring" });
  // A hop is worked out.
  expect(written(frameOf(ring).under).join()).toContain("Hop 1 of 30: a[1], 2 to 3: 33 + 49 = 82.");
});

test("chunks that go the same way in one copy need one lane", () => {
  const program: Program = { axes: { x: 8 }, kind: "all_to_all", over: ["x"], shape: [8, 1] };
  const { stage } = viewOf(program, { width: 454, most: 357, algorithm: "halving-doubling" });
  expect([stage.bare, stage.face?.columns, stage.chunks]).toEqual([false, 8, 8]);
});

test("members that are folded into one row hold the result in the end", () => {
  for (const algorithm of ["meaning", "ring"] as const) {
    const view = viewOf({ ...SIXTEEN, shape: [4] }, { width: 454, most: 357, phase: 1, algorithm });
    const folded = view.stage.tiles.findIndex((t) => t.members.length > 1);
    const place = view.stage.tiles[folded]?.places[0];
    if (!place) return expect.fail("nothing is folded");
    const numbers = frameOf(view).over.filter(
      (m) =>
        m.kind === "text" &&
        m.y > place.box.y &&
        m.y < place.box.y + place.box.h &&
        m.x > place.box.x &&
        m.x < place.box.x + place.box.w,
    );
    // Device p holds 4p + i.
    if (algorithm === "meaning") expect(written(numbers)).toEqual(["480", "496", "512", "528"]);
    expect(frameOf(view).over.some((m) => m.kind === "rect" && m.hatch)).toBe(false);
  }
});

test("on meshes of more axes all groups stand side by side where there is room, each under what it has in common", () => {
  const cube: Program = { axes: { data: 2, tensor: 4, pipe: 2 }, kind: "psum", over: ["tensor"], shape: [1, 4] };
  const names = ["data=0 pipe=0 ", "data=0 pipe=1 ", "data=1 pipe=0 ", "data=1 pipe=1 "];
  for (const algorithm of ["meaning", "ring"] as const) {
    const view = viewOf(cube, { width: 1115, algorithm });
    expect([view.stage.map, view.stage.pager, view.stage.tiles.length]).toEqual([null, null, 16]);
    expect(written([...view.stage.rails, ...view.stage.fixed]).filter((w) => names.includes(w))).toEqual(names);
    expect(written([...view.stage.rails, ...view.stage.fixed]).filter((w) => /^tensor=\d$/.test(w))).toHaveLength(4);
    expect(frameOf(view).flights).toHaveLength(algorithm === "ring" ? 16 : 3);
  }
  const over: Program = { ...cube, axes: { a: 2, b: 2, c: 2, d: 2 }, over: ["b", "d"] };
  expect(viewOf(over, { width: 1115, algorithm: "ring" }).stage.tiles).toHaveLength(16);
  // Where there is none, one group stands large at its place among the others, in every step.
  const program = programOf(cube);
  const layout = new StepperLayout(program, 683, [], { most: 508, least: 0 });
  for (const device of [null, 11]) {
    const stages = program.steps.map((_, at) => layout.setting(at, "meaning", device, RULES).stage);
    for (const { tiles, small, large, outer, map } of stages) {
      expect([tiles.length, small.length, map]).toEqual([4, 3, null]);
      expect(written(outer)).toEqual(["data=0", "data=1", "pipe=0", "pipe=1"]);
      const shown = [...tiles.flatMap((t) => t.members), ...small.flatMap((one) => one.group)];
      expect(shown.sort((p, q) => p - q)).toEqual(Array.from({ length: 16 }, (_, p) => p));
      expect(tiles.map((t) => t.box)).toEqual(stages[0]?.tiles.map((t) => t.box));
      expect([small, large]).toEqual([stages[0]?.small, stages[0]?.large]);
    }
  }
  // A press on a small device makes its group large.
  const view = viewOf(cube);
  const [p, box] = view.stage.small[1]?.tiles[2] ?? expect.fail("there is no small group");
  expect(hitAt(view, box.x + 4, box.y + 4)).toEqual({ device: p, slot: null, cell: null });
  expect(viewOf(cube, { device: p }).stage.group).toContain(p);
});

test("one of several groups says which it is, and goes to the others, without a map too", () => {
  const value = (p: number, i: number) => -69.8 + 7.3 * p - 3.1 * i;
  const wide: Program = { axes: { x: 4, y: 6 }, kind: "psum", over: ["x"], shape: [8, 16], dtype: "float32", value };
  const { stage } = viewOf(wide, { width: 700 });
  expect([stage.map, stage.tiles.length]).toEqual([null, 4]);
  expect(written([...stage.rails, ...stage.fixed])).toContain("group 1 of 6, y=0");
  expect(stage.pager).not.toBeNull();
  // What is left out is said whole, also where there is little room for it.
  expect(written(frameOf(viewOf(wide, { width: 700 })).under).join()).toContain("rows 0–3 of 8; columns 0–3 of 16");
  expect(written(frameOf(viewOf(wide, { width: 454 })).under)).toContain("4 × 2 of 8 × 16");
});

test("a permutation keeps its columns and uses the width that there is", () => {
  const back = Array.from({ length: 8 }, (_, r) => [r, 7 - r] as const);
  const ring = Array.from({ length: 8 }, (_, r) => [r, (r + 1) % 8] as const);
  const program: Program = { axes: { x: 8 }, kind: "ppermute", over: ["x"], shape: [1, 2], pairs: ring };
  const used = ({ stage }: StepView) => Math.max(...stage.holds.map(({ box }) => box.x + box.w)) / stage.width;
  for (const width of [683, 1115]) expect(used(viewOf(program, { width }))).toBeGreaterThan(0.65);
  const reversed = viewOf({ ...program, shape: [1, 12], pairs: back });
  expect(reversed.stage.face?.columns).toBeGreaterThan(1);
  // Columns that copies have no room for are left out.
  const bf = viewOf({
    ...program,
    axes: { x: 4 },
    shape: [1, 4],
    pairs: [...ring.slice(0, 3), [3, 0]],
    value: (p, i) => 1000 * p + i,
  });
  expect([bf.stage.face?.columns, bf.stage.carried.swatch]).toEqual([3, false]);
});

test("rows are as high as the height of a program allows", () => {
  const program: Program = { axes: { x: 4, y: 4 }, kind: "psum", over: ["x"], shape: [1, 4] };
  const view = viewOf(program);
  expect(view.layout.height - view.stage.height).toBeLessThan(40);
  expect(view.stage.height).toBeLessThanOrEqual(view.layout.height);
});

test("a member of a ragged exchange that has no rows for the receiver sends nothing", () => {
  // Rank r sends (r + k) % 2 rows to rank k: to rank 2 none from rank 0.
  const program: Program = { axes: { x: 4 }, kind: "ragged_all_to_all", over: ["x"], shape: [4] };
  expect(frameOf(viewOf(program, { device: 2 })).flights.map((f) => f.source)).toEqual([1, 3]);
});

test("where copies go from tile to tile, what is pointed at is in a tile", () => {
  for (const algorithm of ["ring", "halving-doubling"] as const) {
    const view = viewOf({ ...SUM, shape: [8] }, { algorithm, phase: 0.9 });
    for (const { box } of drawnOf(view))
      expect(view.stage.tiles.some((t) => box.x >= t.box.x && box.x + box.w <= t.box.x + t.box.w)).toBe(true);
  }
});

test("a key is written the same in its tile and in its tooltip", () => {
  const { doc } = programOf({ axes: { x: 2 }, kind: "ppermute", over: ["x"], shape: [2], pairs: [[0, 1]] });
  // An element of two words.
  const variables = doc.variables.map((v) => ({
    ...v,
    type: "key<fry>[1]",
    shape: [1],
    window: v.window && { ...v.window, shape: [1, 2] },
  }));
  const trace = new TraceModel({ ...doc, variables });
  const tip = blockTip(trace, trace.doc.variables[0] as Variable, 1, 1);
  expect([tip.name, tip.values]).toEqual(["r[0,1] = 00000003", "values 00000002 00000003"]);
});

test("a card shows as many rows of blocks as it has height for, closer together before one is left out", () => {
  const value = (p: number, i: number) => 1000 + 16 * p + i;
  const rowsOf = (axes: Program["axes"], over: string, width: number) => {
    const trace = programOf({ axes, kind: "psum", over: [over], shape: [4, 4], dtype: "float32", value });
    const layout = layoutOf(trace, width - 2, []);
    const at = trace.steps.findIndex((step) => trace.communicates(step));
    return layout.setting(at, "meaning", null, RULES).stage.tiles[0]?.places[0]?.face.rows;
  };
  expect([934, 700, 480].map((width) => rowsOf({ x: 8 }, "x", width))).toEqual([2, 1, 1]);
  expect([934, 700, 480].map((width) => rowsOf({ x: 4 }, "x", width))).toEqual([4, 2, 2]);
  expect([934, 700, 480].map((width) => rowsOf({ x: 2, y: 4 }, "y", width))).toEqual([3, 2, 2]);
});

test("tiles are as wide as what they hold, and the other groups are in view", () => {
  const value = (p: number, i: number) => 10000 + 16 * p + i;
  const programs: [Program, number[]][] = [
    [{ axes: { x: 4, y: 2 }, kind: "psum", over: ["y"], shape: [2, 4], value }, [584, 600, 620, 640]],
    [{ axes: { x: 4, y: 4 }, kind: "psum", over: ["x"], shape: [4, 4] }, [584, 640, 800, 934, 1100]],
    [{ axes: { data: 2, fsdp: 2, tensor: 2 }, kind: "psum", over: ["tensor"], shape: [4, 4], value }, [446, 934]],
  ];
  for (const [program, widths] of programs) {
    const trace = programOf(program);
    for (const width of widths) {
      const layout = layoutOf(trace, width - 2, []);
      const stages = trace.steps.map((_, at) => layout.setting(at, "meaning", null, RULES).stage);
      const held = stages.map(({ tiles: [tile] }) => {
        const ends = tile?.places.map(({ box }) => box.x + box.w) ?? [];
        return (Math.max(...ends) - (tile?.box.x ?? 0)) / (tile?.box.w ?? 1);
      });
      const at = trace.steps.findIndex((step) => trace.communicates(step));
      const { small, map, face } = stages[at] as Stage;
      const said = `${Object.keys(program.axes)} at ${width} px`;
      expect(Math.max(...held), said).toBeGreaterThan(0.8);
      expect(small.length > 0 || map !== null, said).toBe(true);
      expect(face?.columns, said).toBeGreaterThan(1);
    }
  }
});

test.each([480, 598])("under a map of groups the array that is assembled stands beside the tiles, %i px", (width) => {
  const trace = model("all_gather");
  const step = trace.steps.findIndex(({ primitive }) => primitive === "out_specs");
  const options = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false } as const;
  const view = stepView(layoutOf(trace, width, []), { step, phase: 1 }, options);
  expect(view.stage.map).not.toBeNull();
  const right = Math.max(...view.stage.tiles.map(({ box }) => box.x + box.w));
  expect(wholeMarks(view).some((mark) => mark.kind === "text" && mark.x > right)).toBe(true);
});

test("where chunks have room for numbers under the id of a tile, but not beside it, they stand there", () => {
  const program: Program = { axes: { x: 4, y: 4 }, kind: "psum", over: ["y"], shape: [2, 2] };
  const { stage: meaning } = viewOf(program, { width: 700 });
  const { stage: ring } = viewOf(program, { width: 700, algorithm: "ring" });
  expect([ring.bare, ring.tiles[0]?.id, ring.height]).toEqual([false, "above", meaning.height]);
  expect(ring.tiles.map((t) => t.box)).toEqual(meaning.tiles.map((t) => t.box));
  for (const { box, places } of ring.tiles)
    for (const { box: block } of places) expect(block.y + block.h).toBeLessThan(box.y + box.h);
});

test.each([
  ["psum", 934],
  ["psum of four", 480],
] as const)("no block of %s stands over coordinates at %i px", (name, width) => {
  const trace = model(name);
  const layout = layoutOf(trace, width - 2, []);
  for (const at of trace.steps.keys()) {
    const { tiles } = layout.setting(at, "meaning", null, RULES).stage;
    for (const { id, coordinates, box, members, places } of tiles) {
      if (id === "above" || !coordinates || box.h < TWO_LINES) continue;
      const digits = `(${trace.mesh.digits(members[0] ?? 0).join(",")})`;
      const end = box.x + 8 + textWidth(digits, 10, true);
      expect(Math.min(...places.map((one) => one.box.x)), `step ${at}`).toBeGreaterThan(end);
    }
  }
});

/** Meshes, collectives along an axis, and the widths of cards in which all copies that are under way have numbers. */
const CARRIED: readonly (readonly [
  Program["axes"],
  string,
  readonly number[],
  string,
  Algorithm,
  readonly number[],
])[] = [
  [{ x: 8 }, "ppermute", [2, 4], "x", "meaning", [364, 480, 600, 934, 1100]],
  [{ x: 4 }, "ppermute", [2, 4], "x", "meaning", [364, 480, 600]],
  [{ x: 8 }, "all_to_all", [1, 8], "x", "ring", [480, 600, 640, 668, 700, 934]],
  [{ x: 4, y: 4 }, "ppermute", [2, 4], "x", "meaning", [480, 600, 700, 800, 870, 934, 1100, 1300]],
  [{ x: 4, y: 4 }, "ppermute", [2, 4], "y", "meaning", [480, 600, 700, 800, 870, 934, 1100, 1300]],
  [{ x: 4, y: 4 }, "reduce_scatter", [4, 4], "x", "bidirectional ring", [600, 660, 683, 700, 870, 934, 960]],
  [{ x: 4, y: 4 }, "psum", [4, 4], "x", "ring", [480, 600, 700, 800, 870, 899, 934, 1100, 1200, 1300]],
  [{ x: 4, y: 4 }, "psum", [4, 4], "x", "bidirectional ring", [480, 700, 870, 899, 934, 1100, 1200, 1300]],
  [{ x: 4, y: 4 }, "all_gather", [2, 2], "x", "bidirectional ring", [480, 700, 870, 934, 1100, 1300]],
  [{ x: 4, y: 2 }, "psum", [4, 4], "x", "ring", [480, 600, 660, 683, 800, 850, 870, 899, 934, 960, 1100]],
  [{ x: 4, y: 2 }, "psum", [4, 4], "x", "bidirectional ring", [480, 600, 660, 700, 800, 850, 870, 899, 934, 960, 1100]],
  [{ x: 4, y: 2 }, "all_gather", [2, 2], "x", "bidirectional ring", [480, 600, 640, 683, 700, 934, 947, 960, 1100]],
  [{ x: 4, y: 4 }, "psum", [4, 4], "y", "bidirectional ring", [600, 700, 800, 870, 899, 934, 960, 1100]],
  [{ x: 4 }, "all_to_all", [1, 8], "x", "ring", [668, 700, 934, 1000, 1100, 1240]],
  [{ x: 4 }, "reduce_scatter", [4, 4], "x", "bidirectional ring", [660, 683, 700, 800, 870, 960, 1100]],
];

test.each(CARRIED)("on %o copies of %s %o over %s have numbers: %s, in cards of %o px", (...one) => {
  const [axes, kind, shape, over, algorithm, widths] = one;
  const n = axes[over] ?? 0;
  const pairs = kind === "ppermute" ? Array.from({ length: n }, (_, r) => [r, (r + 1) % n] as const) : [];
  const trace = programOf({ axes, kind, over: [over], shape, pairs });
  const options = { scheme: "light", algorithm, device: null, rules: RULES, still: false } as const;
  const bare = widths.filter((width) => {
    const view = stepView(layoutOf(trace, width, []), { step: 2, phase: 0.1 }, options);
    const { flights } = frameOf(view);
    expect(flights.length).toBeGreaterThanOrEqual(4);
    // Beside the id of the sender, where it is there.
    const ids = view.stage.carried.tag > 0 ? 1 : 0;
    return flights.some(({ marks }) => written(marks).filter((text) => /\d/.test(text)).length <= ids);
  });
  expect(bare).toEqual([]);
});

test.each([4, 8])("half way between the rows of a ring of %i a copy is seen whole, whichever way it goes", (n) => {
  for (const [kind, shape] of [
    ["all_gather", [2]],
    ["psum", [1, 8]],
  ] as const) {
    const trace = programOf({ axes: { x: n }, kind, over: ["x"], shape });
    for (const algorithm of ["ring", "bidirectional ring"] as const) {
      const layout = layoutOf(trace, 932, []);
      const views = Array.from({ length: 60 }, (_, k) =>
        stepView(
          layout,
          { step: 2, phase: (k + 1) / 300 },
          { scheme: "light", algorithm, device: null, rules: RULES, still: false },
        ),
      );
      const half = views.reduce((a, b) => (Math.abs(b.flow.progress - 0.5) < Math.abs(a.flow.progress - 0.5) ? b : a));
      expect(half.flow.progress).toBeCloseTo(0.5, 1);
      const blocks = half.stage.tiles.flatMap(({ places }) => places.map(({ box }) => box));
      const between = frameOf(half).flights.filter(({ source, destination }) => Math.abs(source - destination) === 1);
      expect(between.length).toBe((algorithm === "ring" ? 1 : 2) * (n - 1));
      for (const { box } of between)
        expect(blocks.filter((block) => box.y < block.y + block.h && block.y < box.y + box.h)).toEqual([]);
    }
  }
});

test("of a large gathered array every chunk has numbers, also those of which the result kept none", () => {
  const { doc } = programOf({ axes: { x: 8 }, kind: "all_gather", over: ["x"], shape: [2, 8] });
  const [result] = doc.steps.filter(({ collective }) => collective !== null).flatMap(({ outputs }) => outputs);
  const cut = (v: Variable) => {
    const blocks = v.window ? v.window.data.byteLength / (16 * 8 * 4) : 0;
    const data = new Uint8Array(blocks * 8 * 8 * 4);
    const all = new Uint8Array(v.window?.data.buffer ?? new ArrayBuffer(0), v.window?.data.byteOffset ?? 0);
    for (let k = 0; k < blocks; k++) data.set(all.subarray(k * 512, k * 512 + 256), k * 256);
    return { ...v, window: v.window && { ...v.window, shape: [8, 8], data } } as unknown as Variable;
  };
  const variables = doc.variables.map((v) => (v.id === result ? cut(v) : v));
  const trace = new TraceModel({ ...doc, variables });
  const layout = layoutOf(trace, 932, []);
  for (const algorithm of ["meaning", "ring", "bidirectional ring"] as const)
    for (const phase of [0, 0.1, 0.95, 1]) {
      const view = stepView(
        layout,
        { step: 2, phase },
        { scheme: "light", algorithm, device: null, rules: RULES, still: false },
      );
      const { flights, over } = frameOf(view);
      const blank = flights.filter(({ marks }) => written(marks).filter((text) => /\d/.test(text)).length < 2);
      expect(blank).toEqual([]);
      const last = view.stage.tiles.at(-1)?.places[0]?.box;
      const inLast = over.filter(
        (m) =>
          m.kind === "text" &&
          last &&
          m.y > last.y &&
          m.y < last.y + last.h &&
          m.x > last.x + 0.875 * last.w &&
          m.x < last.x + last.w,
      );
      expect(inLast.length, `${algorithm} at ${phase}`).toBeGreaterThan(0);
    }
});

test.each([4, 8])("an exchange between %i devices has the width of a wide card", (n) => {
  const trace = programOf({ axes: { x: n }, kind: "all_to_all", over: ["x"], shape: [1, 8] });
  for (const width of [934, 1100]) {
    const layout = layoutOf(trace, width - 2, []);
    const view = stepView(
      layout,
      { step: 2, phase: 0 },
      { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false },
    );
    const end = Math.max(...view.stage.lanes.map(({ tag, slot }) => Math.max(tag.x + tag.w, slot.x + slot.w)));
    expect(layout.width - end, `at ${width}`).toBeLessThan(60);
    expect(Math.abs((view.stage.header?.x ?? 0) - (view.stage.lanes[0]?.slot.x ?? 0))).toBeLessThan(40);
  }
});

test("in low lanes over other rows what says whose a copy is is whole", () => {
  const trace = programOf({ axes: { x: 4, y: 4 }, kind: "psum", over: ["y"], shape: [4, 4] });
  const view = stepView(
    layoutOf(trace, 932, []),
    { step: 2, phase: 0 },
    { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false },
  );
  for (const { tag, tile } of view.stage.lanes) expect(tag.y).toBeGreaterThanOrEqual(tile.box.y + tile.box.h);
});

test("of an array that all devices hold whole as many numbers are seen as have room, not the id of one", () => {
  const { doc } = model("psum");
  const id = doc.steps.at(-1)?.outputs[0] ?? -1;
  const wide = (v: Variable) => ({
    ...v,
    dims: v.dims.map((dim) => ({ ...dim, axes: [] })),
    shape: [2, 64],
    window: v.window && { ...v.window, shape: [2, 64], data: new Uint8Array(2 * 64 * 4), block: v.window.block },
  });
  const variables = doc.variables.map((v) => (v.id === id ? (wide(v) as Variable) : v));
  const trace = new TraceModel({ ...doc, variables });
  const options = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false } as const;
  const view = stepView(layoutOf(trace, 932, []), { step: trace.steps.length - 1, phase: 1 }, options);
  const said = written(frameOf(view).over).concat(written(frameOf(view).under));
  expect(said).toContain("one of 8 equal copies");
  expect(said.some((text) => /^columns 0–\d+ of 64$/.test(text))).toBe(true);
});

test("copies of a ring have a number each where chunks have no room for it", () => {
  const value = (p: number, i: number) => 100 + 16 * p + i;
  const ring: Program = { axes: { x: 8 }, kind: "psum", over: ["x"], shape: [4, 4], dtype: "float32", value };
  for (const phase of [0.1, 0.45, 0.8]) {
    const view = viewOf(ring, { width: 454, most: 296, algorithm: "ring", phase });
    const { flights } = frameOf(view);
    expect([view.stage.bare, flights.length]).toEqual([true, 8]);
    for (const { marks, box } of flights) {
      const [number = "", ...more] = written(marks);
      expect(number).toMatch(/^\d{3,4}$/);
      expect(more).toEqual([]);
      expect(box.w).toBeGreaterThan(textWidth(number, view.stage.font, true) + 6);
      // The cell that is looked at stands at the end of its tile, and nothing over it.
      const { tiles, reading } = view.stage;
      const [{ box: tile }] = tiles as [Stage["tiles"][number]];
      expect(box.x + box.w <= tile.x + (reading?.x ?? 0) || box.x >= tile.x + tile.w).toBe(true);
    }
  }
});

test("what a hop adds is said whole, in a font that is wider than most too", () => {
  const value = (p: number, i: number) => 2 * (16 * p + i);
  const ring: Program = { axes: { x: 8 }, kind: "psum", over: ["x"], shape: [4, 4], dtype: "float32", value };
  for (let width = 560; width <= 760; width += 4) {
    const view = viewOf(ring, { width, algorithm: "ring", phase: 0.2 });
    const hop = written(frameOf(view).under).find((text) => text.startsWith("Hop")) ?? "";
    expect(hop).toMatch(/\d\.$/);
    expect(1.1 * textWidth(hop, 12), `at ${width}`).toBeLessThanOrEqual(view.stage.line.width);
  }
});

test("copies of an exchange that goes round a ring have the numbers of all chunks that they carry", () => {
  const program: Program = { axes: { x: 4 }, kind: "all_to_all", over: ["x"], shape: [1, 8] };
  const { flights } = frameOf(viewOf(program, { width: 840, algorithm: "ring", phase: 0.15 }));
  const carried = flights.map(({ source, marks }) => [source, written(marks).slice(0, -1).map(Number)]);
  const own = (p: number) => Array.from({ length: 8 }, (_, i) => 8 * p + i).filter((_, i) => i >> 1 !== p);
  expect(carried.sort()).toEqual([0, 1, 2, 3].map((p) => [p, own(p)]));
});

test("of more chunks than a copy has room for the first are written, and how many follow", () => {
  const program: Program = { axes: { x: 8 }, kind: "all_to_all", over: ["x"], shape: [1, 8] };
  for (const [width, most] of [
    [600, 5],
    [364, 1],
  ] as const) {
    for (const [phase, sent] of [
      [0.08, 7],
      [0.95, 1],
    ] as const) {
      const view = viewOf(program, { width, most: 336, algorithm: "ring", phase });
      const { flights, under } = frameOf(view);
      const shown = view.stage.carried.chunks;
      expect(shown).toBeLessThanOrEqual(most);
      for (const { marks } of flights) {
        const said = written(marks).slice(0, -1);
        const more = shown > 1 ? `+${sent - shown + 1}` : `×${sent}`;
        expect(said.length).toBe(Math.min(shown, sent));
        if (sent > shown) expect(said.at(-1)).toBe(more);
      }
      const legend = written(under).some((text) => /^.n: n pieces/.test(text));
      expect(legend).toBe(sent > shown);
    }
  }
});

test("equal tiles of a group have `=` between them, beside a map of the mesh too", () => {
  const doc = programOf({ axes: { x: 2, y: 4 }, kind: "psum", over: ["x"], shape: [2, 2] }).doc;
  // The sum once more, in a step of each device's own.
  const [after] = doc.variables.slice(-1);
  const again = { ...(after as Variable), id: doc.variables.length };
  const [local] = doc.steps.slice(1, 2);
  const steps = [...doc.steps, { ...local, inputs: [after?.id ?? 0], outputs: [again.id] }] as typeof doc.steps;
  const trace = new TraceModel({ ...doc, steps, variables: [...doc.variables, again] });
  const options = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false } as const;
  const view = stepView(new StepperLayout(trace, 454, [], { most: 336, least: 0 }), { step: 3, phase: 1 }, options);
  const equal = frameOf(view).over.filter((mark) => mark.kind === "disc");
  expect([view.stage.map !== null, view.stage.tiles.length]).toEqual([true, 2]);
  expect(equal).toEqual([expect.objectContaining({ sign: "=", color: "axis0" })]);
});

test("over the tiles of a group it is said which columns are seen, where that is not all", () => {
  const value = (p: number, i: number) => 10000 + 16 * p + i;
  const wide: Program = { axes: { x: 4, y: 4 }, kind: "psum", over: ["y"], shape: [4, 4], value };
  const narrow = viewOf(wide, { width: 650, most: 360 });
  expect(written(frameOf(narrow).under).filter((text) => text.startsWith("column"))).toEqual([
    `columns 0–${(narrow.stage.face?.columns ?? 0) - 1} of 4`,
  ]);
  const all = viewOf(wide, { width: 1115 });
  expect(written(frameOf(all).under).filter((text) => text.startsWith("column"))).toEqual([]);
});

test("on a mesh of sixteen every step has the numbers of whole blocks, and a whole array has room beside the tiles", () => {
  for (const kind of ["psum", "pmax"]) {
    const trace = programOf({ axes: { x: 4, y: 4 }, kind, over: ["y"], shape: [2, 4] });
    const layout = layoutOf(trace, 934, []);
    const stages = trace.steps.map((_, at) => layout.setting(at, "meaning", null, RULES).stage);
    for (const stage of stages) {
      expect(stage.bare, kind).toBe(false);
      expect(besideTiles(stage).w, kind).toBeGreaterThanOrEqual(LEAST_WHOLE);
      for (const { face } of stage.tiles[0]?.places ?? []) expect([face.rows, face.columns], kind).toEqual([2, 4]);
    }
  }
});

test("a step with fewer blocks than others shows all columns of its own, in smaller digits if need be", () => {
  const value = (p: number, i: number) => 10000 + 16 * p + i;
  const trace = programOf({ axes: { x: 4, y: 4 }, kind: "psum", over: ["y"], shape: [2, 4], value });
  for (const width of [480, 700, 934]) {
    const layout = layoutOf(trace, width, []);
    const stages = trace.steps.map((_, at) => layout.setting(at, "meaning", null, RULES).stage);
    const columns = stages.map(({ tiles: [tile] }) =>
      Math.max(...(tile?.places ?? []).map(({ face }) => face.columns)),
    );
    expect(Math.min(...columns), `${width} px`).toBe(Math.max(...columns));
  }
});

test("all blocks of a whole array have the ids of their devices, or none has", () => {
  const { doc } = model("psum");
  const mesh = { ...doc.mesh, device_ids: raw([0, 1, 2, 3, 4, 5, 6, 100000]) };
  for (const trace of [model("psum"), new TraceModel({ ...doc, mesh })]) {
    const options = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false } as const;
    const marks = wholeMarks(
      stepView(layoutOf(trace, 934, []), { step: stepOf(trace, "in_specs"), phase: 1 }, options),
    );
    const ids = new Set(written(marks).filter((text) => /^\d+$/.test(text)));
    // The two blocks of the other array are wide enough for any.
    expect(ids.size).toBe(trace.mesh.ids.includes(100000) ? 2 : 8);
  }
});
