/** What holds for cards of every width, and on paper. */
import { expect, test } from "vitest";
import { array, mesh } from "./documents";
import { mount as mountExercise } from "./exercise/harness";
import { ALL, sheet } from "./exercise/sheets";
import type { Mounted } from "./harness";
import { playground } from "./playground/documents";
import { mount as mountPlayground } from "./playground/harness";
import { mount as mountProgram } from "./program/harness";
import { program } from "./program/programs";
import { mountCompared, mount as mountModel } from "./tree/harness";
import { comparisonWire as comparison, wire as model } from "./tree/models";
import { mount as mountArray } from "./widget/harness";

const CARDS: Readonly<Record<string, (width: number) => Promise<Mounted>>> = {
  sharded: (width) => mountArray(array(mesh({ x: 4, y: 2 }), [8, 16], ["x", "y"]), {}, { width }),
  long: (width) =>
    mountArray(array(mesh({ tensor_parallel: 4, data: 2 }), [8, 16], ["tensor_parallel", "data"]), {}, { width }),
  "64 devices": (width) => mountArray(array(mesh({ x: 8, y: 8 }), [1024, 1024], ["x", "y"]), {}, { width }),
  pod: (width) => mountArray(array(mesh({ x: 16, y: 16, z: 16 }), [65536, 65536], [["x", "y"], "z"]), {}, { width }),
  "4096 devices": (width) => mountArray(array(mesh({ x: 64, y: 64 }), [65536, 65536], ["x", "y"]), {}, { width }),
  playground: (width) => mountPlayground(playground(), {}, { width }),
  exercise: (width) => mountExercise(sheet(...ALL), {}, { width }),
  model: (width) => mountModel(model("state"), {}, { width }),
  "trees side by side": (width) => mountCompared(comparison("three"), {}, { width }),
  program: (width) => mountProgram(program("training"), {}, { width }),
};

const height = ({ frame }: Mounted) => frame.getBoundingClientRect().height;

async function resized(view: Mounted, width: number): Promise<number> {
  const el = view.frame.parentElement as HTMLElement;
  el.style.width = `${width}px`;
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  return height(view);
}

test.each(Object.entries(CARDS))("%s is at most 640 px high from 900 px of width on", async (_, mount) => {
  const view = await mount(900);
  for (let width = 900; width <= 1648; width += 136) expect(await resized(view, width)).toBeLessThanOrEqual(640);
});

test.each(Object.entries(CARDS).filter(([name]) => name !== "program"))(
  "%s is never higher in a wider cell",
  async (_, mount) => {
    const view = await mount(288);
    let before = height(view);
    for (let width = 288; width <= 1648; width += 80) {
      const now = await resized(view, width);
      expect(now, `${width} px`).toBeLessThanOrEqual(before + 1);
      before = now;
    }
  },
);

test("on paper a card is as wide as the sheet, in light colours, and afterwards as it was", async () => {
  const dark = array(mesh({ x: 4, y: 2 }), [8, 16], ["x", "y"]);
  const view = await mountArray(dark, {}, { width: 1200, background: "#16191d" });
  const canvas = () => view.root.querySelector<HTMLElement>("canvas");
  const wide = canvas()?.style.width;
  expect(view.root.querySelector(".card")?.className).toContain("dark");
  dispatchEvent(new Event("beforeprint"));
  await Promise.resolve();
  expect(view.root.querySelector(".card")?.className).toContain("light");
  expect(Number.parseInt(canvas()?.style.width ?? "", 10)).toBeLessThan(682);
  dispatchEvent(new Event("afterprint"));
  await Promise.resolve();
  expect(view.root.querySelector(".card")?.className).toContain("dark");
  expect(canvas()?.style.width).toBe(wide);
});
