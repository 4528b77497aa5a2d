/** Random pictures: a placement, a width, what is chosen and what is looked at. */
import * as fc from "fast-check";
import { type Highlight, highlightDevice, highlightTile } from "../../src/array/model/selection";
import { type Choice, roles, WHOLE } from "../../src/array/scene/faces";
import { bodyMarks, type Layout, layoutBody } from "../../src/array/scene/layout";
import { lensMarks } from "../../src/array/scene/lens";
import { overlayMarks } from "../../src/array/scene/overlay";
import { type Paints, paintsOf } from "../../src/array/scene/paints";
import type { Placement } from "../../src/core/document.gen";
import { product } from "../../src/core/mesh";
import { PlacementModel } from "../../src/core/placement";
import { BlockView } from "../../src/core/values";
import type { Box, Mark } from "../../src/draw/marks";
import { textWidth } from "../../src/draw/measure";
import { placements } from "../arbitrary";
import { block } from "../documents";

export interface Case {
  document: Placement;
  width: number;
  choice: Choice;
  docked: boolean;
  lit: Highlight | null;
}

const dim = fc.option(fc.nat({ max: 5 }));
const windowCount = fc.constantFrom(1, 4, 16);

export const cases: fc.Arbitrary<Case> = fc
  .record({
    document: placements(4096),
    alone: fc.nat({ max: 15 }),
    state: fc.constantFrom("live" as const, "live" as const, "deleted" as const, "abstract" as const),
    hosts: fc.constantFrom(1, 2, 4),
    width: fc.integer({ min: 240, max: 1400 }),
    row: dim,
    column: dim,
    window: fc.option(fc.tuple(fc.nat(), windowCount, fc.nat(), windowCount)),
    docked: fc.boolean(),
    at: fc.nat(),
  })
  .map(({ document: made, alone, state, hosts, width, row, column, window, docked, at }) => {
    const bare = alone === 0 ? { shape: null, dims: [], unreduced: [], reduced: [] } : {};
    const several = new PlacementModel(made).size % hosts === 0;
    const count = new PlacementModel(made).size / hosts;
    const process = several ? { ...made.mesh.process, shape: [hosts, count], strides: [1, 0] } : made.mesh.process;
    const ring = made.mesh.axes.length === 1 && window === null;
    const document: Placement = { ...made, ...bare, state, mesh: { ...made.mesh, process, ring } };
    const model = new PlacementModel(document);
    const has = (d: number | null) => (d !== null && d < model.rank ? d : null);
    const dims = { rowDim: has(row), columnDim: has(column) };
    const chosen = roles(model, { ...WHOLE, ...dims });
    const stretch = (d: number | null, first: number, most: number): [number, number] => {
      const n = d === null ? 1 : (model.grid[d] ?? 1);
      return [first % (n - Math.min(n, most) + 1), Math.min(n, most)];
    };
    const [r, nr, c, nc] = window ?? [0, 1, 0, 1];
    const lit = [
      null,
      highlightDevice(model, at % model.size),
      model.doc.shape === null ? null : highlightTile(model, at % model.tiles),
      { tile: null, positions: [], axis: at % model.axes.length },
    ];
    return {
      document,
      width,
      choice: { ...WHOLE, ...dims, window: window && [stretch(chosen.row, r, nr), stretch(chosen.column, c, nc)] },
      docked,
      lit: lit[at % lit.length] ?? null,
    };
  });

export function each(check: (model: PlacementModel, layout: Layout, c: Case) => void, numRuns = 150): void {
  fc.assert(
    fc.property(cases, (c) => {
      const model = new PlacementModel(c.document);
      check(model, layoutBody(model, c.choice, c.width, c.docked), c);
    }),
    { numRuns },
  );
}

/** The picture in all three colourings, with the values of the first device read. */
export function marksOf(model: PlacementModel, layout: Layout, lit: Highlight | null): Mark[] {
  return (["position", "values", "device"] as const).flatMap((colorBy) => {
    const paints = paintsWith(model, colorBy);
    const { mesh, lens } = layout;
    const near = lens ? lensMarks(model, mesh, lens, paints, lit?.positions[0] ?? null) : [];
    return [...bodyMarks(model, layout, paints), ...overlayMarks(model, layout, paints, lit), ...near];
  });
}

export function paintsWith(model: PlacementModel, colorBy: Paints["colorBy"]): Paints {
  const shape = model.doc.shape === null ? [] : model.tileShape(model.tileAt[0] ?? 0);
  const numbers = Array.from({ length: Math.min(product(shape), 4096) }, (_, i) => i - 3);
  const id = model.ids[0] ?? 0;
  const small = numbers.length === product(shape);
  const blocks = small ? [[id, new BlockView(block(id, shape, numbers))] as const] : [];
  return paintsOf(model, "light", colorBy, new Map(blocks));
}

/** The box about a mark, without its stroke. */
export function extent(mark: Mark): Box {
  switch (mark.kind) {
    case "line": {
      const [xs, ys] = [mark.points.map((p) => p[0]), mark.points.map((p) => p[1])];
      const [x, y] = [Math.min(...xs), Math.min(...ys)];
      return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
    }
    case "disc":
      return { x: mark.x - mark.r, y: mark.y - mark.r, w: 2 * mark.r, h: 2 * mark.r };
    case "text": {
      const length = textWidth(mark.spans.map((s) => s.text).join(""), mark.size, mark.mono);
      const before = mark.anchor === "middle" ? length / 2 : mark.anchor === "end" ? length : 0;
      return mark.turned
        ? { x: mark.x - mark.size, y: mark.y - length + before, w: mark.size, h: length }
        : { x: mark.x - before, y: mark.y - mark.size, w: length, h: mark.size };
    }
    default:
      return mark;
  }
}
