/** The picture of a step at any moment: finite, inside its layout, pure; copies leave and arrive where they should. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hex } from "../../src/model/color";
import type { Plan } from "../../src/model/document.gen";
import type { Transfer } from "../../src/model/plan";
import type { TraceModel } from "../../src/model/trace";
import { blockMarks, faceOf } from "../../src/scene/block";
import { deviceBox } from "../../src/scene/grid";
import type { Box, Mark, RectMark, TextMark } from "../../src/scene/scene";
import { stepScene } from "../../src/scene/stepcard";
import { layoutStepper, stepperMarks } from "../../src/scene/stepper";
import { crowdText, ends, flightMarks, flightsOf } from "../../src/scene/stepper/flights";
import { groupMarks } from "../../src/scene/stepper/groups";
import { hitAt, litMarks } from "../../src/scene/stepper/hit";
import { tileMarks } from "../../src/scene/stepper/tiles";
import { type StepperOptions, StepView } from "../../src/scene/stepper/view";
import { extent } from "../scene/cases";
import { model, stepOf, TRACES, type TraceName } from "./traces";

const ALGORITHMS: readonly Plan["algorithm"][] = ["meaning", "ring", "bidirectional ring", "halving-doubling"];
const OPTIONS: StepperOptions = { scheme: "light", algorithm: "meaning", watch: [], device: null, still: false };
const MODELS = new Map(TRACES.map((name) => [name, model(name)]));
const modelOf = (name: TraceName) => MODELS.get(name) as TraceModel;

interface Case {
  name: TraceName;
  step: number;
  phase: number;
  width: number;
  /** Names of watched variables. */
  watch: readonly string[];
  options: StepperOptions;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    name: fc.constantFrom(...TRACES),
    step: fc.nat(),
    phase: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
    width: fc.integer({ min: 240, max: 1400 }),
    algorithm: fc.constantFrom(...ALGORITHMS),
    watch: fc.array(fc.nat(), { maxLength: 2 }),
    device: fc.option(fc.nat()),
    still: fc.boolean(),
    scheme: fc.constantFrom("light" as const, "dark" as const),
  })
  .map(({ name, step, phase, width, algorithm, watch, device, still, scheme }) => {
    const t = modelOf(name);
    const at = step % t.steps.length;
    const names = [...new Set(watch.map((id) => t.doc.variables[id % t.doc.variables.length]?.name ?? ""))];
    const ids = t.latest(names, at);
    return {
      name,
      step: at,
      phase,
      width,
      watch: names,
      options: { scheme, algorithm, watch: ids, device: device === null ? null : device % t.mesh.size, still },
    };
  });

function each(check: (view: StepView, marks: Mark[], c: Case) => void, numRuns = 250): void {
  fc.assert(
    fc.property(cases, (c) => {
      const t = modelOf(c.name);
      const layout = layoutStepper(t, c.width, c.watch);
      check(new StepView(t, layout, c, c.options), stepperMarks(t, layout, c, c.options), c);
    }),
    { numRuns },
  );
}

test("every number of a mark is finite and every length is not negative", () =>
  each((_, marks) => {
    for (const mark of marks) {
      for (const [key, value] of Object.entries(mark)) {
        const numbers = key === "points" ? (value as number[][]).flat() : typeof value === "number" ? [value] : [];
        if (!numbers.every(Number.isFinite)) expect.fail(`${key} of ${JSON.stringify(mark)}`);
        if (["w", "h", "r"].includes(key) && value < 0) expect.fail(`${key} of ${JSON.stringify(mark)}`);
      }
      if (mark.kind === "text")
        for (const { text } of mark.spans) expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
    }
  }));

test("no mark is more than 12 px outside the layout", () =>
  each(({ layout }, marks) => {
    for (const mark of marks) {
      const { x, y, w, h } = extent(mark);
      const out = Math.max(-x, -y, x + w - layout.width, y + h - layout.height);
      if (out > 12) expect.fail(`${out} px outside ${layout.width} × ${layout.height}: ${JSON.stringify(mark)}`);
    }
  }));

