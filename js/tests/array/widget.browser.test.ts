import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { WHOLE } from "../../src/array/scene/faces";
import { layoutBody } from "../../src/array/scene/layout";
import { loaded } from "../../src/card/loaded";
import type { Placement } from "../../src/core/document.gen";
import { PlacementModel } from "../../src/core/placement";
import { overlap } from "../../src/draw/beside";
import { alone, array, block, mesh, values } from "../documents";
import { button, drawn, find, frames, type Mounted, prefers, settle } from "../harness";
import { brought, mount, option, outlined, panel, place, point, start, tooltip } from "./harness";

const GRID = mesh({ x: 4, y: 2 });
const SHARDED = array(GRID, [8, 16], ["x", "y"]);
const REPLICATED = array(GRID, [8, 16], ["x", null]);
const TURNED = array(GRID, [8, 16], [null, "x"]);

test("the picture is drawn: type, sizes and something on the canvas", async () => {
  const view = await mount(SHARDED);
  expect(find(view, "h2").textContent).toBe("x f32[8@x,16@y]");
  expect(find(view, ".badges").textContent).toContain("64 B per device");
  const canvas = find<HTMLCanvasElement>(view, "canvas");
  const box = place(view, { tile: 7 });
  const pixel = canvas.getContext("2d")?.getImageData(box.x + 12, box.y + 12, 1, 1).data;
  expect([...(pixel ?? [])]).toEqual([0xd1, 0x73, 0x99, 255]);
});

test("pointing at a tile lights the devices that hold it, and says what it is", async () => {
  const view = await mount(REPLICATED);
  point(view, "pointermove", place(view, { tile: 2 }));
  await expect.poll(() => tooltip(view)).toContain("x[4:6, :]");
  expect(tooltip(view)).toContain("f32[2,16] · 128 B");
  expect(tooltip(view)).toContain("device 4 at x=2, y=0");
  expect(tooltip(view)).toContain("2 copies, also on 5");
  const boxes = [0, 1, 2, 3, 4, 5, 6, 7].map((position) => place(view, { position }));
  await expect.poll(() => boxes.map((b) => outlined(view, b)).flatMap((on, p) => (on ? [p] : []))).toEqual([4, 5]);
});

test("pointing at a device lights its tile", async () => {
  const view = await mount(REPLICATED);
  point(view, "pointermove", place(view, { position: 7 }));
  await expect.poll(() => tooltip(view)).toContain("device 7 at x=3, y=1");
  const boxes = [0, 1, 2, 3].map((tile) => place(view, { tile }));
  await expect.poll(() => boxes.map((b) => outlined(view, b))).toEqual([false, false, false, true]);
  point(view, "pointermove", { x: 1, y: 1, w: 0, h: 0 });
  await expect.poll(() => tooltip(view)).toBe("");
});

test("a click pins and tells Python; a second one lets go", async () => {
  const view = await mount(SHARDED);
  point(view, "click", place(view, { tile: 5 }));
  expect(view.model.sentFor("selection")).toEqual([{ device: 5, tile: [2, 1] }]);
  await expect.poll(() => option(view, "array").getAttribute("aria-selected")).toBe("true");
  expect(option(view, "mesh").getAttribute("aria-selected")).toBe("true");
  expect(option(view, "mesh").getAttribute("aria-label")).toContain("x[4:6, 8:16]; f32[2,8] · 64 B; device 5");
  point(view, "click", place(view, { position: 5 }));
  expect(view.model.sentFor("selection").at(-1)).toBeNull();
  await expect.poll(() => option(view, "array").getAttribute("aria-selected")).toBe("false");
});

test("a selection made in Python is shown", async () => {
  const view = await mount(SHARDED, { selection: { tile: [3, 0] } });
  expect(tooltip(view)).toContain("device 6");
  view.model.assign({ selection: { device: 1 } });
  await expect.poll(() => tooltip(view)).toContain("device 1 at");
  expect(view.model.sentFor("selection")).toEqual([]);
});

