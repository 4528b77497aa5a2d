import { expect, test } from "vitest";
import { chartOf } from "../../src/search/scene/chart";
import { CHART } from "../../src/search/state";
import { button, expectAccessible, find, GROUNDS, press, settle, textOf } from "../harness";
import { mount } from "./harness";
import { search, wire } from "./searches";

for (const [scheme, background] of GROUNDS)
  for (const width of [934, 480])
    test(`no fault of accessibility, ${scheme}, ${width} px`, async () => {
      await expectAccessible(await mount(wire("compiled"), {}, { background, width }));
    });

test("k compiles the candidate that is looked at, once; Python's answer shows it", async () => {
  const view = await mount(wire("paper"));
  await press(find(view, ".list [role=listbox]"), "ArrowDown");
  await press(find(view, ".list [role=listbox]"), "k");
  expect(view.model.sentFor("_asked").at(-1)).toMatchObject({ do: "compile" });
  expect(view.model.sentFor("candidate").at(-1)).toBe(1);
  expect(textOf(find(view, ".details h3"))).toContain("next");
  await press(find(view, ".list [role=listbox]"), "k");
  expect(view.model.sentFor("_asked").length).toBe(1);
  view.model.assign({ running: "running", _document: { ...wire("paper"), compiling: 1 } });
  await settle();
  expect(textOf(find(view, ".details h3"))).toBe(`${search("paper").rows[1]?.title} compiling …`);
  view.model.assign({ running: "", _document: wire("compiled"), candidate: 0 });
  await settle();
  expect(textOf(find(view, ".details h3"))).toBe("FSDP 16 compiled");
});

test("another candidate paints its own row alone", async () => {
  const view = await mount(wire("compiled"));
  const list = find(view, ".list [role=listbox]");
  const [table, row] = [...list.querySelectorAll<HTMLElement>(".window")] as [HTMLElement, HTMLElement];
  const picture = () => (table.firstElementChild as HTMLCanvasElement).toDataURL();
  const before = [picture(), row.offsetTop] as const;
  await press(list, "ArrowDown");
  expect(picture()).toBe(before[0]);
  expect(row.offsetTop - before[1]).toBe(27);
  await press(list, "s");
  await press(list, "s");
  const { rows, front } = search("compiled");
  view.model.assign({ candidate: rows.findIndex((each) => !each.now && !front.has(each)) });
  await settle();
  expect(row.hidden).toBe(true);
});

test("s lists by time, by memory, the front alone", async () => {
  const view = await mount(wire("compiled"));
  const listed = () => find(view, ".list [role=listbox]").getAttribute("aria-label");
  const whole = listed();
  await press(find(view, ".list [role=listbox]"), "s");
  expect(listed()).toBe(whole);
  await press(find(view, ".list [role=listbox]"), "s");
  const model = search("compiled");
  expect(listed()).toBe(`${model.listed("front", false).length} candidates`);
  expect(listed()).not.toBe(whole);
});

test("the wall is moved by keys; what is chosen stays, and Python is not told", async () => {
  const view = await mount(wire("compiled"));
  const wall = find(view, "[role=slider]");
  expect(wall.getAttribute("aria-valuetext")).toBe("16 GiB");
  for (let n = 0; n < 48; n++) await press(wall, "ArrowLeft");
  expect(find(view, "[role=slider]").getAttribute("aria-valuetext")).toBe("4 GiB");
  expect(textOf(find(view, ".says p"))).toMatch(/^If a chip had 4 GiB, FSDP 16:/);
  expect(textOf(find(view, ".details h3"))).toBe("FSDP 16 compiled");
  expect(view.model.sent).toEqual([]);
  for (let n = 0; n < 48; n++) await press(find(view, "[role=slider]"), "ArrowRight");
  expect(textOf(find(view, ".says p"))).toMatch(/^FSDP 16: 81 ms/);
});

test("while it estimates there are seconds and a bar, while it compiles squares", async () => {
  const view = await mount(wire("running"), { running: "running" });
  expect(textOf(find(view, ".badges"))).toContain("11 of 180 estimated in 2.1 s");
  expect((find(view, "progress") as HTMLProgressElement).value).toBe(11);
  view.model.assign({ _document: wire("compiling") });
  await settle();
  expect(view.root.querySelector("progress")).toBeNull();
  expect(view.root.querySelectorAll(".squares .done").length).toBe(3);
  expect(view.root.querySelectorAll(".squares .half").length).toBe(1);
});