test("tiles do not overlap, and the middle of a tile is its device", () =>
  each((view) => {
    const boxes = [...view.seats];
    for (const [i, [p, a]] of boxes.entries()) {
      expect(hitAt(view, a.x + a.w / 2, a.y + a.h / 2)?.device).toBe(p);
      for (const [, b] of boxes.slice(i + 1)) {
        const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
        if (!apart) expect.fail(`${JSON.stringify(a)} and ${JSON.stringify(b)} overlap`);
      }
    }
  }));

test("blocks stand in their tiles, apart from one another, at the same places at every moment", () =>
  each((view, _, c) => {
    const later = new StepView(view.trace, view.layout, { step: c.step, phase: 1 - c.phase }, c.options);
    for (const [p, tile] of view.seats) {
      const boxes = view.slots.map((_, i) => view.box(p, i) as Box);
      expect(later.slots.map((_, i) => later.box(p, i))).toEqual(boxes);
      for (const [i, a] of boxes.entries()) {
        expect(Math.min(a.x - tile.x, a.y - tile.y, tile.x + tile.w - a.x - a.w)).toBeGreaterThanOrEqual(-0.5);
        expect(a.y + a.h).toBeLessThanOrEqual(tile.y + tile.h + 0.5);
        for (const b of boxes.slice(i + 1))
          expect(a.x + a.w <= b.x + 0.01 || b.x + b.w <= a.x + 0.01 || a.y + a.h <= b.y || b.y + b.h <= a.y).toBe(true);
      }
    }
  }, 120));

test("tiles keep their place through all steps", () =>
  each((view, _, c) => {
    const layout = layoutStepper(view.trace, c.width, c.watch);
    expect(layout).toEqual(view.layout);
    if (!layout.strip) {
      const other = new StepView(view.trace, layout, { step: 0, phase: 0 }, OPTIONS);
      expect(other.seats).toEqual(view.seats);
    }
  }, 60));

test("a picture is a function of what it is given", () =>
  each((view, marks, c) => {
    expect(stepperMarks(view.trace, view.layout, c, c.options)).toEqual(marks);
  }, 60));

const COLLECTIVES: readonly (readonly [TraceName, string])[] = [
  ["psum", "psum_invariant"],
  ["all_gather", "all_gather"],
  ["stacked", "all_gather"],
  ["reduce_scatter", "reduce_scatter"],
  ["all_to_all", "all_to_all"],
  ["ppermute", "ppermute"],
  ["pbroadcast", "pbroadcast"],
  ["scan", "ppermute"],
  ["cube", "psum_invariant"],
  ["64 devices", "psum_invariant"],
  ["256 devices", "psum_invariant"],
];

function viewOf(name: TraceName, primitive: string, phase: number, rest: Partial<StepperOptions> = {}, width = 860) {
  const t = modelOf(name);
  return new StepView(t, layoutStepper(t, width), { step: stepOf(t, primitive), phase }, { ...OPTIONS, ...rest });
}

const center = (b: Box) => [b.x + b.w / 2, b.y + b.h / 2] as const;
const copies = (marks: readonly Mark[]) => marks.filter((m): m is RectMark => m.kind === "rect" && m.alpha === 0.16);

/** The groups whose copies are drawn, in the order that they are drawn in. */
function movingGroups(view: StepView): readonly (readonly number[])[] {
  if (!view.collective) return [];
  const [first] = view.focus;
  if (!view.layout.strip || first === undefined) return view.trace.groups(view.collective);
  return [view.groupOf(first) ?? []];
}

function flights(view: StepView): [readonly number[], Transfer][] {
  return movingGroups(view).flatMap((group) =>
    flightsOf(view, group)
      .filter((t) => ends(view, group, t).every((box) => box !== null))
      .map((t): [readonly number[], Transfer] => [group, t]),
  );
}