test("everything can be done by keyboard", async () => {
  const view = await mount(SHARDED);
  while (view.root.activeElement !== panel(view, "array")) await userEvent.tab();
  await expect.poll(() => tooltip(view)).toContain("x[0:2, 0:8]");
  const keys = async (pressed: string, text: string) => {
    await userEvent.keyboard(pressed);
    await expect.poll(() => tooltip(view)).toContain(text);
  };
  await keys("{ArrowDown}{ArrowDown}{ArrowRight}", "x[4:6, 8:16]");
  await keys("{ArrowRight}{ArrowUp}", "x[2:4, 8:16]");
  expect(find(view, "[aria-live]").textContent).toContain("x[2:4, 8:16]");
  await keys("{End}", "x[6:8, 8:16]");
  await keys("{Home}", "x[0:2, 0:8]");
  await keys("{ArrowRight}{Enter}", "x[0:2, 8:16]");
  expect(view.model.sentFor("selection")).toEqual([{ device: 1, tile: [0, 1] }]);
  await userEvent.tab();
  expect(view.root.activeElement).toBe(panel(view, "mesh"));
  await keys("{ArrowDown}", "device 3 at x=1, y=1");
  await userEvent.keyboard("{Escape}");
  expect(view.model.sentFor("selection").at(-1)).toBeNull();
  await expect.poll(() => tooltip(view)).toBe("");
});

test("keys that are not the widget's reach the page", async () => {
  const view = await mount(SHARDED);
  const seen: string[] = [];
  const note = (event: KeyboardEvent) => seen.push(event.key);
  window.addEventListener("keydown", note);
  panel(view, "mesh").focus();
  await userEvent.keyboard("q{ArrowDown}g");
  window.removeEventListener("keydown", note);
  expect(seen).toEqual(["q"]);
});

test("g goes to a device by its id, and says so when there is none", async () => {
  const view = await mount(SHARDED);
  panel(view, "mesh").focus();
  await userEvent.keyboard("g");
  await expect.poll(() => view.root.activeElement?.localName).toBe("input");
  const heard: string[] = [];
  const note = (event: KeyboardEvent) => heard.push(event.key);
  window.addEventListener("keydown", note);
  await userEvent.keyboard("77{Enter}");
  window.removeEventListener("keydown", note);
  expect(heard).toEqual([]);
  const input = find<HTMLInputElement>(view, ".tools input");
  expect(input.validationMessage).toBe("This mesh has no device 77.");
  await userEvent.keyboard("{Backspace}{Backspace}6{Enter}");
  expect(view.model.sentFor("selection")).toEqual([{ device: 6, tile: [3, 0] }]);
  await expect.poll(() => view.root.querySelector(".tools input")).toBeNull();
});

test("plus and minus zoom about what is lit", async () => {
  const view = await mount(array(mesh({ x: 32, y: 32 }), [1024, 1024], ["x", "y"]));
  panel(view, "array").focus();
  const write = vi.spyOn(CanvasRenderingContext2D.prototype, "fillText");
  const words = () => write.mock.calls.map((call) => String(call[0]));
  await userEvent.keyboard("{End}++");
  await drawn(view, 3);
  expect(words()).toContain("992:1024]");
  write.mockClear();
  await userEvent.keyboard("--");
  await drawn(view, 5);
  expect(words()).not.toContain("992:1024]");
});