test("what a chip sends is drawn in its row, what is exposed before what is hidden", async () => {
  const view = await mount(wire("compiled"));
  const [cell] = view.root.querySelectorAll(".sends .bar");
  const room = (cell as HTMLElement).getBoundingClientRect();
  const bars = [...(cell as HTMLElement).querySelectorAll("i")].map((bar) => bar.getBoundingClientRect());
  expect(bars.length).toBe(2);
  for (const bar of bars) {
    expect(bar.width).toBeGreaterThan(10);
    expect(bar.top).toBeGreaterThanOrEqual(room.top);
    expect(bar.right).toBeLessThanOrEqual(room.right + 0.5);
  }
  expect(bars[1]?.left).toBeCloseTo(bars[0]?.right as number, 0);
});

test("a disc that is pointed at says what the candidate takes, on a ground of its own", async () => {
  const view = await mount(wire("compiled"));
  const picture = find(view, ".sides .picture");
  const { left, top } = picture.getBoundingClientRect();
  const { x, y } = chartOf(search("compiled"), CHART).points[4] as { x: number; y: number };
  const point = (type: string) =>
    picture.dispatchEvent(new PointerEvent(type, { clientX: left + x, clientY: top + y, bubbles: true }));
  point("pointermove");
  await settle();
  expect(textOf(find(view, ".tip"))).toContain(search("compiled").rows[4]?.title);
  expect(textOf(find(view, ".tip"))).toContain("exposed");
  expect(getComputedStyle(find(view, ".tip")).backgroundColor).not.toBe("rgba(0, 0, 0, 0)");
  point("pointerleave");
  await settle();
  expect(view.root.querySelector(".tip")).toBeNull();
});

test("a narrow card has candidates, specs and code in tabs", async () => {
  const view = await mount(wire("compiled"), {}, { width: 480 });
  const list = find(view, ".list");
  expect(list.getBoundingClientRect().height).toBeGreaterThan(100);
  expect(view.root.querySelector(".details")).toBeNull();
  button(view, "2 specs").click();
  await settle();
  expect(find(view, ".list").getBoundingClientRect().height).toBe(0);
  expect(textOf(find(view, ".details"))).toContain("tokens");
  expect(view.root.querySelector(".code")).toBeNull();
  button(view, "code").click();
  await settle();
  expect(textOf(find(view, ".details pre"))).toContain("mesh = jax.make_mesh");
  button(view, "candidates").click();
  await settle();
  expect(find(view, ".list").getBoundingClientRect().height).toBeGreaterThan(100);
});

test("what may be done next are buttons", async () => {
  const short = await mount(wire("nothing fits"));
  button(short, "search 64 chips").click();
  expect(short.model.sentFor("_asked").at(-1)).toMatchObject({ do: "search", what: 1 });
  const one = await mount(wire("one"));
  button(one, "search other meshes of 16 chips").click();
  expect(one.model.sentFor("_asked").at(-1)).toMatchObject({ do: "search", what: 0 });
  const library = await mount(wire("without library"), { _static: true });
  expect(textOf(find(library, ".offers"))).toContain('copy pip install "shardwidget[tpu]"');
  const saved = await mount(wire("one"), { _static: true });
  expect(saved.root.querySelector(".offers")).toBeNull();
});

test("stop, go on, and what ended it", async () => {
  const view = await mount(wire("running"), { running: "running" });
  expect(textOf(find(view, ".says p"))).toMatch(/^So far /);
  button(view, "stop").click();
  expect(view.model.sentFor("_asked").at(-1)).toMatchObject({ do: "stop" });
  view.model.assign({ running: "stopped", _document: { ...wire("running"), ended: "interrupted" } });
  await settle();
  expect(textOf(find(view, ".note"))).toContain("Stopped after 11 of 180 were estimated.");
  expect(textOf(find(view, ".says p"))).toMatch(/^Stopped early: /);
  button(view, "go on").click();
  expect(view.model.sentFor("_asked").at(-1)).toMatchObject({ do: "go on" });
});
