import { expect, test } from "vitest";
import { button, enter, expectAccessible, find, GROUNDS, press, settle } from "../harness";
import { mountCompared as mount } from "./harness";
import { COMPARISONS, comparisonWire as wire } from "./models";

type View = Awaited<ReturnType<typeof mount>>;
const paths = (view: View) => [...view.root.querySelectorAll(".row .path .mono")].map((el) => el.textContent);
const at = (view: View) => find(view, ".row.current .path .mono").textContent;

for (const [scheme, background] of GROUNDS) {
  for (const width of [1134, 480]) {
    test.each(COMPARISONS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      await expectAccessible(await mount(wire(name), { differs: name === "unchanged" }, { background, width }));
    });
  }
}

test.each([900, 1134, 1366])("trees side by side are at most 640 px high, %s px wide", async (width) => {
  for (const name of COMPARISONS) {
    const view = await mount(wire(name), {}, { width });
    expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
  }
});

test.each([480, 700, 1134])("nothing stands beyond the card or on another cell, %s px wide", async (width) => {
  const view = await mount(wire("three"), {}, { width });
  expect(find(view, ".grid").scrollWidth).toBeLessThanOrEqual(find(view, ".grid").clientWidth);
  const cells = [...find(view, ".row").children].map((el) => el.getBoundingClientRect());
  cells.forEach((a, i) => {
    for (const b of cells.slice(i + 1)) {
      const apart = a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5;
      expect(apart).toBe(true);
    }
  });
});

test("what differs is listed alone by a button, by a key and by Python", async () => {
  const view = await mount(wire("changed"));
  const all = paths(view).length;
  button(view, "only what differs").click();
  await settle();
  expect(paths(view)).toEqual(["embed", "layers/1/down", "layers/1/o", "layers/1/qkv", "layers/1/up"]);
  expect(view.model.sentFor("differs")).toEqual([true]);
  expect(find(view, "[role=status]").textContent).toBe("5 of 20 paths");
  await press(find(view, ".grid"), "d");
  expect(paths(view)).toHaveLength(all);
  view.model.assign({ differs: true, sort: "difference" });
  await settle();
  expect(paths(view)).toHaveLength(5);
  expect(paths(view).at(-1)).toBe("embed");
});

test("the keyboard moves, and the whole of its line stands below", async () => {
  const view = await mount(wire("three"));
  const grid = find(view, ".grid");
  await press(grid, "End");
  expect(at(view)).toBe("count");
  expect(find(view, ".whole").textContent).toContain("parametersnone");
  await press(grid, "Home");
  expect(grid.getAttribute("aria-activedescendant")).toBe(find(view, ".row.current").id);
  expect(find(view, ".whole").textContent).toContain("mu/ P('model', 'data')nu/ P('model', 'data')");
});

test("a line says to a screen reader what it shows", async () => {
  const view = await mount(wire("changed"), { search: "layers/1/o" });
  expect(find(view, ".row").getAttribute("aria-label")).toBe(
    "layers/1/o; before: bf16[1024@model,1024@data], 256 KiB on a device; after: bf16[1024,1024], 2 MiB on a device, lost model, data",
  );
});

test("a filter that nothing passes says so", async () => {
  const view = await mount(wire("three"));
  enter(view, "input[type=search]", "no such path");
  await settle();
  expect(find(view, ".none").textContent).toBe("No path matches.");
});

test("the line is chosen by Python, and Python hears of the one that is chosen here", async () => {
  const view = await mount(wire("changed"));
  const third = paths(view)[2] ?? "";
  view.model.assign({ selection: third });
  await settle();
  expect(at(view)).toBe(third);
  press(find(view, ".grid"), "ArrowDown");
  await settle();
  expect(view.model.sentFor("selection")).toEqual([paths(view)[3]]);
});

test("three trees stand in columns where their types fit", async () => {
  for (const [width, wide] of [
    [700, true],
    [480, false],
  ] as const) {
    const view = await mount(wire("three"), {}, { width });
    expect(view.root.querySelector(".compared")?.classList.contains("wide")).toBe(wide);
    view.stop();
  }
});