test("a wheel with Ctrl and two fingers zoom, a wheel alone does not", async () => {
  const view = await mount(array(mesh({ x: 8, y: 8 }), [64, 64], ["x", "y"]));
  const picture = find(view, ".picture");
  const image = () => find<HTMLCanvasElement>(view, "canvas").toDataURL();
  const whole = image();
  const turn = async (deltaY: number, ctrlKey: boolean) => {
    const event = new WheelEvent("wheel", { deltaY, ctrlKey, cancelable: true });
    picture.dispatchEvent(event);
    await settle();
    return event.defaultPrevented;
  };
  expect(await turn(-100, false)).toBe(false);
  expect(image()).toBe(whole);
  expect(await turn(-100, true)).toBe(true);
  const near = image();
  expect(near).not.toBe(whole);
  await turn(100, true);
  expect(image()).toBe(whole);
  const finger = (type: string, pointerId: number, clientX: number) =>
    picture.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY: 200, pointerType: "touch" }));
  finger("pointerdown", 1, 100);
  finger("pointerdown", 2, 140);
  finger("pointermove", 2, 260);
  finger("pointerup", 1, 100);
  finger("pointerup", 2, 260);
  await settle();
  expect(image()).toBe(near);
});

test("the colour buttons colour, and tell Python", async () => {
  const view = await mount(SHARDED);
  const pressed = () => [...view.root.querySelectorAll("fieldset button[aria-pressed=true]")].map((b) => b.textContent);
  expect(pressed()).toEqual(["position"]);
  const buttons = [...view.root.querySelectorAll<HTMLElement>("fieldset button")];
  buttons.find((b) => b.textContent === "device id")?.click();
  await drawn(view, 2);
  expect(view.model.sentFor("color_by")).toEqual(["device"]);
  expect(pressed()).toEqual(["device id"]);
  view.model.assign({ color_by: "position" });
  await drawn(view, 3);
  expect(pressed()).toEqual(["position"]);
});

test("an axis chip lights the groups of its axis, and pins them", async () => {
  const view = await mount(SHARDED);
  const chip = find(view, "header .chip");
  chip.dispatchEvent(new PointerEvent("pointerenter"));
  const column = place(view, { position: 2 });
  await expect.poll(() => outlined(view, { ...column, x: column.x - 3 })).toBe(true);
  chip.click();
  expect(view.model.sentFor("selection")).toEqual([{ axis: "x" }]);
  await expect.poll(() => find(view, "header .chip").getAttribute("aria-pressed")).toBe("true");
});

test("rows and columns can be chosen, and swap", async () => {
  const view = await mount(array(GRID, [4, 8, 16], ["y", "x", null]));
  const [rows] = view.root.querySelectorAll(".tools select");
  if (!(rows instanceof HTMLSelectElement)) throw new Error("there is no choice of rows");
  rows.value = "2";
  rows.dispatchEvent(new Event("change", { bubbles: true }));
  await drawn(view, 2);
  expect([view.model.traits.row_dim, view.model.traits.column_dim]).toEqual([2, 1]);
});

const VALUES = values(...Array.from({ length: 8 }, (_, d) => block(d, [1, 2], [10 * d, 10 * d + 1])));
const SMALL = array(GRID, [4, 4], ["x", "y"]);

test("values are asked for once, and shown", async () => {
  const view = await mount(SMALL);
  expect(view.model.sentFor("_want")).toEqual([]);
  for (const tile of [3, 5, 3]) point(view, "pointermove", place(view, { tile }));
  await expect.poll(() => tooltip(view)).toContain("reading values");
  point(view, "pointermove", place(view, { tile: 6 }));
  await expect.poll(() => tooltip(view)).toContain("device 6");
  expect(view.model.sentFor("_want").map((ids) => [...(ids as number[])].sort())).toEqual([[0, 1, 2, 3, 4, 5, 6, 7]]);
  view.model.assign({ _values: VALUES });
  await expect.poll(() => tooltip(view)).toContain("values 60 … 61");
  const write = vi.spyOn(CanvasRenderingContext2D.prototype, "fillText");
  view.model.assign({ color_by: "values" });
  await expect.poll(() => write.mock.calls.map((call) => call[0])).toContain("71");
  expect(view.model.sentFor("_want")).toHaveLength(1);
});

