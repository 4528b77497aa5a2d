import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { keepLineInView } from "../../src/card/scroll";
import type { Failure, Fix, Step, Trace } from "../../src/core/document.gen";
import { saveButton } from "../../src/page/saved";
import {
  button,
  Clock,
  find,
  forcedColors,
  frames,
  type Mounted,
  onPaper,
  pixels,
  prefers,
  press,
  settle,
  textOf,
} from "../harness";
import { currentRow, loaded, mount, rows, scrub, shown, shownStep, slider, start } from "./harness";
import { long, TRACES, trace } from "./traces";

const headline = (view: Mounted) => find(view, ".headline").textContent ?? "";
/** The algorithm that is chosen: a button's, or that of the menu of the others. */
const pressed = (view: Mounted) =>
  view.root.querySelector(".transport fieldset:has(select) [aria-pressed=true]")?.textContent ??
  find<HTMLSelectElement>(view, ".transport fieldset select").value;

test("source, steps, types, sentence and picture of the first step", async () => {
  const view = await mount(trace("psum"));
  expect(rows(view).map((r) => r.querySelector("b")?.textContent)).toEqual([
    "f",
    "in_specs",
    "pvary",
    "dot_general",
    "psum",
    "out_specs",
  ]);
  expect(rows(view)[2]?.textContent).toContain("varies over x, too");
  expect(rows(view)[2]?.textContent).toContain("b f32[2,4]{V:(x,y)}");
  expect(rows(view)[4]?.textContent).toContain("32 B per device");
  expect(rows(view)[4]?.textContent).toContain("s f32[2,4]{V:x}");
  expect(rows(view)[5]?.textContent).toContain("assemble");
  expect(headline(view)).toContain("a and b split into blocks.");
  expect(find(view, ".source .current code").textContent).toBe("@jax.shard_map(in_specs=(P('x', 'y'), P('y')),");
  expect(new Set(pixels(view))).not.toHaveLength(1);
  expect(view.model.sent).toEqual([]);
});

test("a click on a step shows it done, marks its line and tells Python", async () => {
  const view = await mount(trace("psum"));
  const before = pixels(view);
  rows(view)[4]?.querySelector("button")?.click();
  await shown(view, 3);
  expect(currentRow(view)).toBe(rows(view)[4]);
  expect(find(view, ".source .current code").textContent).toBe("return jax.lax.psum(p, 'y')");
  expect(headline(view)).toContain("psum 'y'");
  await expect
    .poll(() => find(view, ".worked").textContent)
    .toMatch(/s\[0,1\] on device 0: \d+ \+ \d+ = \d+; from 2 elements on devices 0, 1\./);
  expect(slider(view).valueAsNumber).toBe(4);
  expect(view.model.sentFor("step")).toEqual([3]);
  expect(pixels(view)).not.toBe(before);
});

test("forward plays one step and rests; back shows the step before", async () => {
  const clock = new Clock();
  const view = await mount(trace("psum"), { step: 2 });
  await loaded(view);
  button(view, "forward").click();
  await settle();
  expect(button(view, "pause")).toBeTruthy();
  expect(slider(view).valueAsNumber).toBe(3);
  const pictures = new Set<string>();
  let frames = 0;
  while (clock.waiting > 0 && frames++ < 200) {
    clock.tick();
    await settle();
    pictures.add(pixels(view));
  }
  // The sum of two takes 2200 ms: in frames of 16 ms, and the one that starts the clock.
  expect(frames).toBe(Math.ceil(2200 / 16) + 1);
  expect(pictures.size).toBeGreaterThan(20);
  expect([shownStep(view), slider(view).valueAsNumber]).toEqual([3, 4]);
  expect(button(view, "play")).toBeTruthy();
  button(view, "back").click();
  await shown(view, 2);
  expect(slider(view).valueAsNumber).toBe(3);
  expect(view.model.sentFor("step")).toEqual([3, 2]);
});

test("back in the middle of a step, and forward there, go to its neighbours' ends", async () => {
  const view = await mount(trace("psum"));
  scrub(view, 3.4);
  button(view, "back").click();
  await expect.poll(() => slider(view).valueAsNumber).toBe(3);
  scrub(view, 3.4);
  button(view, "forward").click();
  await expect.poll(() => slider(view).valueAsNumber).toBe(4);
  expect(shownStep(view)).toBe(3);
});

test("first and last", async () => {
  const view = await mount(trace("psum"), { step: 2 });
  button(view, "last step").click();
  await shown(view, 4);
  button(view, "first step").click();
  await shown(view, 0);
  expect(slider(view).valueAsNumber).toBe(1);
  button(view, "back").click();
  await settle();
  expect(shownStep(view)).toBe(0);
});

test("play goes through all steps to the end, and stops; again it starts anew", async () => {
  const clock = new Clock();
  const view = await mount(trace("psum"));
  scrub(view, 0);
  button(view, "play").click();
  // Four steps of 450 ms and one of 2200.
  expect(clock.run()).toBe(Math.ceil((4 * 450 + 2200) / 16) + 1);
  await shown(view, 4);
  expect(slider(view).valueAsNumber).toBe(5);
  expect(view.model.sentFor("step")).toEqual([1, 2, 3, 4]);
  button(view, "play").click();
  clock.tick();
  clock.tick();
  await settle();
  expect(slider(view).valueAsNumber).toBeLessThan(0.1);
  button(view, "pause").click();
  expect(clock.waiting).toBe(0);
});

test("speed is how fast time goes; a long pause between frames does not skip a step", async () => {
  const clock = new Clock();
  const view = await mount(trace("psum"));
  const speed = find<HTMLSelectElement>(view, ".transport select");
  speed.value = "4";
  speed.dispatchEvent(new Event("change", { bubbles: true }));
  scrub(view, 0);
  button(view, "play").click();
  expect(clock.run()).toBe(Math.ceil((4 * 450 + 2200) / 64) + 1);
  speed.value = "1";
  speed.dispatchEvent(new Event("change", { bubbles: true }));
  scrub(view, 0);
  button(view, "play").click();
  clock.tick();
  clock.tick(60_000);
  await settle();
  expect(slider(view).valueAsNumber).toBeCloseTo(100 / 450, 5);
});

test("the scrubber shows any moment between, and Python is told of steps alone", async () => {
  const view = await mount(trace("psum"));
  await loaded(view);
  const seen = new Set<string>();
  for (const at of [3.1, 3.3, 3.45, 3.6, 3.8, 4]) {
    scrub(view, at);
    await settle();
    expect(slider(view).valueAsNumber).toBe(at);
    seen.add(pixels(view));
  }
  expect(seen.size).toBe(6);
  expect(view.model.sentFor("step")).toEqual([3, 4]);
  expect(slider(view).getAttribute("aria-valuetext")).toBe("step 4 of 4: out_specs");
  scrub(view, 3.4);
  await settle();
});

test("keys: Space plays, comma and point step, Home and End go to the ends", async () => {
  const clock = new Clock();
  const view = await mount(trace("psum"), { step: 1 });
  await loaded(view);
  find(view, "[role=listbox]").focus();
  const press = async (key: string) => {
    await userEvent.keyboard(key);
    await settle();
  };
  await press("{End}");
  expect(shownStep(view)).toBe(4);
  await press("{Home}");
  expect(shownStep(view)).toBe(0);
  await press(".");
  expect(clock.waiting).toBe(1);
  clock.run();
  await shown(view, 1);
  await press(",");
  expect(shownStep(view)).toBe(0);
  await press(" ");
  expect(clock.waiting).toBe(1);
  await press(" ");
  expect(clock.waiting).toBe(0);
});

