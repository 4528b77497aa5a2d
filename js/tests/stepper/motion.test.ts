/**
 * Copies in flight, over random programs, meshes, algorithms, widths and moments: none covers text, leaves the stage or
 * hides another, and every picture is a function of its moment.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ALGORITHMS } from "../../src/collective/model/algorithm";
import type { Plan, Step } from "../../src/core/document.gen";
import type { Box, Mark } from "../../src/draw/marks";
import { textWidth } from "../../src/draw/measure";
import type { TraceModel } from "../../src/stepper/model/trace";
import { isSlim } from "../../src/stepper/scene/stage";
import { frameMarks, frameOf, StepperLayout } from "../../src/stepper/scene/stepper";
import { type StepView, stepView } from "../../src/stepper/scene/view";
import { type Program, programOf } from "./programs";
import { RULES } from "./rules";

const KINDS = [
  "psum",
  "pmax",
  "pmin",
  "reduce_scatter",
  "all_gather",
  "all_to_all",
  "ppermute",
  "pbroadcast",
  "ragged_all_to_all",
] as const;
const NAMES = ["x", "y", "tensor", "expert_parallel"];
const LONG = ["data_parallel", "tensor_parallel", "pipe", "expert"];

interface Case {
  trace: TraceModel;
  program: Program;
  width: number;
  algorithm: Plan["algorithm"];
  phase: number;
  device: number | null;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    sizes: fc
      .array(fc.constantFrom(2, 2, 3, 4, 4, 8, 16), { minLength: 1, maxLength: 4 })
      .filter((all) => all.reduce((a, b) => a * b, 1) <= 64),
    over: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 2 }),
    kind: fc.constantFrom(...KINDS),
    rows: fc.constantFrom(1, 1, 2, 4),
    columns: fc.constantFrom(1, 2, 4),
    perm: fc.array(fc.nat(), { minLength: 16, maxLength: 16 }),
    shift: fc.boolean(),
    hole: fc.boolean(),
    values: fc.constantFrom("small", "large", "real"),
    width: fc.integer({ min: 448, max: 1368 }),
    algorithm: fc.constantFrom(...ALGORITHMS),
    phase: fc.double({ min: 0, max: 1, noNaN: true }),
    device: fc.option(fc.nat()),
  })
  .map(({ sizes, over, kind, rows, columns, perm, shift, hole, values, width, algorithm, phase, device }) => {
    const names = NAMES.slice(0, sizes.length);
    const axes = Object.fromEntries(names.map((name, i) => [name, sizes[i] ?? 1]));
    const chosen = [...new Set(over.map((i) => i % names.length))].sort().map((i) => names[i] as string);
    const n = chosen.reduce((p, name) => p * (axes[name] ?? 1), 1);
    const cut = kind === "reduce_scatter" || kind === "all_to_all";
    const order = Array.from({ length: n }, (_, r) => r).sort(
      (a, b) => (perm[a % 16] ?? 0) - (perm[b % 16] ?? 0) || a - b,
    );
    const all = order.map((to, from) => (shift ? ([from, (from + 1) % n] as const) : ([from, to] as const)));
    const pairs = all.filter(([a, b], i) => a !== b && !(hole && i === n - 1));
    const value = {
      small: undefined,
      large: (p: number, i: number) => -5.99e8 - 7.1e6 * p + 1e6 * i,
      real: (p: number, i: number) => (p + 0.25 * i) / 7,
    }[values];
    const program: Program = {
      axes,
      kind,
      over: chosen,
      shape: cut ? [rows, columns * n] : [rows, 2 * columns],
      pairs,
      dtype: values === "small" ? "int32" : "float32",
      ...(value ? { value } : {}),
    };
    const trace = programOf(program);
    return { trace, program, width, algorithm, phase, device: device === null ? null : device % trace.mesh.size };
  });

const view = ({ trace, width, algorithm, device }: Case, phase: number) =>
  stepView(
    new StepperLayout(trace, width),
    { step: 2, phase },
    { scheme: "light", algorithm, device, rules: RULES, still: false },
  );

const meets = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
const inner = ({ x, y, w, h }: Box): Box => ({ x: x + 0.5, y: y + 0.5, w: w - 1, h: h - 1 });
const clip = (a: Box, b: Box): Box => {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  return { x, y, w: Math.min(a.x + a.w, b.x + b.w) - x, h: Math.min(a.y + a.h, b.y + b.h) - y };
};
const within = (a: Box, b: Box) => a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;

/** Where a text's letters are. */
function textBox(m: Mark): Box | null {
  if (m.kind !== "text") return null;
  const width = textWidth(m.spans.map((s) => s.text).join(""), m.size, m.mono);
  // Turned about the middle of its baseline.
  if (m.turned) return { x: m.x - 0.73 * m.size, y: m.y - width / 2, w: 0.73 * m.size, h: width };
  const x = m.anchor === "middle" ? m.x - width / 2 : m.anchor === "end" ? m.x - width : m.x;
  return { x, y: m.y - 0.73 * m.size, w: width, h: 0.73 * m.size };
}