for (const [name, primitive] of COLLECTIVES) {
  test.each(ALGORITHMS)(`copies of ${name} leave their source and arrive at their destination, %s`, (algorithm) => {
    const rounds = viewOf(name, primitive, 0, { algorithm }).plan?.rounds.length ?? 0;
    expect(rounds).toBeGreaterThan(0);
    for (let round = 0; round < rounds; round++) {
      const phase = (at: number) => (0.9 * (round + at)) / rounds;
      for (const [at, end] of [
        [1e-7, 0],
        [1 - 1e-7, 1],
      ] as const) {
        const view = viewOf(name, primitive, phase(at), { algorithm });
        const drawn = copies(flightMarks(view));
        const expected = flights(view);
        expect(drawn).toHaveLength(expected.length);
        for (const [i, [group, t]] of expected.entries()) {
          const box = ends(view, group, t)[end];
          const seat = view.seats.get(group[end === 0 ? t.source : t.destination] ?? -1);
          const mark = drawn[i];
          if (!box || !seat || !mark) return expect.fail(`${JSON.stringify(t)} is not drawn`);
          expect(Math.hypot(center(box)[0] - center(mark)[0], center(box)[1] - center(mark)[1])).toBeLessThan(1);
          expect([mark.w - 8, mark.h - 8]).toEqual([expect.closeTo(box.w, 0), expect.closeTo(box.h, 0)]);
          const [x, y] = center(mark);
          expect(x > seat.x && x < seat.x + seat.w && y > seat.y && y < seat.y + seat.h).toBe(true);
        }
      }
    }
  });

  test(`at the end of ${name} nothing is on its way, and every block shows its numbers`, () => {
    for (const algorithm of ALGORITHMS) {
      const view = viewOf(name, primitive, 1, { algorithm });
      expect(flightMarks(view)).toEqual([]);
      for (const p of view.seats.keys()) {
        const texts = textsOf(tileMarks(view, p));
        for (const v of [...view.show.before, ...view.show.after]) {
          const corner = view.trace.corner(v);
          const size = corner?.shape.reduce((a, b) => a * b, 1) ?? 0;
          for (let cell = 0; cell < size; cell++)
            expect(texts).toContain(corner?.elements.text(corner.start(p) + cell));
        }
        expect(texts.join(" ")).not.toMatch(/\d\+|hop|arriving/);
      }
    }
  });
}

function textsOf(marks: readonly Mark[]): string[] {
  const texts = marks.filter((m): m is TextMark => m.kind === "text");
  return texts.map((m) => m.spans.map((s) => s.text).join(""));
}

test("half way, a copy is in the gap between the two tiles", () => {
  const half = viewOf("psum", "psum_invariant", 0.45);
  const [left, right] = [half.seats.get(0), half.seats.get(1)];
  const [copy] = copies(flightMarks(half));
  if (!left || !right || !copy) return expect.fail("nothing is on its way");
  expect(center(copy)[0]).toBeCloseTo((left.x + left.w + right.x) / 2, 3);
});

test("with reduced motion nothing moves: arrows and outlines stand still", () => {
  for (const [name, primitive] of COLLECTIVES) {
    const at = (phase: number) => flightMarks(viewOf(name, primitive, phase, { still: true }));
    expect(copies(at(0.2))).toEqual([]);
    expect(at(0.2).filter((m) => m.kind === "line")).toHaveLength(flights(viewOf(name, primitive, 0.2)).length);
    expect(at(0.2)).toEqual(at(0.3));
    expect(at(1)).toEqual([]);
  }
});

