import { beforeEach, expect, test } from "vitest";
import type { Schedules } from "../../src/core/document.gen";
import { button, Clock, find, type Mounted, prefers, press, settle, textOf } from "../harness";
import { mount, start } from "./harness";
import { model, SCHEDULES, wire } from "./schedules";

const clocks: Clock[] = [];
const clock = () => clocks.at(-1) as Clock;

beforeEach(() => {
  clocks.push(new Clock());
});

const reading = (view: Mounted) => textOf(find(view, ".reading"));
const badges = (view: Mounted) => textOf(find(view, ".badges"));
const moment = (view: Mounted) => textOf(find(view, ".moment"));
const picture = (view: Mounted) => find(view, ".picture");

/** What is painted, both layers: their pixels as text. */
const painted = (view: Mounted) => [...view.root.querySelectorAll("canvas")].map((c) => c.toDataURL()).join();

/** Points at the middle of a task. */
async function point(view: Mounted, type: string, time: number, rank: number): Promise<void> {
  const box = picture(view).getBoundingClientRect();
  // 934 px: strip 178, 58 at the right; four ranks of 50 px under the axis.
  const clientX = box.left + 178 + ((box.width - 178 - 58) * time) / 33;
  const clientY = box.top + 24 + 50 * rank + 15;
  picture(view).dispatchEvent(new PointerEvent(type, { clientX, clientY, bubbles: true }));
  await settle();
}

async function slide(view: Mounted, name: string, value: number): Promise<void> {
  const label = [...view.root.querySelectorAll("label")].find((l) => textOf(l).startsWith(name));
  const input = label?.querySelector("input");
  if (!input) throw new Error(`there is no slider ${name}`);
  input.value = String(value);
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
}

test("the head says what the schedule costs", async () => {
  const view = await mount(wire("one_f_one_b"));
  expect(textOf(find(view, "h2"))).toBe("1F1B 4 stages × 8 microbatches");
  expect(badges(view)).toBe("27.3 % idle4 activations kept48 sends");
  expect(textOf(find(view, ".chips"))).toBe("stage 4data 2model 2");
  expect(view.model.sent).toEqual([]);
});

test("pointing at a task says what it is and what it waits for, and draws its sends", async () => {
  const view = await mount(wire("one_f_one_b"));
  const before = painted(view);
  await point(view, "pointermove", 11.5, 2);
  expect(reading(view)).toBe(
    "stage=2, time 11 to 12, forward of microbatch 3, stage 2 needs 1F3 of rank 1, done at 11",
  );
  expect(painted(view)).not.toBe(before);
  await point(view, "pointerleave", 0, 0);
  expect(reading(view)).toContain("Point at a task");
  expect(painted(view)).toBe(before);
});

test("a click follows a microbatch through all ranks, and lets it go", async () => {
  const view = await mount(wire("one_f_one_b"));
  await point(view, "pointerdown", 11.5, 2);
  await point(view, "pointerup", 11.5, 2);
  expect(view.model.sentFor("follow")).toEqual([3]);
  expect(moment(view)).toBe("t = 11.5");
  expect(textOf(find(view, ".followed"))).toContain("microbatch 3 is followed");
  await point(view, "pointerdown", 11.5, 2);
  await point(view, "pointerup", 11.5, 2);
  expect(view.model.sentFor("follow")).toEqual([3, null]);
});

test("Python may follow, and move the playhead", async () => {
  const view = await mount(wire("one_f_one_b"));
  const before = painted(view);
  view.model.assign({ follow: 5, moment: 20 });
  await settle();
  expect(moment(view)).toBe("t = 20");
  expect(textOf(find(view, ".followed"))).toContain("microbatch 5");
  expect(painted(view)).not.toBe(before);
  view.model.assign({ follow: 99 });
  await settle();
  expect(view.root.querySelector(".followed")).toBeNull();
});