/** Fails where a copy covers text, leaves the stage or hides another copy. */
function checkFrame(v: StepView, where = ""): void {
  const { under, flights, over } = frameOf(v);
  const stage: Box = { x: 0, y: 0, w: v.layout.width, h: v.layout.height };
  // Without room between tiles a copy goes over the places that it leaves and fills.
  const slim = isSlim(v.stage);
  const words = slim ? [] : under.flatMap((m) => textBox(m) ?? []);
  // What is drawn over a copy hides it: tiles are opaque.
  const isLid = (m: Mark): m is Mark & Box => Boolean(m.kind === "rect" && m.fill && !m.alpha && !m.hatch);
  const lids = over.filter(isLid);
  const wordsOver = over.flatMap((mark, at) => {
    const box = textBox(mark);
    return box ? [{ mark, at, box }] : [];
  });
  for (const [i, a] of flights.entries()) {
    const seen = lids.find((lid) => within(a.box, lid)) ? null : a.box;
    if (!seen) continue;
    if (!within(seen, stage)) expect.fail(`${where}: a copy leaves the stage: ${JSON.stringify(seen)}`);
    for (const word of words) {
      const both = meets(seen, word) ? clip(seen, word) : null;
      if (both && both.w > 0.5 && both.h > 0.5 && !lids.some((lid) => within(both, lid)))
        expect.fail(
          `a copy covers text: ${JSON.stringify(seen)} ${JSON.stringify(under.find((m) => m.kind === "text" && textBox(m)?.x === word.x && textBox(m)?.y === word.y))}`,
        );
    }
    // Text over a copy stands on a tile, or it would be crossed.
    for (const { mark, at, box } of wordsOver) {
      if (!meets(seen, box)) continue;
      const both = clip(seen, box);
      const before = over.slice(0, at).some((lid) => isLid(lid) && within(both, lid));
      if (both.w > 0.5 && both.h > 0.5 && !before)
        expect.fail(`${where}: text stands on a copy: ${JSON.stringify(mark)}`);
    }
    for (const b of flights.slice(i + 1)) {
      const both = meets(seen, b.box) && !(slim && a.source === b.source) ? clip(seen, b.box) : null;
      if (both && !lids.some((lid) => within(both, lid)))
        expect.fail(`${where}: copies meet: ${JSON.stringify([a, b].map((f) => [f.source, f.destination, f.box]))}`);
    }
  }
}

/** Fails where words are cut by the edge, stand on other words, or are crossed by a rail. */
function checkWords(v: StepView, where: string): void {
  const { under, over } = frameOf(v);
  const stage: Box = { x: -1, y: 0, w: v.layout.width + 2, h: v.layout.height };
  const words = (marks: readonly Mark[]) =>
    marks.flatMap((m) => {
      const box = textBox(m);
      return m.kind === "text" && box ? [{ text: m.spans.map((s) => s.text).join(""), box }] : [];
    });
  for (const { text, box } of words([...under, ...over]))
    if (!within(box, stage)) expect.fail(`${where}: a word is cut: ${text} ${JSON.stringify(box)}`);
  const fixed = words([...v.stage.rails, ...v.stage.fixed]);
  // A copy carries its words over others, which the test of copies is about.
  const all = words([...under, ...over]).sort((a, b) => a.box.y - b.box.y);
  all.forEach((a, i) => {
    for (let k = i + 1; k < all.length && (all[k]?.box.y ?? 0) < a.box.y + a.box.h; k++) {
      const b = all[k];
      // Words of one line touch.
      if (b && meets(inner(a.box), b.box))
        expect.fail(`${where}: words meet: ${a.text}, ${b.text} ${JSON.stringify([a.box, b.box])}`);
    }
  });
  for (const m of [...v.stage.rails, ...v.stage.fixed]) {
    if (m.kind !== "line") continue;
    const [xs, ys] = [m.points.map((at) => at[0]), m.points.map((at) => at[1])];
    const rail = { x: Math.min(...xs) - 1, y: Math.min(...ys) - 1, w: 2, h: 2 };
    const box = { ...rail, w: Math.max(...xs) - rail.x + 1, h: Math.max(...ys) - rail.y + 1 };
    const crossed = fixed.find((word) => meets(word.box, box));
    if (crossed) expect.fail(`${where}: a rail crosses a word: ${crossed.text}`);
  }
}

