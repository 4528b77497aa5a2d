/** Where tooltips stand, over random targets, sizes and cells. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { overlap, placeBeside } from "../../src/draw/beside";
import type { Box } from "../../src/draw/marks";

const ROOM = { x: 4, y: -60, w: 880, h: 560 };
const boxes = (most: number): fc.Arbitrary<Box> =>
  fc.record({
    x: fc.integer({ min: 10, max: 800 }),
    y: fc.integer({ min: -40, max: 420 }),
    w: fc.integer({ min: 1, max: most }),
    h: fc.integer({ min: 1, max: most }),
  });
const cases = fc.record({
  target: boxes(120),
  w: fc.integer({ min: 60, max: 360 }),
  h: fc.integer({ min: 20, max: 120 }),
  keep: fc.array(boxes(200), { maxLength: 12 }),
});
const within = (b: Box) =>
  b.x >= ROOM.x && b.y >= ROOM.y && b.x + b.w <= ROOM.x + ROOM.w && b.y + b.h <= ROOM.y + ROOM.h;
const clamp = (at: number, low: number, high: number) => Math.max(low, Math.min(high, at));

/** The four places beside a target, written once more. */
function beside({ target: t, w, h }: { target: Box; w: number; h: number }): Box[] {
  const x = clamp(t.x + t.w / 2 - w / 2, ROOM.x, ROOM.x + ROOM.w - w);
  const y = clamp(t.y + t.h / 2 - h / 2, ROOM.y, ROOM.y + ROOM.h - h);
  return [
    { x: t.x + t.w + 10, y, w, h },
    { x: t.x - 10 - w, y, w, h },
    { x, y: t.y - 10 - h, w, h },
    { x, y: t.y + t.h + 10, w, h },
  ].filter(within);
}

test("a tooltip stays in its room", () => {
  fc.assert(
    fc.property(cases, ({ target, w, h, keep }) => within({ ...placeBeside(target, { w, h }, ROOM, keep), w, h })),
  );
});

test("it takes the first place beside its target that covers nothing, and else none that covers more than another", () => {
  fc.assert(
    fc.property(cases, ({ target, w, h, keep }) => {
      const covered = (b: Box) => [target, ...keep].reduce((sum, k) => sum + overlap(b, k), 0);
      const at = { ...placeBeside(target, { w, h }, ROOM, keep), w, h };
      const places = beside({ target, w, h });
      const free = places.find((b) => covered(b) === 0);
      if (free) expect(at).toEqual(free);
      else for (const b of places) expect(covered(at)).toBeLessThanOrEqual(covered(b));
    }),
    { numRuns: 300 },
  );
});

test("with no room at all it stands where its target ends, inside", () => {
  const room = { x: 0, y: 0, w: 100, h: 100 };
  expect(placeBeside({ x: 0, y: 0, w: 100, h: 60 }, { w: 90, h: 80 }, room, [])).toEqual({ x: 5, y: 20 });
});