test("keys that belong to a control are left to it, and keys of the page to the page", async () => {
  const view = await mount(long(30));
  await loaded(view);
  const search = find<HTMLInputElement>(view, "input[type=search]");
  search.focus();
  await userEvent.keyboard("a, .{Home}{End}");
  expect([search.value, shownStep(view)]).toEqual(["a, .", 0]);
  slider(view).focus();
  await userEvent.keyboard("{End}");
  await shown(view, 29);
  await loaded(view);
  find(view, "[role=listbox]").focus();
  const seen: string[] = [];
  const note = (event: KeyboardEvent) => seen.push(event.key);
  document.addEventListener("keydown", note);
  await userEvent.keyboard("q.{Control>}.{/Control}");
  document.removeEventListener("keydown", note);
  expect(seen).toEqual(["q", "Control", "."]);
});

test("arrows go to the device beside, along the axes of the mesh", async () => {
  const view = await mount(trace("psum"));
  await loaded(view);
  const list = find(view, "[role=listbox]");
  const option = () => find(view, "[role=option]");
  const at = () => option().getAttribute("aria-label")?.split(";")[0];
  list.focus();
  expect(option().getAttribute("aria-selected")).toBe("false");
  const visited: (string | undefined)[] = [];
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft"]) {
    await userEvent.keyboard(`{${key}}`);
    await settle();
    visited.push(at());
  }
  expect(visited).toEqual([
    "device 0 at x=0, y=0",
    "device 2 at x=1, y=0",
    "device 3 at x=1, y=1",
    "device 3 at x=1, y=1",
    "device 1 at x=0, y=1",
    "device 0 at x=0, y=0",
  ]);
  expect(option().getAttribute("aria-selected")).toBe("true");
  await userEvent.keyboard("{Escape}");
  await settle();
  expect(option().getAttribute("aria-selected")).toBe("false");
});

/** A click in the middle of the device that the listbox is at. */
function click(view: Mounted, dx = 0, dy = 0): void {
  const box = find(view, "[role=option]").getBoundingClientRect();
  const at = { clientX: box.x + box.width / 2 + dx, clientY: box.y + box.height / 2 + dy };
  find(view, ".picture").dispatchEvent(new MouseEvent("click", { ...at, bubbles: true }));
}

test("a click looks at a device, whose element is worked out; a second lets go", async () => {
  const view = await mount(trace("psum"), { step: 3 });
  const worked = () => find(view, ".worked").textContent;
  // The sentence is whole before anything is pointed at.
  await expect.poll(worked).toContain("on device 0:");
  const left = () => find(view, "[role=option]").getBoundingClientRect().x;
  const first = left();
  await loaded(view);
  find(view, "[role=listbox]").focus();
  await userEvent.keyboard("{ArrowDown}{ArrowRight}");
  await expect.poll(left).toBeGreaterThan(first);
  const beside = left() - first;
  await userEvent.keyboard("{Escape}");
  await expect.poll(left).toBe(first);
  click(view, beside);
  await expect.poll(worked).toContain("on device 1:");
  await expect.poll(left).toBeGreaterThan(first);
  click(view);
  await expect.poll(worked).toContain("on device 0:");
});

test("where the rules cannot be loaded, a click looks at a device all the same", async () => {
  const view = await mount(trace("psum"), { step: 3, _parts: "throw new Error('not here')" });
  click(view);
  const chosen = () => find(view, "#device").getAttribute("aria-selected");
  await expect.poll(chosen).toBe("true");
  await settle();
  expect(find(view, ".worked").textContent).toBe("");
  expect(view.root.querySelector(".failure")).toBeNull();
});

test("among 64 devices the group of the device that is looked at stands in full", async () => {
  const view = await mount(trace("64 devices"), { step: 3 });
  const write = vi.spyOn(CanvasRenderingContext2D.prototype, "fillText");
  const words = () => write.mock.calls.map((call) => call[0]).join(" ");
  await loaded(view);
  find(view, "[role=listbox]").focus();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  await expect.poll(words).toContain("group 2 of 8, data=1");
  button(view, "next group").click();
  await expect.poll(words).toContain("group 3 of 8, data=2");
  button(view, "group before").click();
  button(view, "group before").click();
  await settle();
  button(view, "group before").click();
  await expect.poll(words).toContain("group 8 of 8, data=7");
});

test("an algorithm is chosen for the collective, which then plays in its rounds", async () => {
  const clock = new Clock();
  const view = await mount(trace("all_gather"), { step: 1 });
  await loaded(view);
  expect(pressed(view)).toBe("meaning");
  button(view, "ring").click();
  await settle();
  expect(pressed(view)).toBe("ring");
  expect(clock.run()).toBe(Math.ceil((3 * 700 + 500) / 16) + 1);
  await shown(view, 1);
  expect(view.root.querySelectorAll(".track .here i")).toHaveLength(2);
  expect(find(view, ".bill").textContent).toContain("3 hops on");
  const captions: string[] = [];
  for (const at of [1.1, 1.4, 1.7]) {
    scrub(view, at);
    await settle();
    captions.push(find(view, ".worked").textContent?.slice(0, 10) ?? "");
  }
  expect(captions).toEqual(["Hop 1 of 3", "Hop 2 of 3", "Hop 3 of 3"]);
});

test("an algorithm that a collective does not have cannot be chosen, with the reason", async () => {
  const view = await mount(trace("ppermute"), { step: 1 });
  expect(button(view, "meaning").disabled).toBe(false);
  expect([button(view, "ring").disabled, button(view, "ring").title]).toEqual([
    true,
    "does not apply to this collective",
  ]);
  const other = [...view.root.querySelectorAll("option")].find((o) => o.value === "halving-doubling");
  expect([other?.disabled, other?.title]).toEqual([true, expect.stringContaining("power of two")]);
});

test("in a narrow card the picture can be saved at every step, and the estimate is whole", async () => {
  for (const width of [326, 366, 480]) {
    const view = await mount(trace("psum"), { step: 3 }, { width });
    await loaded(view);
    saveButton(view.root);
    const inside = (part: string, whole: string) => {
      const [box, around] = [part, whole].map((selector) => find(view, selector).getBoundingClientRect());
      return box && around && box.bottom <= around.bottom && box.right <= around.right && box.top >= around.top;
    };
    expect([inside(".save button", "footer"), inside(".bill select", ".bill")]).toEqual([true, true]);
  }
});

test("what a step costs, in all and by axis, with an estimate for the chosen interconnect", async () => {
  const view = await mount(trace("psum"), { step: 3 });
  await loaded(view);
  const bill = find(view, ".bill");
  const badges = () => [...view.root.querySelectorAll(".badge")].map((badge) => textOf(badge as HTMLElement));
  // It is opened before anything moves.
  expect(bill.textContent).toContain("y0 B of 256 B");
  expect(badges()).toEqual(["1 collective", "32 B sent per device", expect.stringMatching(/^≈ 2 µs \w/)]);
  scrub(view, 3.999);
  await settle();
  expect(bill.textContent).toContain("2·V·(N−1)/N, V = 32 B, N = 2");
  expect(bill.textContent).toContain("y256 B of 256 B");
  expect(bill.textContent).toContain("2 hops as a ring on");
  const estimate = () => find(view, ".bill [title^=estimate]").title;
  expect(estimate()).toBe("estimate, latency bound: latency 2 µs; bandwidth alone 0.356 ns");
  scrub(view, 3.1);
  await expect.poll(() => bill.textContent).toContain("y0 B of 256 B");
  expect(find(view, ".bill .flying").style.width).toBe("100%");
  scrub(view, 3.999);
  await settle();
  const chosen = find<HTMLSelectElement>(view, ".bill select");
  chosen.value = "1";
  chosen.dispatchEvent(new Event("change", { bubbles: true }));
  await expect.poll(estimate).toContain("bandwidth alone 0.0711 ns");
  button(view, "first step").click();
  await shown(view, 0);
  // As many badges as at any step, so that nothing moves.
  expect(badges()).toEqual(["1 collective", "0 B sent per device", expect.stringMatching(/^≈ 0/)]);
  expect(bill.textContent).toContain("y0 B of 256 B");
});