test("while it runs, a sum says what it has and that it waits; places of chunks say which hop brings them", () => {
  const texts = (name: TraceName, primitive: string, phase: number, algorithm: Plan["algorithm"]) => {
    const view = viewOf(name, primitive, phase, { algorithm });
    return textsOf(tileMarks(view, 0));
  };
  const psum = texts("psum", "psum_invariant", 0.4, "meaning");
  const t = modelOf("psum");
  const p = t.doc.variables.find((v) => v.name === "p");
  const corner = p && t.corner(p);
  for (let cell = 0; cell < 8; cell++) expect(psum).toContain(`${corner?.elements.text(corner.start(0) + cell)}+`);
  // Device 0 is given chunk 3 first, then 2, then 1.
  const gather = (phase: number) => texts("all_gather", "all_gather", phase, "ring").filter((s) => /hop|arr/.test(s));
  expect(gather(0.1)).toEqual(["hop 3", "hop 2", "arriving"]);
  expect(gather(0.4)).toEqual(["hop 3", "arriving"]);
  expect(gather(0.8)).toEqual(["arriving"]);
});

test("a sum on its way round the ring has the numbers of those that it came by", () => {
  // Chunk c of a ring of four starts at rank c + 1: after two hops it holds the parts of three ranks.
  const view = viewOf("reduce_scatter", "reduce_scatter", 0.8, { algorithm: "ring" });
  expect(view.round).toBe(2);
  const texts = textsOf(flightMarks(view));
  // x is 0 … 15 in rows of four: column c without row c.
  expect(texts).toEqual(
    ["25", "12", "19", "26"].map((_, source) => {
      const chunk = (source + 1) % 4;
      return String([0, 1, 2, 3].filter((r) => r !== chunk).reduce((sum, r) => sum + 4 * r + chunk, 0));
    }),
  );
});

test("where nothing arrives zeros stand, in no colour of another device's", () => {
  const view = viewOf("ppermute", "ppermute", 1);
  const fills = (p: number) =>
    tileMarks(view, p).flatMap((m) => (m.kind === "rect" && m.fill?.startsWith("#") ? [m.fill] : []));
  const input = view.show.before[0];
  if (!input) return expect.fail("there is no input");
  const own = (p: number) => hex(view.color(input, p));
  expect([0, 1, 2, 3].map((p) => [...new Set(fills(p))])).toEqual([
    [own(0)],
    [own(1), own(0)],
    [own(2)],
    [own(3), own(1)],
  ]);
  expect(textsOf(tileMarks(view, 0)).slice(-5)).toContain("0");
});

test("gathered chunks have the colours of the devices that they came from", () => {
  const view = viewOf("all_gather", "all_gather", 1);
  const input = view.show.before[0];
  if (!input) return expect.fail("there is no input");
  for (const p of [0, 1, 6]) {
    const marks = tileMarks(view, p);
    for (const from of view.groupOf(p) ?? []) {
      const fill = hex(view.color(input, from));
      expect(marks.some((m) => m.kind === "rect" && m.fill === fill)).toBe(true);
    }
  }
});

test("a stacked block has the chunk of every device where its index says", () => {
  const view = viewOf("stacked", "all_gather", 0, { algorithm: "ring" });
  const v = view.show.after[0];
  expect(v?.shape).toEqual([2, 4, 3]);
  const chunk = v && view.chunks(v);
  expect(Array.from({ length: 24 }, (_, cell) => chunk?.(cell))).toEqual(
    [0, 1].flatMap(() => [0, 1, 2, 3].flatMap((rank) => [rank, rank, rank])),
  );
});

test("a copy of several chunks carries the numbers of all", () => {
  const view = viewOf("all_gather", "all_gather", 0.7, { algorithm: "halving-doubling" });
  const [first] = flights(view);
  if (!first) return expect.fail("nothing is on its way");
  expect(first[1].chunks).toHaveLength(2);
  const v = view.show.after[0];
  const corner = v && view.trace.corner(v);
  const chunk = v && view.chunks(v);
  const cells = Array.from({ length: 16 }, (_, cell) => cell).filter((c) => first[1].chunks.includes(chunk?.(c) ?? -1));
  const expected = cells.map((cell) => corner?.elements.text(corner.start(first[0][first[1].source] ?? 0) + cell));
  expect(textsOf(flightMarks(view)).slice(0, cells.length)).toEqual(expected);
});