test("a request names what was asked for before and has not come: the host may leave out all but the last one", async () => {
  const view = await mount(array(GRID, [4096, 4096], ["x", "y"]));
  const asked = () => view.model.sentFor("_want").map((ids) => [...(ids as number[])].sort());
  point(view, "pointermove", place(view, { tile: 3 }));
  await expect.poll(asked).toEqual([[3]]);
  point(view, "pointermove", place(view, { tile: 5 }));
  await expect.poll(asked).toEqual([[3], [3, 5]]);
  view.model.assign({ _values: values(block(5, [1, 2], [50, 51])) });
  point(view, "pointermove", place(view, { tile: 6 }));
  await expect.poll(asked).toEqual([[3], [3, 5], [3, 6]]);
});

test("values of an array that was replaced are not shown for the new one", async () => {
  const view = await mount(SMALL);
  point(view, "pointermove", place(view, { tile: 3 }));
  await expect.poll(() => view.model.sentFor("_want")).toHaveLength(1);
  view.model.assign({ _values: VALUES });
  await expect.poll(() => tooltip(view)).toContain("values 30 … 31");
  view.model.assign({ _want: [], _values: null, _document: { ...SMALL, name: "z" } });
  await drawn(view, 3);
  point(view, "pointermove", place(view, { tile: 3 }));
  await expect.poll(() => tooltip(view)).toContain("z[");
  expect(tooltip(view)).not.toContain("30 … 31");
  expect(tooltip(view)).toContain("reading values");
  expect(view.model.sentFor("_want")).toHaveLength(2);
});

test("values that Python takes back are read again: another array may have the same placement", async () => {
  const view = await mount(SMALL);
  point(view, "pointermove", place(view, { tile: 3 }));
  await expect.poll(() => view.model.sentFor("_want")).toHaveLength(1);
  view.model.assign({ _values: VALUES });
  await expect.poll(() => tooltip(view)).toContain("values 30 … 31");
  view.model.assign({ _want: [], _values: null });
  await expect.poll(() => tooltip(view)).toContain("reading values");
  expect(view.model.sentFor("_want")).toHaveLength(2);
});

test("a large array has the values of one shard read, where the pointer is", async () => {
  const view = await mount(array(GRID, [1024, 1024], ["x", "y"]));
  point(view, "pointermove", place(view, { position: 5 }));
  await expect.poll(() => view.model.sentFor("_want")).toEqual([[5]]);
});

test("a saved page asks nobody for values", async () => {
  const view = await mount(SMALL, { _static: true });
  point(view, "pointermove", place(view, { tile: 3 }));
  await expect.poll(() => tooltip(view)).toContain("values were not saved");
  expect(view.model.sent).toEqual([]);
});

/** Counts pictures of a change: frames in which blocks were on their way. */
async function change(view: Mounted, document: Placement): Promise<number> {
  let frames = 0;
  const observer = new PerformanceObserver((list) => {
    frames += list.getEntriesByName("sw:frame").length;
  });
  observer.observe({ type: "measure" });
  view.model.assign({ _document: document });
  await drawn(view, 2);
  observer.disconnect();
  return frames;
}

test("a change of placement moves the blocks, and ends", async () => {
  let view = await mount(REPLICATED);
  const moved = async () => {
    view.stop();
    view = await mount(REPLICATED);
    await brought();
    return change(view, TURNED);
  };
  await expect.poll(moved).toBeGreaterThan(2);
  point(view, "pointermove", place(view, { tile: 2 }));
  await expect.poll(() => outlined(view, place(view, { tile: 2 }))).toBe(true);
});

test("with reduced motion a change jumps, and pointing works after it", async () => {
  await prefers("reduced-motion", "reduce");
  const view = await mount(REPLICATED);
  await brought();
  expect(await change(view, TURNED)).toBeLessThanOrEqual(2);
  point(view, "pointermove", place(view, { tile: 2 }));
  await expect.poll(() => outlined(view, place(view, { tile: 2 }))).toBe(true);
});