test("search keeps the steps that match by primitive, name, type, axis or line", async () => {
  const view = await mount(trace("psum"));
  await loaded(view);
  const search = async (text: string) => {
    const input = find<HTMLInputElement>(view, "input[type=search]");
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    return rows(view).map((r) => r.querySelector("b")?.textContent ?? r.textContent);
  };
  expect(await search("PSUM")).toEqual(["psum"]);
  expect(await search("a @ b")).toEqual(["pvary", "dot_general"]);
  expect(await search("{v:x}")).toEqual(["psum"]);
  expect(await search("nowhere")).toEqual(["no step matches"]);
  expect(await search("")).toHaveLength(6);
});

test("a thousand steps open folded; opening, stepping and playing render few rows", async () => {
  const view = await mount(long(), { step: 0 });
  await loaded(view);
  const names = () => rows(view).map((r) => r.querySelector("b")?.textContent);
  // The scopes around the step that is shown are open.
  expect(names().length).toBeLessThanOrEqual(24 + 6);
  expect(names()).toContain("layer9");
  const layer = rows(view).find((r) => r.textContent?.includes("layer3"));
  expect(layer?.textContent).toContain("100 steps");
  layer?.querySelector("button")?.click();
  await expect.poll(() => names().filter((n) => n?.startsWith("part")).length).toBeGreaterThanOrEqual(10);
  expect(names().length).toBeLessThan(50);
  view.model.assign({ step: 555 });
  await shown(view, 555);
  expect(currentRow(view)).toBeTruthy();
  expect(names().length).toBeLessThan(70);
  // Playing within a step must not touch the list.
  const changed: MutationRecord[] = [];
  const observer = new MutationObserver((records) => changed.push(...records));
  observer.observe(find(view, ".steps"), { subtree: true, childList: true, attributes: true, characterData: true });
  for (const at of [555.2, 555.4, 555.6]) {
    scrub(view, at);
    await settle();
  }
  expect([...changed, ...observer.takeRecords()]).toEqual([]);
  scrub(view, 556.5);
  await settle();
  expect(observer.takeRecords().length).toBeLessThan(20);
  observer.disconnect();
});

test("steps that only move shapes can be left out", async () => {
  const view = await mount(trace("oddities"));
  await loaded(view);
  const all = rows(view).length;
  const fold = find<HTMLInputElement>(view, ".steps .tools input[type=checkbox]");
  fold.click();
  await expect.poll(() => rows(view).length).toBe(all - 2);
  fold.click();
  await expect.poll(() => rows(view).length).toBe(all);
});

test("iterations of a loop are named with their number and the total", async () => {
  const view = await mount(trace("scan"), { step: 3 });
  expect(
    rows(view)
      .map((r) => r.textContent ?? "")
      .filter((s) => s.startsWith("▾scan")),
  ).toEqual(["▾scan 1 of 12 ", "▾scan 2 of 12 ", "▾scan 12 of 12 "]);
  expect(find(view, ".note").textContent).toBe("Iterations 2 to 10 of scan are left out.");
  view.model.assign({ step: 4 });
  await shown(view, 4);
  expect(find(view, ".printed").textContent).toBe("iteration 1\n");
});

test("Python's step is shown, even while the browser plays; its own comes back unchanged", async () => {
  const clock = new Clock();
  const view = await mount(trace("psum"));
  view.model.assign({ step: 3 });
  await shown(view, 3);
  expect(slider(view).valueAsNumber).toBe(4);
  expect(view.model.sent).toEqual([]);
  button(view, "first step").click();
  button(view, "play").click();
  clock.run(40);
  await shown(view, 2);
  view.model.assign({ step: 1 });
  await shown(view, 1);
  expect([clock.waiting, slider(view).valueAsNumber]).toEqual([0, 2]);
});

test("a transfer is a rail beside the steps and lines that it is under way at; s goes to its other end", async () => {
  const view = await mount(trace("under way"), { step: 3 });
  await loaded(view);
  const rails = (where: string) => [...view.root.querySelectorAll(`${where} .rail`)].map((e) => e.className.trim());
  expect(rails(".steps")).toEqual(["rail axis0 starts", "rail axis0", "rail axis0", "rail axis0  ends"]);
  expect(rails(".source")).toEqual(["rail axis0 starts", "rail axis0", "rail axis0", "rail axis0  ends"]);
  expect(view.root.querySelectorAll(".track .length")).toHaveLength(1);
  expect(textOf(find(view, ".badge"))).toContain("1 collective");
  expect(textOf(find(view, ".bill"))).toContain("under way during 2 steps: mul, add");
  find(view, "[role=listbox]").focus();
  await userEvent.keyboard("s");
  await shown(view, 4);
  expect([...view.root.querySelectorAll(".badge")].map((b) => b.textContent)[1]).toContain("0 B");
  await userEvent.keyboard("s");
  await shown(view, 1);
  await userEvent.keyboard("{End}");
  await shown(view, 6);
  expect(rails(".source")).toEqual([]);
});

test("a watched variable stands beside a local step's own, and in words over a collective", async () => {
  const write = vi.spyOn(CanvasRenderingContext2D.prototype, "fillText");
  const view = await mount(trace("psum"), { step: 1 });
  await loaded(view);
  const names = () => write.mock.calls.filter((call) => call[0] === "a").length;
  expect(names()).toBe(0);
  view.model.assign({ watch: ["r", "a"] });
  // Over the first tile, and not over those below it.
  await expect.poll(names).toBeGreaterThan(0);
  view.model.assign({ watch: ["a"], step: 3 });
  await shown(view, 3);
  expect(find(view, ".watched").textContent).toMatch(/^watching on device 0 a × values \d/);
});

test("a press on a value watches it, and again lets go; Python is told", async () => {
  const view = await mount(trace("psum"), { step: 3 });
  await loaded(view);
  const chip = find<HTMLButtonElement>(view, ".type");
  const high = find(view, ".stepper").getBoundingClientRect().height;
  chip.click();
  await expect.poll(() => chip.getAttribute("aria-pressed")).toBe("true");
  expect(view.model.get("watch")).toEqual(["p"]);
  expect(find(view, ".watched").textContent).toContain("p");
  expect(find(view, ".stepper").getBoundingClientRect().height).toBe(high);
  const [line, head] = [find(view, ".watched button"), find(view, ".headline")].map((e) => e.getBoundingClientRect());
  expect(line?.bottom).toBeLessThanOrEqual(head?.bottom ?? 0);
  find<HTMLButtonElement>(view, ".watched button").click();
  await expect.poll(() => chip.getAttribute("aria-pressed")).toBe("false");
  expect(view.model.get("watch")).toEqual([]);
  expect(view.root.querySelector(".watched")).toBeNull();
});

test("where a program stops: JAX's words, what they mean, and fixes as code", async () => {
  const view = await mount(trace("error"), { step: 2 });
  const said = find(view, "[role=alert]");
  expect(find(view, "[role=alert] summary").textContent).toContain("JAX 0.10.2: ValueError: ");
  expect(said.querySelector("pre")?.textContent).toContain("which require replication");
  expect(textOf(find(view, ".says"))).toContain("Along i, y is not the same block on all devices");
  expect([...said.querySelectorAll(".fix code")].map((c) => c.textContent)).toEqual([
    "out_specs=P('i')",
    "line 3: return jax.lax.psum(x * 2, 'i')",
  ]);
  expect([...said.querySelectorAll("mark")].map((c) => c.textContent)).toEqual(["jax.lax.psum(", ", 'i')"]);
  const summed = said.querySelectorAll(".fix")[1];
  expect(summed?.querySelector(".row")?.textContent).toBe("6 10 14");
  expect(summed?.querySelector(".sent")?.textContent).toBe("12 B");
  expect(said.querySelector(".use")).toBeNull();
  expect(currentRow(view)?.textContent).toContain("stops here");
});