/** Where a part of a block stands in it: columns and rows, as fractions of its box. */
function share(part: Box | null | undefined, whole: Box | null): number[] {
  if (!part || !whole) throw new Error("there is no such block");
  const { x, y, w, h } = whole;
  return [(part.x - x) / w, (part.x + part.w - x) / w, (part.y - y) / h, (part.y + part.h - y) / h];
}

test("a transpose takes columns of a block and puts them in as rows, each in its place", () => {
  const view = viewOf("all_to_all", "all_to_all", 0);
  const group = [0, 1, 2, 3];
  for (const t of flightsOf(view, group)) {
    const [from, to] = ends(view, group, t);
    const { source, destination } = t;
    expect(share(from, view.box(source, 0))).toEqual(
      [destination / 4, (destination + 1) / 4, 0, 1].map((n) => expect.closeTo(n, 9)),
    );
    expect(share(to, view.box(destination, 1))).toEqual(
      [0, 1, source / 4, (source + 1) / 4].map((n) => expect.closeTo(n, 9)),
    );
  }
});

test("a broadcast leaves the source's own block, then the blocks that have received it", () => {
  const leaves = (phase: number) => {
    const view = viewOf("pbroadcast", "pbroadcast", phase, { algorithm: "ring" });
    const group = [0, 1, 2, 3, 4];
    return flightsOf(view, group).map((t) => {
      const [from] = ends(view, group, t);
      return [
        t.source,
        [0, 1].findIndex((slot) => view.box(t.source, slot)?.y === from?.y && view.box(t.source, slot)?.x === from?.x),
      ];
    });
  };
  expect(leaves(0.1)).toEqual([[2, 0]]);
  expect(leaves(0.3)).toEqual([[3, 1]]);
});

test("a long row of numbers is wrapped where that makes a rectangle; leading dimensions run down", () => {
  expect([[], [5], [16], [20], [24], [2, 3], [2, 3, 4], [0], [3, 0]].map(faceOf)).toEqual([
    { rows: 1, columns: 1 },
    { rows: 1, columns: 5 },
    { rows: 1, columns: 16 },
    { rows: 1, columns: 20 },
    { rows: 3, columns: 8 },
    { rows: 2, columns: 3 },
    { rows: 6, columns: 4 },
    { rows: 1, columns: 0 },
    { rows: 3, columns: 0 },
  ]);
});

test("a number that has no room is a dot or has fewer digits behind the point, never a part of itself", () => {
  const shown = (text: string, w: number) => {
    const marks = blockMarks({ x: 0, y: 0, w, h: 20 }, { rows: 1, columns: 1, text: () => text, fill: null });
    return textsOf(marks);
  };
  expect(shown("123456", 60)).toEqual(["123456"]);
  expect(shown("123456", 20)).toEqual(["·"]);
  expect(shown("123456+", 40)).toEqual(["123456"]);
  expect(shown("1.23456", 30)).toEqual(["1.23"]);
  expect(shown("1.5+2i", 20)).toEqual(["·"]);
  expect(shown("False", 20)).toEqual(["·"]);
  expect(shown("1", 11)).toEqual([]);
});

test("groups are outlined where they are rectangles of devices", () => {
  const outlines = (name: TraceName, primitive: string) =>
    groupMarks(viewOf(name, primitive, 0.5)).filter((m) => m.kind === "rect" && m.stroke).length;
  expect(outlines("psum", "psum_invariant")).toBe(4);
  expect(outlines("all_gather", "all_gather")).toBe(2);
  expect(outlines("ppermute", "ppermute")).toBe(1);
  expect(outlines("psum", "dot_general")).toBe(0);
  // Devices 0, 2 and 3 in one group, 1 in another: a box about the first would hold the second.
  const t = modelOf("oddities");
  const step = t.steps.findIndex((s) => t.variable(s.outputs[0] ?? -1)?.name === "halves");
  const marks = groupMarks(new StepView(t, layoutStepper(t, 860), { step, phase: 0.5 }, OPTIONS));
  expect(marks.filter((m) => m.kind === "rect" && m.stroke)).toHaveLength(1);
});