test("pointing works after a change to another mesh, which cannot be shown as a move", async () => {
  const view = await mount(REPLICATED);
  await brought();
  expect(await change(view, array(mesh({ x: 4, y: 4 }), [8, 16], ["x", null]))).toBeLessThanOrEqual(2);
  point(view, "pointermove", place(view, { tile: 1 }));
  await expect.poll(() => outlined(view, place(view, { tile: 1 }))).toBe(true);
});

test("where the page may not load modules from Python a change jumps, and nothing else is missing", async () => {
  const view = await mount(REPLICATED, { _parts: "throw new Error('not here')" });
  await expect(loaded("throw new Error('not here')")).rejects.toThrow("not here");
  expect(await change(view, TURNED)).toBeLessThanOrEqual(2);
  point(view, "pointermove", place(view, { tile: 2 }));
  await expect.poll(() => outlined(view, place(view, { tile: 2 }))).toBe(true);
});

test("a document of a newer version says so, and a good one after it is drawn", async () => {
  const view = start({ ...SHARDED, version: 99 });
  await expect.poll(() => view.root.querySelector("[role=alert]")?.textContent).toContain("has version 99");
  expect(find(view, "[role=alert]").textContent).toContain("Update shardwidget");
  view.model.assign({ _document: SHARDED });
  await expect.poll(() => view.root.querySelector("h2")?.textContent).toContain("f32[8@x,16@y]");
  expect(view.root.querySelector("[role=alert]")).toBeNull();
  view.model.assign({ _document: { ...SHARDED, dims: null } });
  await expect.poll(() => view.root.querySelector("[role=alert]")?.textContent).toContain("no dimensions");
});

test("an error while painting is shown, never a blank picture; the next document is drawn", async () => {
  const broken = vi.spyOn(CanvasRenderingContext2D.prototype, "fillText").mockImplementation(() => {
    throw new Error("no ink left");
  });
  const view = start(SHARDED);
  await expect.poll(() => view.root.querySelector("[role=alert]")?.textContent).toContain("no ink left");
  broken.mockRestore();
  view.model.assign({ _document: REPLICATED });
  await expect.poll(() => view.root.querySelector("[role=alert]")).toBeNull();
  expect(find(view, "h2").textContent).toContain("f32[8@x,16]");
});

test("two widgets on a page do not share what is pinned", async () => {
  const [a, b] = [await mount(SHARDED), await mount(SHARDED)];
  point(a, "click", place(a, { tile: 5 }));
  await expect.poll(() => tooltip(a)).toContain("device 5");
  expect(tooltip(b)).toBe("");
  expect(b.model.sent).toEqual([]);
  point(b, "click", place(b, { tile: 1 }));
  await expect.poll(() => tooltip(b)).toContain("device 1");
  expect(tooltip(a)).toContain("device 5");
});

test("names with markup come out as text, and the longest stay in the card", async () => {
  const evil = `<img src=x onerror="document.title='hit'">`;
  for (const name of [evil, "n".repeat(10_000)]) {
    const on = mesh({ [name]: 4, y: 2 });
    for (const document of [array(on, [8, 16], [name, null], { name }), alone(on)]) {
      const view = await mount(document);
      if (document.shape) point(view, "click", place(view, { tile: 1 }));
      await expect.poll(() => view.root.textContent).toContain(name);
      expect(view.root.querySelector("img")).toBeNull();
      const { right } = view.frame.getBoundingClientRect();
      for (const element of view.root.querySelectorAll("header *, .tools *, footer *, .notes *, .tip, .tip *")) {
        const chip = element.closest(".chip");
        if (chip && chip !== element) continue;
        const past = element.getBoundingClientRect().right - right;
        if (past > 1) expect.fail(`<${element.localName} class="${element.className}"> is ${past} px too wide`);
      }
      view.stop();
    }
  }
  expect(document.title).not.toBe("hit");
});

test.each([960, 700, 480, 260])("nothing of the card is wider than it at %i px", async (width) => {
  const view = await mount(REPLICATED, {}, { width });
  const { right } = view.frame.getBoundingClientRect();
  for (const element of view.root.querySelectorAll("header *, .tools *, footer *, .notes *, .panel")) {
    expect(element.getBoundingClientRect().right).toBeLessThanOrEqual(right + 1);
  }
});