test("a fix is used where a kernel can trace it, and undone", async () => {
  const view = await mount(trace("error"), { step: 2, used: -1, _usable: true });
  const fixed = { ...trace("psum"), changed: (trace("error") as unknown as Trace).error?.fixes[1] };
  [...view.root.querySelectorAll<HTMLButtonElement>(".use")][1]?.click();
  expect(view.model.sent).toEqual([{ used: 1 }]);
  await expect.poll(() => view.root.querySelectorAll(".use:disabled").length).toBe(2);
  view.model.assign({ _document: fixed, step: 3 });
  await shown(view, 3);
  await loaded(view);
  expect(find(view, ".changed").textContent).toContain("line 3 changed: Sum the blocks along i");
  find<HTMLButtonElement>(view, ".changed button").click();
  expect(view.model.sent).toEqual([{ used: 1 }, { used: -1 }]);
});

test("a kernel that cannot trace a fix takes the buttons away", async () => {
  const view = await mount(trace("error"), { step: 2, used: -1, _usable: true });
  find<HTMLButtonElement>(view, ".use").click();
  await expect.poll(() => find(view, ".use").textContent).toBe("…");
  view.model.assign({ _usable: false });
  await expect.poll(() => view.root.querySelector(".use")).toBeNull();
});

test("with reduced motion no copy is seen between its ends", async () => {
  await prefers("reduced-motion", "reduce");
  const clock = new Clock();
  const view = await mount(trace("psum"), { step: 2 });
  button(view, "forward").click();
  const pictures = new Set<string>();
  for (let i = 0; clock.waiting > 0 && i < 1000; i++) {
    clock.tick();
    await settle();
    pictures.add(pixels(view));
  }
  // Before, arrived, under addition, added, at the end.
  expect(pictures.size).toBeLessThanOrEqual(5);
  expect(slider(view).valueAsNumber).toBe(4);
});

test("a document of a newer version says so, and a good one after it is drawn from its first step", async () => {
  const view = start({ ...trace("psum"), version: 99 }, { step: 3 });
  await expect.poll(() => view.root.querySelector("[role=alert]")?.textContent).toContain("has version 99");
  view.model.assign({ _document: trace("all_gather"), step: 0 });
  await shown(view, 0);
  expect(view.root.querySelector("[role=alert]")).toBeNull();
  expect(headline(view)).toContain("w split into blocks.");
});

test("a shorter document in place of a longer one shows one of its steps", async () => {
  const view = await mount(trace("psum"), { step: 4 });
  view.model.assign({ _document: trace("error") });
  await expect.poll(() => find(view, ".count").textContent).toBe("2/2");
  expect(textOf(find(view, ".says"))).toContain("out_specs P() says that it is");
});

test("an error while painting is shown, never a blank picture", async () => {
  vi.spyOn(CanvasRenderingContext2D.prototype, "fillText").mockImplementation(() => {
    throw new Error("no ink left");
  });
  const view = start(trace("psum"));
  await expect.poll(() => view.root.querySelector("[role=alert]")?.textContent).toContain("no ink left");
});

test("two steppers on a page step for themselves", async () => {
  const [a, b] = [await mount(trace("psum")), await mount(trace("psum"))];
  button(a, "last step").click();
  await shown(a, 4);
  expect(shownStep(b)).toBe(0);
  expect(b.model.sent).toEqual([]);
});

test("what the user named comes out as text", async () => {
  const evil = `<img src=x onerror="document.title='hit'">`;
  const base = trace("error");
  const text = JSON.stringify({ ...base, variables: undefined, mesh: undefined });
  expect(text).toContain('"i"');
  const hostile: Trace = {
    ...base,
    name: evil,
    mesh: { ...base.mesh, axes: base.mesh.axes.map((a) => ({ ...a, name: evil })) },
    variables: base.variables.map((v) => ({ ...v, name: evil, type: evil, varying: [evil] })),
    steps: base.steps.map((s) => ({
      ...s,
      sentence: evil,
      printed: evil,
      source: s.source && { ...s.source, text: evil },
    })),
    scopes: base.scopes.map((s) => ({ ...s, name: evil })),
    listings: base.listings.map((l) => ({ ...l, lines: l.lines.map(() => evil) })),
    regions: base.regions.map((r) => ({ ...r, out_specs: [evil] })),
    note: evil,
    error: base.error && {
      ...base.error,
      message: evil,
      explanation: evil,
      fixes: base.error.fixes.map((fix) => ({ ...fix, title: evil, code: evil })),
    },
  };
  for (const step of [0, 1, 2]) {
    const view = await mount(hostile, { step });
    expect(view.root.textContent).toContain(evil);
    expect(view.root.querySelector("img")).toBeNull();
  }
  expect(document.title).not.toBe("hit");
});

test.each([1240, 900, 700, 568, 480, 408, 382, 260])("nothing of the card is wider than it at %i px", async (width) => {
  for (const name of ["psum", "error", "64 devices", "oddities"] as const) {
    const view = await mount(trace(name), { step: 2 }, { width });
    if (width < 902) view.root.querySelector<HTMLElement>(".strip button:last-of-type")?.click();
    await settle();
    const { right } = view.frame.getBoundingClientRect();
    for (const element of view.root.querySelectorAll(
      "header *, .headline *, .transport *, .bill *, footer *, .tools *, .steps button, .panel",
    )) {
      const past = element.getBoundingClientRect().right - right;
      // On the smallest cards parts of the bill are cut.
      if (past > 1 && !element.closest(".hidden, pre, .counts > span *, footer .keys *, .badges *, .chips *")) {
        expect.fail(`${name}: <${element.localName} class="${element.className}"> is ${past} px too wide`);
      }
    }
    view.stop();
  }
});

test("on a narrow card the current line stays; source and steps open over the picture", async () => {
  const view = await mount(trace("psum"), { step: 3 }, { width: 480 });
  expect(rows(view)).toEqual([]);
  expect(find(view, ".strip code").textContent).toBe("5return jax.lax.psum(p, 'y')");
  const height = () => view.frame.getBoundingClientRect().height;
  const before = height();
  const menu = button(view, "step 3 of 4 ▾");
  expect(menu.getAttribute("aria-expanded")).toBe("false");
  menu.click();
  await expect.poll(() => rows(view).length).toBe(6);
  expect(height()).toBe(before);
  button(view, "source ▾").click();
  await expect.poll(() => view.root.querySelectorAll(".menu .source li").length).toBe(5);
});

test("a card is as high at every step, no higher when it is wider, and at most 640 px from 900 px", async () => {
  for (const name of ["psum", "all_to_all", "cube", "64 devices", "scan", "error"] as const) {
    let last = Number.POSITIVE_INFINITY;
    for (const width of [288, 330, 400, 480, 558, 562, 640, 700, 800, 898, 902, 934, 1040, 1180, 1366, 1648]) {
      const t = trace(name);
      const view = await mount(t, { step: 0 }, { width });
      const heights = new Set<number>();
      for (let step = 0; step < t.steps.length; step++) {
        view.model.assign({ step });
        await shown(view, step);
        heights.add(Math.round(find(view, ".card").getBoundingClientRect().height));
      }
      const [height = 0] = heights;
      expect([...heights], `${name} at ${width}`).toHaveLength(1);
      expect(height, `${name} at ${width} after a narrower one`).toBeLessThanOrEqual(last);
      if (width >= 900) expect(height, `${name} at ${width}`).toBeLessThanOrEqual(640);
      const transport = find(view, ".transport").getBoundingClientRect();
      // On a small card types have lines of their own, whole.
      expect(transport.top - view.frame.getBoundingClientRect().top).toBeLessThan(width < 560 ? 330 : 190);
      last = height;
      view.stop();
    }
  }
});