test.each(["64 devices", "256 devices"] as const)("%s: one group stands in full, and it alone moves", (name) => {
  const t = modelOf(name);
  const n = Math.sqrt(t.mesh.size);
  const view = viewOf(name, "psum_invariant", 0.3, { algorithm: "ring" });
  const seats = [...view.seats.keys()];
  expect(seats).toEqual(Array.from({ length: 8 }, (_, i) => i));
  expect(textsOf(groupMarks(view))).toEqual([
    n === 8
      ? "one of 8 groups, data=0; the others do the same"
      : "one of 16 groups, data=0, 8 of its 16 devices; the others do the same",
  ]);
  // A ring of eight passes on eight copies; of sixteen, seven are between those that are shown, half of them empty:
  // eight elements make sixteen chunks.
  expect(flightsOf(view, view.groupOf(0) ?? [])).toHaveLength(n === 8 ? 8 : 7);
  expect(copies(flightMarks(view))).toHaveLength(n === 8 ? 8 : 4);
  const other = viewOf(name, "psum_invariant", 0.3, { device: 3 * n + 2 });
  expect([...other.seats.keys()]).toEqual(Array.from({ length: 8 }, (_, i) => 3 * n + i));
  expect(other.layout).toEqual(view.layout);
  // A step that sends nothing keeps the group of the nearest that does.
  const local = viewOf(name, "dot_general", 1, { device: 3 * n + 2 });
  expect([...local.seats.keys()]).toEqual([...other.seats.keys()]);
  // Every device has its place in the picture of all.
  const small = Array.from({ length: t.mesh.size }, (_, p) => deviceBox(t.mesh, view.layout.grid, p));
  expect(new Set(small.map((b) => `${b.x} ${b.y}`)).size).toBe(t.mesh.size);
});

test("where copies would hide each other, those to one device are shown", () => {
  const to = (device: number | null) => {
    const view = viewOf("64 devices", "psum_invariant", 0.3, { device });
    return flightsOf(view, view.groupOf(view.focus[0] ?? 0) ?? []).map((t) => t.destination);
  };
  expect(to(null)).toEqual(Array(7).fill(0));
  expect(to(8 * 2 + 5)).toEqual(Array(7).fill(5));
});

test("a device that does not run a step says so and shows no block", () => {
  const view = viewOf("oddities", "is_finite", 1);
  expect(textsOf(tileMarks(view, 1))).toEqual(["1", "(1)", "does not run"]);
  expect(textsOf(tileMarks(view, 3))).toContain("True");
});

test("the value at fault is outlined where a program stops", () => {
  const view = viewOf("error", "error", 1);
  for (const p of [0, 1])
    expect(tileMarks(view, p).some((m) => m.kind === "rect" && m.stroke?.color === "error")).toBe(true);
  const fine = viewOf("error", "mul", 1);
  expect(tileMarks(fine, 0).some((m) => m.kind === "rect" && m.stroke?.color === "error")).toBe(false);
});

test("the worked element is outlined in the blocks that it is made from and in its own", () => {
  const outlined = (device: number | null) => {
    const view = viewOf("psum", "psum_invariant", 1, { device });
    return [...view.seats.keys()].map(
      (p) => tileMarks(view, p).filter((m) => m.kind === "rect" && m.stroke?.color === "tile-ink").length,
    );
  };
  expect(outlined(null)).toEqual([0, 0, 0, 0, 2, 1, 0, 0]);
  expect(outlined(3)).toEqual([0, 0, 1, 2, 0, 0, 0, 0]);
});