test("of a mesh of four axes the panels along each further axis are gone through", async () => {
  const pod = mesh({ data: 4, fsdp: 4, tensor: 2, expert: 2 });
  const view = await mount(array(pod, [16, 16], ["data", "fsdp"]));
  const says = () => find(view, ".tools").textContent ?? "";
  await expect.poll(says).toContain("tensor 0 of 0–1");
  button(view, "later expert").click();
  await expect.poll(says).toContain("expert 1 of 0–1");
  button(view, "later tensor").click();
  await expect.poll(says).toContain("tensor 1 of 0–1");
  expect(says()).toContain("expert 1 of 0–1");
  expect(tooltip(view)).toContain("device 3 at data=0, fsdp=0, tensor=1, expert=1");
  // At the end there is nothing later.
  button(view, "later expert").click();
  await settle();
  expect(says()).toContain("expert 1 of 0–1");
});

test("a mesh of thousands has a lens, which names devices, and a click in it goes to one", async () => {
  const document = array(mesh({ x: 64, y: 64 }), [65536, 65536], ["x", "y"]);
  const view = await mount(document, { selection: { device: 0 } });
  const { lens } = layoutBody(new PlacementModel(document), WHOLE, find(view, ".picture").clientWidth, true);
  if (!lens) return expect.fail("there is no lens");
  const first = { x: lens.x, y: lens.y, w: lens.w, h: lens.h };
  await expect.poll(() => outlined(view, first)).toBe(true);
  point(view, "click", { ...first, x: first.x + 2 * (lens.w + 3), y: first.y + lens.h + 3 });
  expect(view.model.traits.selection).toEqual({ device: 66, tile: [1, 2] });
});

test("tooltips cover neither what they explain nor the array", async () => {
  for (const [width, color_by] of [[960, "position"] as const, [1366, "values"] as const, [700, "position"] as const]) {
    const view = await mount(array(mesh({ x: 4, y: 2 }), [8, 16], ["x", "y"]), { color_by }, { width });
    const card = find(view, ".card").getBoundingClientRect();
    const picture = find(view, ".picture").getBoundingClientRect();
    for (let tile = 0; tile < 8; tile++) {
      const box = place(view, { tile });
      point(view, "pointermove", box);
      await settle();
      const tip = find(view, ".tip").getBoundingClientRect();
      expect(Math.max(card.left - tip.left, tip.right - card.right, tip.bottom - card.bottom)).toBeLessThanOrEqual(0);
      const at = { x: tip.x - picture.x, y: tip.y - picture.y, w: tip.width, h: tip.height };
      expect(overlap(box, at), `${width} px: tile ${tile}`).toBe(0);
    }
    view.stop();
  }
});

test("a picture of three dimensions is as high coloured otherwise", async () => {
  const cube = array(mesh({ data: 2, seq: 2, model: 2 }), [16, 16, 16], ["data", "seq", "model"]);
  const ones = Array.from({ length: 8 ** 3 }, () => 1);
  const _values = values(...Array.from({ length: 8 }, (_, d) => block(d, [8, 8, 8], ones)));
  for (const width of [934, 700, 480]) {
    const view = await mount(cube, { _values }, { width });
    const { height } = find(view, ".picture").getBoundingClientRect();
    for (const name of ["values", "device id"]) {
      button(view, name).click();
      await settle();
      await frames();
      expect(find(view, ".picture").getBoundingClientRect().height, `${name}, ${width} px`).toBe(height);
    }
    view.stop();
  }
});

test("a pod with copies has its tools in one row", async () => {
  const pod = mesh({ data: 16, fsdp: 16, tensor: 16 });
  const view = await mount(array(pod, [4096, 32768], ["fsdp", "tensor"]), {}, { width: 934 });
  expect(find(view, ".tools").getBoundingClientRect().height).toBeLessThan(56);
});