test("beside the picture source, steps and what they send are whole, with the current step and line in view", async () => {
  const equations = (count: number): Trace => {
    const base = trace("psum");
    const local = base.steps[1] as Step;
    return { ...base, steps: [...Array.from({ length: count }, () => local), ...base.steps] };
  };
  for (const doc of [trace("psum"), trace("all_to_all"), trace("scan"), equations(12), equations(40)])
    for (const width of [934, 1240]) {
      const step = doc.steps.findIndex((s) => s.collective);
      const view = await mount(doc, { step }, { width });
      await expect.poll(() => view.root.querySelector(".counts, .filters .tools")).not.toBeNull();
      await settle();
      const box = (selector: string) => find(view, selector).getBoundingClientRect();
      const list = box(".steps .scroll");
      expect(box(".bill").bottom).toBeLessThanOrEqual(box("aside").bottom);
      expect(box(".source").top).toBeGreaterThanOrEqual(box("aside").top);
      expect(list.height).toBeGreaterThan(130);
      const row = box(".steps .current");
      expect([row.top >= list.top - 1, row.bottom <= list.bottom + 1], `${doc.steps.length} steps`).toEqual([
        true,
        true,
      ]);
      // No line is cut by what is over it.
      const source = find(view, ".source");
      if (source.scrollTop > 6) expect((source.scrollTop - 6) % 18).toBeCloseTo(0, 0);
    }
});

test("the last line of code stays in view under a line that is whole, however often it is looked for", () => {
  const list = document.body.appendChild(document.createElement("section"));
  list.style.cssText = "height: 124px; padding: 6px 0; overflow: auto; line-height: 18px";
  const lines = list.appendChild(document.createElement("div"));
  for (const height of [72, 18, 18, 36])
    lines.appendChild(document.createElement("p")).style.cssText = `margin: 0; height: ${height}px`;
  const line = list.querySelector("p:last-child");
  for (let times = 0; times < 3; times++) {
    keepLineInView(line);
    expect([list.scrollTop, list.clientHeight]).toEqual([24, 136]);
  }
  list.remove();
});

test.each(TRACES)(
  "%s: the step that is shown is whole in its list, five steps need no scrolling, and nothing sent is cut",
  async (name) => {
    const doc = trace(name);
    const view = await mount(doc, {}, { width: 1240 });
    await expect.poll(() => view.root.querySelector(".bill:empty")).toBeNull();
    const cut = new Set<string>();
    const rowIsWhole = async (what: string) => {
      await frames(2);
      const [row, list] = [find(view, ".steps .current"), find(view, ".steps .scroll")];
      const [at, around] = [row, list].map((el) => el.getBoundingClientRect()) as [DOMRect, DOMRect];
      if (at.top < around.top - 0.5 || at.bottom > around.bottom + 0.5) cut.add(`row ${what}`);
      if (doc.steps.length <= 5 && list.scrollHeight > list.clientHeight) cut.add(`list ${what}`);
      for (const bill of view.root.querySelectorAll(".bill"))
        if (bill.scrollHeight > bill.clientHeight || bill.scrollWidth > bill.clientWidth) cut.add(`bill ${what}`);
    };
    for (const step of doc.steps.keys()) {
      if (step > 8 && step < doc.steps.length - 1) continue;
      view.model.assign({ step });
      await rowIsWhole(`step ${step}`);
    }
    for (const width of [934, 902, 1100]) {
      (view.frame.parentElement as HTMLElement).style.width = `${width}px`;
      await rowIsWhole(`${width} px`);
    }
    expect([...cut]).toEqual([]);
  },
);

test("long types are read whole at every width, the sentence where it is pressed, and the card stays as high", async () => {
  const base = trace("psum");
  const names: Readonly<Record<string, string>> = { x: "data_parallel", y: "tensor_parallel" };
  const long = (text: string) => text.replace(/\b[xy]\b/g, (axis) => names[axis] ?? axis);
  const doc: Trace = {
    ...base,
    mesh: { ...base.mesh, axes: base.mesh.axes.map((a) => ({ ...a, name: long(a.name) })) },
    variables: base.variables.map((v) => ({ ...v, name: `${v.name}_of_the_layer`, type: long(v.type) })),
    steps: base.steps.map((s) => ({
      ...s,
      sentence: long(s.sentence),
      collective: s.collective && { ...s.collective, axes: s.collective.axes.map(long) },
    })),
  };
  for (const width of [288, 340, 380, 419, 421, 480, 540, 559, 561, 640, 700, 934]) {
    const view = await mount(doc, { step: 0 }, { width });
    const heights = new Set<number>();
    for (let step = 0; step < doc.steps.length; step++) {
      view.model.assign({ step });
      await shown(view, step);
      heights.add(find(view, ".card").getBoundingClientRect().height);
      const head = find(view, ".headline").getBoundingClientRect();
      for (const part of view.root.querySelectorAll<HTMLElement>(".headline .type, .headline .sentence")) {
        // What is cut opens over the picture.
        const opens = part.matches(".sentence");
        if (opens) part.focus();
        const box = part.getBoundingClientRect();
        const cut = [
          part.scrollWidth - part.clientWidth,
          part.scrollHeight - part.clientHeight,
          box.bottom - (opens ? find(view, ".card").getBoundingClientRect() : head).bottom,
        ];
        expect(Math.max(...cut), `${part.textContent} at ${width}`).toBeLessThanOrEqual(1);
        part.blur();
      }
    }
    expect(heights.size, `heights at ${width}`).toBe(1);
    view.stop();
  }
});

test.each(TRACES)(
  "%s: no type, name or sentence of a head is cut at the edge of a card, at any width",
  async (name) => {
    const doc = trace(name);
    const cut = new Set<string>();
    const view = await mount(doc, {}, { width: 1240 });
    for (const width of [1240, 934, 904, 700, 560, 480, 360]) {
      (view.frame.parentElement as HTMLElement).style.width = `${width}px`;
      for (const step of new Set([...doc.steps.keys()].filter((k) => k < 6 || k === doc.steps.length - 1))) {
        view.model.assign({ step });
        await frames(2);
        const head = find(view, ".headline").getBoundingClientRect();
        for (const part of view.root.querySelectorAll<HTMLElement>(
          ".headline :is(.type, .operation, .more), .says b",
        )) {
          const box = part.getBoundingClientRect();
          const room = part.matches(".says b") ? find(view, ".says p").getBoundingClientRect() : head;
          const over = Math.max(
            part.scrollWidth - part.clientWidth,
            box.right - room.right,
            box.bottom - room.bottom,
            room.left - box.left,
          );
          if (part.clientWidth > 0 && over > 1) cut.add(`${part.textContent} at ${width}: ${Math.round(over)} px`);
        }
      }
    }
    expect([...cut]).toEqual([]);
  },
);

test("a head that is too narrow for its last badge ends it in an ellipsis, and its title says it whole", async () => {
  const doc = trace("psum");
  const [, ...others] = doc.interconnects;
  const named = { ...doc, interconnects: ["the network of our own cluster", ...others] };
  const view = await mount(named, { step: 3 }, { width: 444 });
  const badge = [...view.root.querySelectorAll<HTMLElement>(".badge")].at(-1) as HTMLElement;
  const row = find(view, "header > .badges").getBoundingClientRect();
  expect(badge.scrollWidth).toBeGreaterThan(badge.clientWidth);
  expect(getComputedStyle(badge).textOverflow).toBe("ellipsis");
  expect(badge.getBoundingClientRect().right).toBeLessThanOrEqual(row.right);
  expect(badge.title).toBe("the network of our own cluster, estimate");
});

test("a program that sends nothing keeps no room for what is sent", async () => {
  for (const width of [934, 700, 480]) {
    for (const sends of [true, false]) {
      const steps = trace("psum").steps.map((step) => ({ ...step, collective: sends ? step.collective : null }));
      const view = await mount({ ...trace("psum"), steps: sends ? steps : steps.slice(0, 3) }, { step: 2 }, { width });
      expect(view.root.querySelector(".bill") !== null, `at ${width}`).toBe(sends);
      const [stage, foot] = [".body", "footer"].map((part) => find(view, part).getBoundingClientRect());
      if (!sends) expect((foot?.top ?? 0) - (stage?.bottom ?? 0), `at ${width}`).toBeLessThan(2);
      view.stop();
    }
  }
});

test("mesh axes follow a name of one letter at once", async () => {
  for (const width of [1240, 700, 444]) {
    const view = await mount({ ...trace("psum"), name: "f" }, {}, { width });
    const name = document.createRange();
    name.selectNodeContents(find(view, "h2"));
    const gap = find(view, ".chips").getBoundingClientRect().left - name.getBoundingClientRect().right;
    expect(gap, `at ${width}`).toBeLessThanOrEqual(13);
    view.stop();
  }
});