test("keys walk over tasks and ranks, follow, zoom and show the critical path", async () => {
  const view = await mount(wire("one_f_one_b"));
  const key = async (...keys: string[]) => {
    for (const k of keys) await press(find(view, "[role=listbox]"), k);
    await settle();
  };
  await key("ArrowRight");
  expect(find(view, "[role=option]").ariaLabel).toBe("stage=0, time 0 to 1, forward of microbatch 0, stage 0");
  await key("ArrowRight", "ArrowDown");
  expect(find(view, "[role=option]").ariaLabel).toBe("stage=1, time 1 to 2, forward of microbatch 0, stage 1");
  await key("End");
  expect(find(view, "[role=option]").ariaLabel).toContain("backward of microbatch 7, stage 1");
  await key("3");
  expect(view.model.sentFor("follow")).toEqual([3]);
  await key("Escape");
  expect(view.model.sentFor("follow")).toEqual([3, null]);
  const before = painted(view);
  await key("+");
  expect(painted(view)).not.toBe(before);
  await key("-");
  expect(painted(view)).toBe(before);
  await key("c");
  expect(button(view, "critical path").ariaPressed).toBe("true");
  expect(painted(view)).not.toBe(before);
});

test("sliders answer at once, without a kernel", async () => {
  const view = await mount(wire("one_f_one_b"), { _static: true });
  await slide(view, "microbatches", 32);
  expect(badges(view)).toContain("8.6 % idle");
  await slide(view, "B ÷ F", 3);
  expect(textOf(find(view, ".says"))).toContain("of 140 units");
  await slide(view, "a send", 1);
  expect(textOf(find(view, ".says"))).not.toContain("140 units");
  button(view, "reset").click();
  await settle();
  expect(badges(view)).toContain("27.3 % idle");
  expect(view.model.sent).toEqual([]);
});

test("a written schedule has no slider for microbatches", async () => {
  const view = await mount(wire("written"));
  expect(textOf(find(view, ".tools"))).not.toContain("microbatches");
});

test("it plays at sixty milliseconds a step, and stops at the end", async () => {
  const view = await mount(wire("one_f_one_b"));
  button(view, "play").click();
  await settle();
  clock().tick();
  clock().tick(60);
  await settle();
  expect(moment(view)).toBe("t = 1");
  clock().run();
  await settle();
  expect(moment(view)).toBe("t = 33");
  expect(button(view, "play")).toBeTruthy();
  expect(view.model.sentFor("moment")).toEqual([33]);
});

test("where motion is unwelcome it goes by whole steps", async () => {
  await prefers("reduced-motion", "reduce");
  const view = await mount(wire("one_f_one_b"));
  await press(find(view, "[role=listbox]"), " ");
  await settle();
  clock().tick();
  for (let i = 0; i < 3; i++) clock().tick(100);
  await settle();
  expect(moment(view)).toBe("t = 0");
  clock().tick(100);
  await settle();
  expect(moment(view)).toBe("t = 1");
});

test("schedules side by side have one scale and a table", async () => {
  const view = await mount(wire("compared"));
  const rows = [...view.root.querySelectorAll("tbody tr")].map((row) => textOf(row));
  expect(rows).toEqual([
    "1F1B 27.3 % = 3 ÷ 114 3 2 14833",
    "GPipe 27.3 % = 3 ÷ 118 8 8 84833",
    "Interleaved 15.8 % = 3 ÷ 195.5 4.5 3.5 2.511228.5",
    "ZB-H1 11.1 % = 1 ÷ 94 4 4 44827",
  ]);
});

test("a narrow card shows one schedule at a time", async () => {
  const view = await mount(wire("compared"), {}, { width: 480 });
  const before = painted(view);
  button(view, "ZB-H1").click();
  await settle();
  expect(painted(view)).not.toBe(before);
  expect(button(view, "ZB-H1").ariaPressed).toBe("true");
});

test("a large schedule has a lens that follows the pointer", async () => {
  const view = await mount(wire("large"));
  const before = painted(view);
  const box = picture(view).getBoundingClientRect();
  const at = { clientX: box.left + box.width / 2, clientY: box.top + 60, bubbles: true };
  picture(view).dispatchEvent(new PointerEvent("pointermove", at));
  await settle();
  expect(painted(view)).not.toBe(before);
  expect(reading(view)).toMatch(/^stage=\d+, time/);
});