/** Meshes of one to four axes with a group of a size along the first of them, by that size. */
const MESHES = (n: number): readonly (readonly number[])[] =>
  [[n], [n, 2], [n, 2, 2], [n, 2, 2, 2]].filter((sizes) => sizes.reduce((a, b) => a * b, 1) <= 128);
const WIDTHS = [448, 658, 902, 1368];
const PHASES = [0.08, 0.21, 0.34, 0.55, 0.83];

// The least of a group is drawn as the greatest is.
test.each(KINDS.filter((kind) => kind !== "pmin"))(
  "%s by every algorithm, in groups of 2 to 16, on meshes of one to four axes, keeps its copies apart",
  (kind) => {
    let turn = 0;
    for (const n of [2, 4, 8, 16]) {
      for (const sizes of MESHES(n)) {
        // Names of every length; groups over one, two and three axes, the first ones or the last ones.
        const names = (turn % 2 === 0 ? NAMES : LONG).slice(0, sizes.length);
        const last = turn % 4 > 1;
        const axes = Object.fromEntries(
          (last ? [...sizes].reverse() : sizes).map((size, i) => [names[i] as string, size]),
        );
        const some = Math.min(sizes.length, 1 + (turn % 3));
        const over = last ? names.slice(-some) : names.slice(0, some);
        turn++;
        const members = over.reduce((m, name) => m * (axes[name] ?? 1), 1);
        const cut = kind === "reduce_scatter" || kind === "all_to_all";
        const shape = cut ? [1, members] : kind === "ragged_all_to_all" ? [members] : [1, 4];
        const pairs = Array.from({ length: members }, (_, r) => [r, (r + 1) % members] as const);
        const trace = programOf({ axes, kind, over, shape, pairs });
        const layouts = new Map(WIDTHS.map((width) => [width, new StepperLayout(trace, width)]));
        for (const { algorithm } of trace.plans(trace.steps[2] as Step)) {
          // The greatest of a group is drawn as its sum is: of that, one width is enough.
          for (const width of kind === "pmax" ? WIDTHS.slice(turn % 4, (turn % 4) + 1) : WIDTHS) {
            // All moments come to every kind and algorithm at every width, not to each of their meshes.
            const phase = PHASES[turn++ % PHASES.length] as number;
            const options = { scheme: "light", algorithm, device: null, rules: RULES, still: false } as const;
            const view = stepView(layouts.get(width) as StepperLayout, { step: 2, phase }, options);
            const where = `${algorithm} over ${over} of ${JSON.stringify(axes)}, ${width} px, at ${phase}`;
            checkFrame(view, where);
            checkWords(view, where);
          }
        }
      }
    }
  },
);

test("no copy covers text, leaves the stage or hides another", () =>
  fc.assert(
    fc.property(cases, (c) => {
      checkFrame(view(c, c.phase));
    }),
    { numRuns: 250 },
  ));

test("all numbers of all marks are finite, and a picture is a function of its moment", () =>
  fc.assert(
    fc.property(cases, (wide) => {
      // In the narrowest cards, too.
      const c = { ...wide, width: wide.width - 184 };
      const marks = frameMarks(frameOf(view(c, c.phase)));
      for (const mark of marks) {
        for (const [key, value] of Object.entries(mark)) {
          const numbers = key === "points" ? (value as number[][]).flat() : typeof value === "number" ? [value] : [];
          if (!numbers.every(Number.isFinite)) expect.fail(`${key} of ${JSON.stringify(mark)}`);
          if (["w", "h", "r"].includes(key) && value < 0) expect.fail(`${key} of ${JSON.stringify(mark)}`);
        }
        if (mark.kind === "text")
          for (const { text } of mark.spans) expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
      }
      expect(frameMarks(frameOf(view(c, c.phase)))).toEqual(marks);
    }),
    { numRuns: 80 },
  ));