test("no row of controls ends outside the card, and the foot has one line", async () => {
  const view = await mount(trace("psum"), { step: 3 }, { width: 564 });
  const foot = find(view, "footer");
  // As wide as the menu that saves a card.
  const save = document.createElement("button");
  save.style.width = "60px";
  foot.append(save);
  for (const [width, font] of [
    ...[564, 560, 480, 412, 396, 382, 360].map((width) => [width, null] as const),
    ...[668, 584, 568, 512, 484, 414].map((width) => [width, "DejaVu Sans"] as const),
  ]) {
    if (font) find(view, ".card").style.setProperty("--ui", font);
    (view.frame.parentElement as HTMLElement).style.width = `${width}px`;
    await frames(2);
    const transport = find(view, ".transport");
    const last = [...transport.querySelectorAll(":scope > :not(.hidden)")].at(-1) as Element;
    const { right } = transport.getBoundingClientRect();
    const shown = last.getBoundingClientRect();
    if (shown.width > 0) expect(right - shown.right, `at ${width}`).toBeGreaterThanOrEqual(8);
    const [at, room] = [save.getBoundingClientRect(), foot.getBoundingClientRect()];
    expect(at.bottom, `at ${width}`).toBeLessThanOrEqual(room.bottom);
  }
});

test("collectives only has words and a name at every width", async () => {
  for (const [width, words] of [
    [1100, "collectives only"],
    [700, "collectives only"],
    [480, "collectives"],
    [400, "collectives"],
  ] as const) {
    const view = await mount(trace("psum"), { step: 0 }, { width });
    const label = find(view, ".only");
    expect(label.innerText.trim(), `at ${width}`).toBe(words);
    const box = label.querySelector("input") as HTMLInputElement;
    expect(box.ariaLabel).toBe("collectives only");
    expect(label.getBoundingClientRect().width).toBeGreaterThan(60);
    expect(find(view, ".scrubber").getBoundingClientRect().width).toBeGreaterThanOrEqual(59);
    box.focus();
    await userEvent.keyboard(" ");
    expect(box.checked).toBe(true);
    view.stop();
  }
});

test("in forced colours the arrow has a head, and what is done, chosen and watched is told from what is not", async () => {
  await forcedColors();
  const view = await mount(trace("psum"), { step: 3, watch: ["p"] });
  const of = (selector: string) => getComputedStyle(find(view, selector));
  const ground = of(".card").backgroundColor;
  expect(of(".operation i").borderLeftColor).not.toBe(ground);
  expect(of(".steps .dot.done").backgroundColor).not.toBe(of(".steps .dot:not(.done)").backgroundColor);
  expect(of(".steps .icon").backgroundColor).not.toBe(ground);
  expect(of(".segments [aria-pressed=true]").backgroundColor).not.toBe(
    of(".segments [aria-pressed=false]").backgroundColor,
  );
  const watched = of(".type[aria-pressed=true]");
  expect([watched.outlineStyle, watched.outlineOffset]).toEqual(["solid", "-2px"]);
  const current = view.root.querySelectorAll(".steps li.current");
  expect(current).toHaveLength(1);
  expect(getComputedStyle(current[0] as Element).borderLeftWidth).toBe("4px");
  expect(of(".steps li:not(.current)").borderLeftWidth).toBe("0px");
});

test("a step of more than three inputs says how many more, at the same height", async () => {
  const doc = trace("oddities");
  const inputs = doc.variables.slice(0, 5).map((v) => v.id);
  const given = (count: number) => ({
    ...doc,
    steps: doc.steps.map((step, i) => (i === 1 ? { ...step, inputs: inputs.slice(0, count) } : step)),
  });
  for (const width of [480, 934, 1240]) {
    const [few, many] = [await mount(given(3), { step: 1 }, { width }), await mount(given(5), { step: 1 }, { width })];
    expect(few.root.querySelector(".more")).toBeNull();
    const more = find(many, ".headline .more");
    expect(textOf(more)).toBe("+2 more");
    expect(more.title).toBe(
      doc.variables
        .slice(3, 5)
        .map((v) => `${v.name} ${v.type}`)
        .join(", "),
    );
    const [head, box] = [find(many, ".headline"), more].map((e) => e.getBoundingClientRect());
    expect(box?.width).toBeGreaterThan(40);
    expect(box?.right, `at ${width}`).toBeLessThanOrEqual(head?.right ?? 0);
    expect(box?.bottom, `at ${width}`).toBeLessThanOrEqual(head?.bottom ?? 0);
    expect(head?.height, `at ${width}`).toBe(find(few, ".headline").getBoundingClientRect().height);
    few.stop();
    many.stop();
  }
});

test("a collective over axes with long names is named over the scrubber, not over what is beside it", async () => {
  const doc = trace("all_gather");
  const axes = doc.mesh.axes.map((a) => ({ ...a, name: `sequence_of_shards_${a.name}` }));
  const steps = doc.steps.map((s) => ({
    ...s,
    collective: s.collective && {
      ...s.collective,
      axes: s.collective.axes.map((name) => `sequence_of_shards_${name}`),
    },
  }));
  for (const width of [480, 700, 934]) {
    const view = await mount({ ...doc, steps, mesh: { ...doc.mesh, axes } }, { step: 1 }, { width });
    const [name, track] = [".scrubber .named", ".scrubber"].map((s) => find(view, s).getBoundingClientRect());
    if (!name || !track) return expect.fail("there is no name");
    expect(name.left, `at ${width}`).toBeGreaterThanOrEqual(track.left - 0.5);
    expect(name.right, `at ${width}`).toBeLessThanOrEqual(track.right + 0.5);
    view.stop();
  }
});

test("the outline of a type that has the focus is inside the head", async () => {
  const view = await mount(trace("psum"), { step: 1 }, { width: 480 });
  await userEvent.keyboard("{Tab}{Tab}");
  for (const type of view.root.querySelectorAll<HTMLElement>(".type")) {
    type.focus();
    expect(type.matches(":focus-visible")).toBe(true);
    expect(getComputedStyle(type).outlineOffset).toBe("-2px");
  }
  view.stop();
});

test("what a step has sent moves nothing on the card", async () => {
  for (const width of [480, 700, 934]) {
    const view = await mount(trace("all_gather"), { step: 1 }, { width });
    const places = new Set<string>();
    for (const at of [1, 1.2, 1.5, 1.8, 1.999]) {
      scrub(view, at);
      await settle();
      const parts = [...view.root.querySelectorAll("footer > *, .badge, .counts > *, .bar")].map((e) =>
        e.getBoundingClientRect(),
      );
      places.add(parts.map((box) => [box.x, box.y, box.width].map(Math.round).join()).join(" "));
    }
    expect(places.size, `at ${width}`).toBe(1);
    view.stop();
  }
});

test("clean-up ends listeners and frames, in the middle of a play too", async () => {
  const clock = new Clock();
  const view = await mount(trace("psum"));
  button(view, "play").click();
  clock.tick();
  expect(clock.waiting).toBe(1);
  expect(view.model.listening).toBeGreaterThan(0);
  view.stop();
  await settle();
  expect([clock.waiting, view.model.listening]).toEqual([0, 0]);
  expect(view.root.querySelector(".card")).toBeNull();
});

/** Moves the pointer to a place in the tile that the listbox is at. */
function point(view: Mounted, dx: number, dy: number): void {
  const box = find(view, "[role=option]").getBoundingClientRect();
  const at = { clientX: box.x + dx * box.width, clientY: box.y + dy * box.height };
  find(view, ".picture").dispatchEvent(new PointerEvent("pointermove", { ...at, bubbles: true }));
}

const tip = ({ root }: Mounted) => root.querySelector(".tip");