test("another document takes the place of the first", async () => {
  const view = await mount(wire("one_f_one_b"));
  view.model.assign({ _document: wire("zb_v") });
  await settle();
  expect(textOf(find(view, "h2"))).toBe("ZB-V 8 stages on 4 ranks × 8 microbatches");
  expect(badges(view)).toContain(`${model("zb_v").run.messages} sends`);
});

test("a document that cannot be drawn says so", async () => {
  const view = start({ ...wire("one_f_one_b"), version: 99 });
  await expect.poll(() => textOf(view.root.querySelector("[role=alert]"))).toContain("version 99");
});

test("a tick opens the function's steps in the card, and moves them", async () => {
  const view = await mount(wire("ring"), { _stepped: true });
  const shown =
    "export default { render({ model, el }) { const say = () => { el.textContent = 'step ' + model.get('step') }; say(); model.on('change:step', say); return () => {} } }";
  const answer = async (opened: Record<string, unknown>) => {
    view.model.assign({ _opened: opened });
    await settle();
  };
  const asked = () => view.model.sentFor("_asked");
  const list = find(view, "[role=listbox]");
  await press(list, "ArrowRight");
  await press(list, "ArrowRight");
  await press(list, "Enter");
  await settle();
  expect(asked()).toEqual([{ n: 1, tick: 1, first: true }]);
  expect(button(view, "its steps").ariaPressed).toBe("true");
  await answer({ n: 1, step: 14, front_end: shown, state: { step: 0 } });
  await expect.poll(() => textOf(find(view, ".steps"))).toBe("step 14");
  // What Python keeps of it goes again.
  expect(asked().at(-1)).toEqual({});
  await press(list, "ArrowRight");
  await settle();
  expect(asked().at(-1)).toEqual({ n: 2, tick: 2, first: false });
  await answer({ n: 2, step: 25 });
  expect(textOf(find(view, ".steps"))).toBe("step 25");
  button(view, "its steps").click();
  await settle();
  expect(view.root.querySelector(".steps")).toBeNull();
  await press(list, "Enter");
  await settle();
  await answer({ n: 3, error: "ValueError: no" });
  expect(textOf(find(view, ".steps"))).toBe("ValueError: no");
});

test("a saved page has no steps to open", async () => {
  const view = await mount(wire("ring"), { _static: true });
  expect(textOf(find(view, ".tools"))).not.toContain("its steps");
});

test("in a narrow card the controls take two rows", async () => {
  for (const name of SCHEDULES) {
    const view = await mount(wire(name), { _stepped: true }, { width: 480 });
    // Python brings a menu of pictures to the row.
    const menu = document.createElement("button");
    menu.style.width = "88px";
    find(view, ".tools").append(menu);
    const tops = [...find(view, ".tools").querySelectorAll("button")].flatMap((b) =>
      b.checkVisibility() ? [b.getBoundingClientRect().top] : [],
    );
    expect(new Set(tops.map(Math.round)).size, name).toBeLessThanOrEqual(2);
    view.stop();
  }
});

test.each(SCHEDULES)("a card is as high with its critical path, %s", async (name) => {
  for (const width of [934, 700, 480, 360]) {
    const view = await mount(wire(name), {}, { width });
    const { height } = view.frame.getBoundingClientRect();
    button(view, "critical path").click();
    await settle();
    expect(view.frame.getBoundingClientRect().height, `${width} px`).toBe(height);
    view.stop();
  }
});

test.each([934, 700, 480, 360])("a card is as high whatever its sliders say, %i px", async (width) => {
  const compared = wire("compared") as Schedules;
  const three = { ...compared, schedules: compared.schedules.filter((_, i) => i !== 1) };
  for (const [name, doc] of [...SCHEDULES.map((name) => [name, wire(name)] as const), ["three", three] as const]) {
    const view = await mount(doc, {}, { width });
    const { height } = view.frame.getBoundingClientRect();
    for (const label of view.root.querySelectorAll<HTMLElement>(".slider")) {
      const { min, max } = label.querySelector("input") as HTMLInputElement;
      for (const value of [min, max, 1.3, 2]) {
        await slide(view, textOf(label.firstChild as Element), Number(value));
        expect(view.frame.getBoundingClientRect().height, `${name}, ${textOf(label)}`).toBe(height);
      }
    }
    view.stop();
  }
});
