/** Who sends what to whom: as many bytes as Python says must move, over the axes and between the devices that it says. */
import { describe, expect, test } from "vitest";
import { hasMoves, movedBytes, movesOf } from "../../src/reshard/model/moves";
import { plan, RESHARDS } from "./reshards";

const SMALL = RESHARDS.filter((name) => hasMoves(plan(name)));

describe.each(SMALL)("%s", (name) => {
  const model = plan(name);
  const all = model.doc.arrays.map((_, i) => movesOf(model, i));

  test("what moves is what must move at least, over the plan's axes", () => {
    all.forEach((moves, i) => {
      const array = model.doc.arrays[i];
      expect(movedBytes([moves]).reduce((sum, [, n]) => sum + n, 0)).toBe(array?.least_bytes);
      const over = new Set(movedBytes([moves]).flatMap(([axes]) => axes.map((a) => model.axes[a]?.name)));
      for (const axis of over) expect(array?.axes).toContain(axis);
    });
  });

  test("every device that keeps an array has all of its block", () => {
    for (const { after, keeps, pieces, array } of all)
      keeps.forEach((kept, p) => {
        const got = pieces.filter((piece) => piece.target === p).reduce((sum, { bytes }) => sum + bytes, 0);
        expect(got).toBe(kept ? array.target_bytes : 0);
        expect(after.size).toBe(keeps.length);
      });
  });

  test("a device_put has the flows that Python found", () => {
    if (model.doc.direction !== "device_put") return;
    const flows = new Map<string, number>();
    for (const { source, target, bytes, stays } of all[0]?.pieces ?? [])
      if (!stays) flows.set(`${source} ${target}`, (flows.get(`${source} ${target}`) ?? 0) + bytes);
    const said = model.doc.flows.map((f) => [`${f.source} ${f.target}`, f.bytes] as const);
    expect([...flows].sort()).toEqual([...said].sort());
  });
});

test("plans of some fixtures are small enough", () => expect(SMALL.length).toBeGreaterThan(3));