test("pointing at an element says what it is, on which device, and who holds the same", async () => {
  const view = await mount(trace("psum"), { step: 3 });
  await loaded(view);
  scrub(view, 3.999);
  await settle();
  expect(tip(view)).toBeNull();
  const before = pixels(view);
  point(view, 0.8, 0.6);
  await expect
    .poll(() => tip(view)?.textContent)
    .toMatch(/^s\[\d,\d\] = \d+f32\[2,4\]\{V:x\} · 32 Bdevice 0 at x=0, y=0/);
  expect(tip(view)?.textContent).toContain("varies over x; 2 copies, also on 1");
  expect(pixels(view)).not.toBe(before);
  // Beside the blocks a tile is the device alone.
  point(view, 0.5, 0.05);
  await expect.poll(() => tip(view)?.textContent).toBe("device 0 at x=0, y=0");
  find(view, ".picture").dispatchEvent(new PointerEvent("pointerleave"));
  await expect.poll(() => tip(view)).toBeNull();
  expect(pixels(view)).toBe(before);
});

test("a result that is under way is described as it will be", async () => {
  const view = await mount(trace("psum"), { step: 3 });
  scrub(view, 3.3);
  await settle();
  await loaded(view);
  find(view, "[role=listbox]").focus();
  await userEvent.keyboard("{ArrowDown}");
  await expect.poll(() => tip(view)?.textContent).toContain("when the step is done: values");
});

test("the keyboard reads the same: the result on each device, Enter the other blocks", async () => {
  const view = await mount(trace("psum"), { step: 3 });
  await loaded(view);
  find(view, "[role=listbox]").focus();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  await expect.poll(() => tip(view)?.textContent).toMatch(/^sf32\[2,4\]\{V:x\} · 32 Bdevice 2 at x=1, y=0/);
  expect(find(view, "[role=option]").getAttribute("aria-label")).toMatch(/^device 2 at x=1, y=0; s; f32/);
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => tip(view)?.textContent).toMatch(/^pf32/);
  await userEvent.keyboard("{Escape}");
  await expect.poll(() => tip(view)).toBeNull();
});

test("a tooltip is never cut by the edge of the card", async () => {
  for (const width of [1100, 480, 300]) {
    const view = await mount(trace("psum"), { step: 3 }, { width });
    await loaded(view);
    const list = find(view, "[role=listbox]");
    list.focus();
    const card = find(view, ".card").getBoundingClientRect();
    for (const key of ["ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown"]) {
      await userEvent.keyboard(`{${key}}`);
      await settle();
      await expect.poll(() => tip(view)).not.toBeNull();
      const box = tip(view)?.getBoundingClientRect() as DOMRect;
      const out = Math.max(card.left - box.left, box.right - card.right, card.top - box.top, box.bottom - card.bottom);
      expect(out).toBeLessThanOrEqual(0);
    }
    view.stop();
  }
});

test("keys go to the collectives, through the algorithms, to the search and to the devices, and show their list", async () => {
  const view = await mount(trace("all_gather"), { step: 4 });
  const list = find(view, "[role=listbox]");
  list.focus();
  await userEvent.keyboard("[[");
  await shown(view, 1);
  await userEvent.keyboard("[[");
  expect(shownStep(view)).toBe(1);
  const clock = new Clock();
  for (const name of ["ring", "bidirectional ring", "halving-doubling", "meaning"]) {
    await userEvent.keyboard("a");
    await settle();
    expect(pressed(view)).toBe(name);
    clock.run();
  }
  const keys = find<HTMLDetailsElement>(view, ".all-keys");
  await userEvent.keyboard("?");
  await expect.poll(() => keys.open).toBe(true);
  expect(keys.textContent).toContain("collective before, after");
  await userEvent.keyboard("{Escape}");
  await expect.poll(() => keys.open).toBe(false);
  find(view, ".all-keys summary").focus();
  await userEvent.keyboard("g");
  expect(view.root.activeElement).toBe(list);
  const many = await mount(long(30));
  await loaded(many);
  find(many, "[role=listbox]").focus();
  await userEvent.keyboard("/");
  expect(many.root.activeElement).toBe(find(many, "input[type=search]"));
});

test("what is loaded later has its room in the foot", async () => {
  const view = await mount(trace("psum"), { step: 2 });
  const keys = find(view, "footer .keys");
  expect(view.root.querySelector(".all-keys")).toBeNull();
  const { right } = keys.getBoundingClientRect();
  await loaded(view);
  expect(find(view, ".all-keys").getBoundingClientRect().left).toBeGreaterThan(right);
  expect(keys.getBoundingClientRect().right).toBe(right);
});

test("arrows on the scrubber show moments, page keys steps", async () => {
  const view = await mount(trace("psum"), { step: 2 });
  slider(view).focus();
  const at: number[] = [];
  for (const key of ["ArrowLeft", "ArrowLeft", "ArrowRight", "PageUp", "PageDown"]) {
    await userEvent.keyboard(`{${key}}`);
    await settle();
    at.push(slider(view).valueAsNumber);
  }
  expect(at).toEqual([2.95, 2.9, 2.95, 3.95, 2.95].map((n) => expect.closeTo(n, 9)));
});

test("a scope that is folded by hand stays so at its own steps", async () => {
  const view = await mount(trace("psum"), { step: 2 });
  const scope = () => rows(view)[0] as HTMLElement;
  scope().querySelector("button")?.click();
  await expect.poll(() => rows(view).length).toBe(1);
  expect(scope().classList).toContain("current");
  button(view, "last step").click();
  await shown(view, 4);
  expect(rows(view)).toHaveLength(1);
  scope().querySelector("button")?.click();
  await expect.poll(() => rows(view).length).toBe(6);
});

test("of a long program the collectives alone can be listed", async () => {
  const psum = trace("psum").steps.find((s) => s.collective !== null) as Step;
  const doc = long(30);
  const view = await mount({
    ...doc,
    steps: doc.steps.map((s, i) => (i % 10 === 5 ? { ...psum, scope: s.scope } : s)),
  });
  expect(rows(view).length).toBeGreaterThan(30);
  find(view, "button.badge").click();
  await expect.poll(() => rows(view).map((r) => r.querySelector("b")?.textContent)).toEqual(["psum", "psum", "psum"]);
});

test("a fix is copied; where the page may not, it is selected", async () => {
  const view = await mount(trace("error"), { step: 2 });
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  const copy = button(view, "copy out_specs=P('i')");
  copy.click();
  await expect.poll(() => copy.textContent).toBe("copied");
  expect(write).toHaveBeenCalledWith("out_specs=P('i')");
  write.mockRejectedValue(new Error("not allowed"));
  const other = button(view, "copy return jax.lax.psum(x * 2, 'i')");
  other.click();
  await expect.poll(() => other.textContent).toBe("selected");
});

test("changes stand in a wide card without scrolling; those that rank behind come in place of the first", async () => {
  const base = trace("error") as unknown as Trace & { error: Failure };
  const [fix] = base.error.fixes.slice(1) as [Fix];
  const long = "Sum the blocks of y along i, before the function returns what it has made of them";
  const fixes = Array.from({ length: 5 }, (_, k) => ({ ...fix, title: `${long} ${k}`, code: `${fix.code}  # ${k}` }));
  const view = await mount(
    { ...base, error: { ...base.error, fixes } },
    { step: 2, used: -1, _usable: true },
    { width: 934 },
  );
  const box = find(view, ".view.failed");
  const card = () => find(view, ".stepper").getBoundingClientRect().height;
  const ranks = () => [...view.root.querySelectorAll(".fix")].map((row) => getComputedStyle(row, "::before").content);
  const before = [card(), box.scrollHeight];
  await expect.poll(() => view.root.querySelectorAll(".fix").length).toBeLessThan(5);
  expect(box.scrollHeight).toBe(box.clientHeight);
  expect(card()).toBeLessThanOrEqual(640);
  const first = ranks();
  const others = find<HTMLButtonElement>(view, ".others button");
  expect(others.textContent).toBe(`▾ ${5 - first.length} more change${first.length === 4 ? "" : "s"}`);
  others.click();
  await expect.poll(ranks).toEqual(['"1"', '"2"', '"3"', '"4"', '"5"'].slice(first.length));
  expect([card(), box.scrollHeight]).toEqual([before[0], box.clientHeight]);
  view.root.querySelector<HTMLButtonElement>(".use")?.click();
  expect(view.model.sent).toEqual([{ used: first.length }]);
  others.click();
  await expect.poll(ranks).toEqual(first);
});