test("blocks stand over one another where side by side they would have no room", () => {
  const places = (width: number) => {
    const view = viewOf("psum", "psum_invariant", 1, {}, width);
    const [before, after] = [view.box(0, 0), view.box(0, 1)];
    return before && after && { beside: after.x >= before.x + before.w, below: after.y >= before.y + before.h };
  };
  expect(places(860)).toEqual({ beside: true, below: false });
  expect(places(420)).toEqual({ beside: false, below: true });
});

test("a picture of a step says what happens, and at the end why it stops, within its width", () => {
  for (const name of TRACES) {
    const t = modelOf(name);
    for (const width of [320, 480, 960]) {
      for (const step of t.steps.keys()) {
        const scene = stepScene(t, { step, phase: 1 }, { width, scheme: "light" });
        for (const mark of scene.marks.filter((m) => m.kind === "text")) {
          const { x, w } = extent(mark);
          expect(x + w, mark.kind === "text" ? mark.spans.map((s) => s.text).join("") : "").toBeLessThanOrEqual(
            width + 1,
          );
        }
      }
    }
  }
  const t = modelOf("error");
  const texts = textsOf(stepScene(t, { step: stepOf(t, "error"), phase: 1 }, { width: 960, scheme: "dark" }).marks);
  expect(texts.join(" ")).toContain("ValueError: shard_map applied to the function 'f'");
  expect(texts).toContain("out_specs=P('i')");
});

test("watched variables stand beside a step's own", () => {
  const t = modelOf("psum");
  const step = stepOf(t, "psum_invariant");
  const texts = textsOf(stepScene(t, { step, phase: 1 }, { width: 960, scheme: "light", watch: ["a", "s"] }).marks);
  expect(texts.filter((s) => s === "a")).toHaveLength(8);
  expect(texts.filter((s) => s === "s")).toHaveLength(8);
});

test("the middle of every element of every block is that element; it is lit on all devices that hold the same", () => {
  const view = viewOf("psum", "psum_invariant", 1);
  for (const p of view.seats.keys()) {
    for (const [slot] of view.slots.entries()) {
      const box = view.box(p, slot) as Box;
      for (let cell = 0; cell < 8; cell++) {
        const at = [
          box.x + ((cell % 4) + 0.5) * (box.w / 4),
          box.y + (Math.floor(cell / 4) + 0.5) * (box.h / 2),
        ] as const;
        expect(hitAt(view, ...at)).toEqual({ device: p, slot, cell });
      }
    }
  }
  expect(hitAt(view, -20, -20)).toBeNull();
  // p varies over both axes, s over x alone; the last outline is the element's.
  const lit = (slot: number, of = view) => litMarks(of, { device: 4, slot, cell: 1 }).slice(0, -1);
  const around = (slot: number, devices: readonly number[]) =>
    devices.map((p) =>
      expect.objectContaining({ x: (view.box(p, slot)?.x ?? 0) - 2, y: (view.box(p, slot)?.y ?? 0) - 2 }),
    );
  expect(lit(0)).toEqual(around(0, [4]));
  expect(lit(1)).toEqual(around(1, [4, 5]));
  // While the sum is under way nobody else holds it.
  expect(lit(1, viewOf("psum", "psum_invariant", 0.4))).toEqual(around(1, [4]));
  expect(litMarks(view, { device: 4, slot: null, cell: null })).toEqual([]);
});

test("where copies would hide each other those to one device are drawn, and the picture says so", () => {
  const said = (view: StepView) => textsOf(stepperMarks(view.trace, view.layout, view.moment, view.options)).join("\n");
  const of = (phase: number, device: number | null = null) => viewOf("64 devices", "psum_invariant", phase, { device });
  expect(flightsOf(of(0.4), of(0.4).focus)).toHaveLength(7);
  expect(said(of(0.4))).toContain("one of 8 groups, data=0; the others do the same; copies to device 0 shown");
  expect(said(of(0.4, 10))).toContain("copies to device 10 shown");
  expect(crowdText(of(1))).toBe("");
  expect(crowdText(viewOf("psum", "psum_invariant", 0.4))).toBe("");
  expect(said(viewOf("all_to_all", "all_to_all", 0.4))).not.toContain("copies to");
});