test("an error says which value, along which axis and since when, and goes there", async () => {
  const view = await mount(trace("error"), { step: 2 });
  const facts = find(view, ".facts");
  expect(facts.textContent).toMatch(/valuey .*mesh axisi sincestep \d+, \w+, line \d+/);
  facts.querySelector("button")?.click();
  await expect.poll(() => shownStep(view)).toBeLessThan(2);
  // A program that sends nothing has no bill and no algorithms.
  expect(view.root.querySelector(".segments")).toBeNull();
});

test("in space-time arrow keys follow the block of a device, and Escape lets go", async () => {
  const view = await mount(trace("ppermute"));
  button(view, "space-time").click();
  await expect.poll(() => view.root.querySelector(".space canvas")).toBeTruthy();
  const followed = () => textOf(find(view, ".space [role=status] p"));
  const spoken = find(view, ".space [role=status]");
  const before = pixels(view);
  press(view.frame, "ArrowRight");
  press(view.frame, "ArrowRight");
  await settle();
  expect(followed()).toBe("block of device 1");
  expect(pixels(view)).not.toBe(before);
  // The lens is over the tile that holds it.
  expect(textOf(find(view, ".space .tip"))).toMatch(/^device 1 at i=1/);
  // It is read out: the region was there before its text.
  expect(textOf(spoken)).toMatch(/^block of device 1device 1 at i=1/);
  press(view.frame, "ArrowLeft");
  await settle();
  expect(followed()).toBe("block of device 0");
  press(view.frame, "Escape");
  await settle();
  expect(followed()).toBe("");
  expect(textOf(spoken)).toBe("");
  expect(spoken.isConnected).toBe(true);
});

test("space-time shows all steps against all devices; a row shows its step, and the card is as high at each", async () => {
  const view = await mount(trace("scan"), { step: 0 });
  const height = () => Math.round(find(view, ".card").getBoundingClientRect().height);
  // A loop that sends blocks on opens there.
  await expect.poll(() => view.root.querySelector(".space canvas")).toBeTruthy();
  button(view, "tiles").click();
  await expect.poll(() => view.root.querySelector(".space")).toBeNull();
  const before = [height(), pixels(view)];
  button(view, "space-time").click();
  const shownRows = () => [...view.root.querySelectorAll<HTMLElement>(".space li button")];
  // in_specs; of each iteration the ring, and what makes the block of the next.
  await expect.poll(() => shownRows().length).toBe(6);
  await expect.poll(() => pixels(view)).not.toBe(before[1]);
  const open = height();
  expect(open).toBeGreaterThanOrEqual(Number(before[0]));
  expect(open).toBeLessThanOrEqual(640);
  const hops = shownRows().filter((row) => row.textContent?.startsWith("ppermute i"));
  expect(hops.map((row) => row.textContent?.match(/i=\d+/)?.[0])).toEqual(["i=0", "i=1", "i=11"]);
  hops[1]?.click();
  await shown(view, 3);
  await expect.poll(() => hops[1]?.getAttribute("aria-current")).toBe("step");
  expect(height()).toBe(open);
  // The loop folds to its first iteration and its last row, and the step stays.
  find(view, ".bracket").click();
  await expect.poll(() => shownRows().length).toBe(4);
  await shown(view, 3);
  button(view, "tiles").click();
  await expect.poll(() => view.root.querySelector(".space")).toBeNull();
});

test("on paper space-time shows all its rows", async () => {
  const view = await mount(trace("scan"), { step: 0 });
  button(view, "space-time").click();
  await expect.poll(() => view.root.querySelector(".space canvas")).toBeTruthy();
  await onPaper();
  const height = (part: string) => find(view, part).getBoundingClientRect().height;
  expect(height(".space")).toBe(height(".space .picture"));
  const { overflowY, breakInside } = getComputedStyle(find(view, ".space"));
  expect([overflowY, breakInside]).toEqual(["visible", "avoid"]);
});

test("in space-time a tile that is pointed at says what it holds, and who sent it", async () => {
  const view = await mount(trace("ppermute"), { step: 1 });
  button(view, "space-time").click();
  await expect.poll(() => view.root.querySelector(".space canvas")).toBeTruthy();
  const picture = find(view, ".space .picture");
  const { right: end } = picture.getBoundingClientRect();
  const row = find(view, ".space [aria-current=step]").getBoundingClientRect();
  const pitch = Math.min(112, (end - row.right - 32) / 4);
  const at = (device: number) => {
    const [clientX, clientY] = [row.right + 6 + (device + 0.5) * pitch, row.top + row.height / 2];
    picture.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
  };
  const before = pixels(view);
  const lens = () => textOf(view.root.querySelector(".space .tip"));
  at(1);
  await expect.poll(lens).toMatch(/^device 1 at i=1sent by device 0.*values 1 2$/);
  expect(pixels(view)).not.toBe(before);
  at(-1);
  await expect.poll(lens).toBe("");
  at(2);
  await expect.poll(lens).toMatch(/no sender: zeros/);
  picture.dispatchEvent(new PointerEvent("pointerleave"));
  await expect.poll(lens).toBe("");
});

test("pointing at a result says what it was made from", async () => {
  const view = await mount(trace("psum"), { step: 3 });
  await loaded(view);
  scrub(view, 3.999);
  await settle();
  point(view, 0.6, 0.5);
  await expect.poll(() => tip(view)?.textContent).toMatch(/\d+ \+ \d+ = \d+; from 2 elements on devices 0, 1/);
});

const INNER = ["reduce_sum", "neg", "exp", "log", "sin", "cos"];

/** A trace whose product is eight equations: its steps are fewer than its equations. */
function leveled(): Trace {
  const doc = trace("psum");
  const steps = doc.steps.flatMap((s): Step[] =>
    s.primitive === "dot_general"
      ? [
          { ...s, primitive: "mul", begins: "statement", expression: "a @ b", outputs: [] },
          ...INNER.map((primitive) => ({
            ...s,
            primitive,
            begins: "" as const,
            expression: "a @ b",
            inputs: [],
            outputs: [],
          })),
          { ...s, primitive: "add", begins: "", expression: "a @ b", inputs: [] },
        ]
      : [s],
  );
  return { ...doc, steps };
}

test("a step is an expression; its equations are a key away, and Python knows which one is shown", async () => {
  const view = await mount(leveled(), { step: 3 });
  await loaded(view);
  expect(find(view, ".steps .tools").checkVisibility()).toBe(true);
  const names = () => rows(view).map((r) => r.querySelector("b")?.textContent);
  expect(names()).toEqual(["f", "in_specs", "pvary", "a @ b", "psum", "out_specs"]);
  expect(find(view, ".count").textContent).toBe("9/11");
  expect(rows(view)[3]?.textContent).toContain("p f32[2,4]");
  const list = find(view, "[role=listbox]");
  list.focus();
  await userEvent.keyboard("i");
  await expect.poll(() => find(view, ".count").textContent).toBe("2/11");
  expect(names()).toEqual(["f", "in_specs", "pvary", "mul", ...INNER, "add", "psum", "out_specs"]);
  expect(view.model.sentFor("step").at(-1)).toBe(2);
  const select = find<HTMLSelectElement>(view, ".steps select");
  expect(select.value).toBe("equation");
  select.value = "expression";
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await expect.poll(() => find(view, ".count").textContent).toBe("9/11");
  // The last of its equations is what Python is told: the step is done.
  button(view, "forward").click();
  await expect.poll(() => view.model.sentFor("step").at(-1)).toBe(10);
});

test("a trace whose expressions are all one equation offers no levels", async () => {
  const view = await mount(trace("psum"));
  expect(view.root.querySelector(".steps select")).toBeNull();
});