test("a copy on its way goes round the tiles of others", () => {
  for (const [name, primitive] of COLLECTIVES) {
    for (const width of [480, 860, 1200]) {
      for (const at of [0.35, 0.5, 0.65]) {
        const view = viewOf(name, primitive, 0.9 * at, {}, width);
        const drawn = copies(flightMarks(view));
        for (const [i, [group, t]] of flights(view).entries()) {
          const [x, y] = center(drawn[i] as RectMark);
          for (const p of view.seats.keys()) {
            if (p === group[t.source] || p === group[t.destination]) continue;
            const b = view.seats.get(p) as Box;
            if (x > b.x && x < b.x + b.w && y > b.y && y < b.y + b.h)
              expect.fail(`${name}, ${width} px: copy ${i} is over device ${p}`);
          }
        }
      }
    }
  }
});

test("a picture is no higher than what it shows needs", () => {
  const height = (name: TraceName, width: number) => layoutStepper(modelOf(name), width).height;
  // A line of devices takes as few rows as have room.
  const rows = (width: number) => layoutStepper(modelOf("ppermute"), width).grid.rows;
  expect([rows(1000), rows(430)]).toEqual([1, 2]);
  for (const name of TRACES) expect(height(name, 760)).toBeLessThanOrEqual(1000);
  // Small blocks grow into a tile that another step needs high, but not without end.
  const view = viewOf("psum", "psum_invariant", 1);
  const all = [...view.slots].map(({ h }) => h);
  expect(Math.min(...all)).toBeGreaterThanOrEqual(40);
  expect(Math.max(...all)).toBeLessThanOrEqual(2 * 28);
  const cut = viewOf("all_gather", "in_specs", 1);
  const wider = cut.slots.map(({ v, w }) => w / (cut.layout.natural.widths.get(v.id) ?? 1));
  expect(wider).toEqual([expect.closeTo(1.4, 6)]);
});

test("where numbers have no room, values are shades", () => {
  const look = { rows: 2, columns: 2, text: String, fill: [200, 200, 200] as const, shade: (cell: number) => cell / 3 };
  const shades = (h: number, more = {}) =>
    blockMarks({ x: 0, y: 0, w: 60, h }, { ...look, ...more })
      .filter((m): m is RectMark => m.kind === "rect" && m.fill === "tile-ink")
      .map((m) => m.alpha);
  expect(shades(60)).toEqual([]);
  expect(shades(20)).toEqual([0.08, 0.16, 0.24].map((n) => expect.closeTo(n, 6)));
  // Stripes say more there than a shade would.
  expect(shades(20, { hatch: "plain" })).toEqual([]);
});

test("a partial sum on a dark ground has light numbers on dark stripes", () => {
  const inks = (scheme: "light" | "dark") => {
    const view = viewOf("psum", "psum_invariant", 0, { scheme });
    const numbers = tileMarks(view, 0).filter(
      (m): m is TextMark => m.kind === "text" && /^\d\+?$/.test(m.spans[0]?.text ?? ""),
    );
    return new Set(numbers.filter((m) => m.anchor === "middle").map((m) => m.color));
  };
  expect([inks("light"), inks("dark")]).toEqual([new Set(["tile-ink"]), new Set(["ink"])]);
  const dim = viewOf("psum", "psum_invariant", 0, { scheme: "dark" });
  expect(tileMarks(dim, 0).filter((m) => m.kind === "rect" && m.hatch && m.alpha === 0.45)).toHaveLength(2);
});
