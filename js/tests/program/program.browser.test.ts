import { beforeEach, expect, test } from "vitest";
import type { Program } from "../../src/core/document.gen";
import {
  button,
  Clock,
  cell,
  enter,
  expectAccessible,
  find,
  type Mounted,
  pixels,
  prefers,
  press,
  settle,
  table,
} from "../harness";
import { lines, mount } from "./harness";
import { wire as memory } from "./memory/memories";
import { wire as overlap } from "./overlap/overlaps";
import { groupsAlone, many, PROGRAMS, pod, program, SINGLE, silent, wire } from "./programs";

const clocks: Clock[] = [];
/** The clock of the test that runs. */
const clock = () => clocks.at(-1) as Clock;

beforeEach(() => {
  clocks.push(new Clock());
});

const phase = ({ frame }: Mounted) => Number(frame.dataset.swPhase);
const title = (view: Mounted) => find(view, ".title p").textContent?.replace(/\s+/g, " ").trim();
const ops = (view: Mounted) => lines(view).map((l) => `${cell(l, "op")} ${cell(l, "axes")}`);
const chosen = (view: Mounted) => lines(view).findIndex((l) => l.getAttribute("aria-selected") === "true");
const current = (view: Mounted) => table(view).getAttribute("aria-activedescendant");
const typed = async (view: Mounted, text: string) => {
  enter(view, "input[type=search]", text);
  await settle();
};

test("in a cell 934 px wide the head is one line, and what it leaves out is in its title", async () => {
  const view = await mount(program("training"), {}, { width: 934 });
  const [name, last] = [find(view, "h2"), find(view, ".badges")].map((el) => el.getBoundingClientRect());
  expect(Math.abs((name?.top ?? 0) + (name?.bottom ?? 0) - (last?.top ?? 0) - (last?.bottom ?? 0))).toBeLessThan(8);
  expect(find(view, ".target").title).toBe("compiled for TPU v5e 4×4");
});

test("the head says what was compiled for what, and what it comes to", async () => {
  const view = await mount(program("training"));
  expect(find(view, "h2").textContent).toBe("train_step");
  expect(find(view, ".target").textContent).toBe("compiled for TPU v5e 4×4");
  expect(find(view, ".badges").textContent).toBe("8 collectives27.2 ms a call, estimate1 to look at");
  expect(view.model.sent).toEqual([]);
});

test("the first sentence says what dominates, and the badge walks through what deserves a look", async () => {
  const doc = program("training");
  const again = { ...(doc.findings[0] as Program["findings"][number]), collectives: [4] };
  const view = await mount({ ...doc, findings: [...doc.findings, again] });
  expect(find(view, ".says p").textContent).toBe(doc.verdicts[doc.interconnect]);
  const height = view.frame.getBoundingClientRect().height;
  const badge = button(view, "2 to look at");
  badge.click();
  await settle();
  expect(find(view, ".walk").textContent).toBe("◂1 of 2▸");
  expect(badge.getAttribute("aria-pressed")).toBe("true");
  expect(view.model.sent.at(-1)).toEqual({ selection: 3 });
  press(view.frame, "n");
  await settle();
  expect(find(view, ".walk").textContent).toBe("◂2 of 2▸");
  expect(view.frame.getBoundingClientRect().height).toBe(height);
});

test("a line says what, over which axes, how much, how often, because of what, how long", async () => {
  const view = await mount(program("training"));
  const [first] = lines(view);
  const said = ["op", "axes", "sent", "runs", "source", "time"].map((column) => cell(first, column));
  expect(said).toEqual([
    "all-reduceasync",
    "model",
    "24 MiB",
    "×12",
    "y = h @ params.w_outline 22 · by the compiler",
    "8.95 ms",
  ]);
  const remark = lines(view).find((l) => l.querySelector(".warn"));
  expect(cell(remark, "source")).toContain("line 23 · by the compiler · undoes the split over model: gathers y whole");
});

test("of groups alone neither bytes nor times are said, and nothing can be timed", async () => {
  const view = await mount(groupsAlone());
  const [first] = lines(view);
  expect([cell(first, "op"), cell(first, "sent"), cell(first, "time")]).toEqual(["groups", "?", "?"]);
  expect(view.root.textContent).not.toMatch(/0 B|0 ns|Time it/);
});

test("the first line of the table is on the mesh until another is selected", async () => {
  const view = await mount(program("training"));
  expect([chosen(view), title(view)]).toEqual([0, "all-reduce over model 4 groups of 4 chips, at once"]);
  const before = pixels(view);
  lines(view)[2]?.click();
  await settle();
  expect(view.model.sentFor("selection")).toEqual([0]);
  expect([chosen(view), title(view)]).toEqual([2, "all-gather over data 4 groups of 4 chips, at once"]);
  expect(pixels(view)).not.toBe(before);
  expect(find(view, ".xla").textContent).toContain("replica_groups=[4,4]<=[4,4]T(1,0)");
  expect(find(view, ".xla .chosen").textContent?.trim()).toBe("{0,4,8,12}");
  expect(find(view, ".words").textContent).toContain("bandwidth bound, 186 µs, run 12 times");
});

test("a selection from Python is shown, with its line", async () => {
  const view = await mount(program("training"), { selection: 3 });
  expect(title(view)).toContain("all-gather over model");
  view.model.assign({ selection: 4 });
  await settle();
  expect(title(view)).toBe("all-reduce over data, model one group of 16 chips");
  expect(current(view)).toBe("line-4");
  view.model.assign({ selection: null });
  await settle();
  expect(chosen(view)).toBe(0);
  expect(view.model.sent).toEqual([]);
});

test("heads sort, twice back to the program's order, and Python hears of it", async () => {
  const view = await mount(program("training"));
  button(view, "collective").click();
  await settle();
  const kinds = lines(view).map((l) => l.querySelector(".op b")?.textContent);
  expect(kinds).toEqual([...kinds].sort());
  expect(new Set(kinds).size).toBe(3);
  expect(find(view, ".heads .op").getAttribute("aria-sort")).toBe("ascending");
  button(view, "collective ▴").click();
  await settle();
  expect(view.model.sentFor("sort")).toEqual(["op", "order"]);
  expect(lines(view).map((l) => l.id)).toEqual([...Array(8).keys()].map((i) => `line-${i}`));
  view.model.assign({ sort: "sent" });
  await settle();
  expect(cell(lines(view)[0], "sent")).toBe("24 MiB");
  expect(find(view, ".heads .sent").getAttribute("aria-sort")).toBe("descending");
});

test("an axis filters, pointing at it draws its groups, and Python can choose it", async () => {
  const view = await mount(program("shard_map"));
  const chip = button(view, "x 4");
  const before = pixels(view);
  chip.dispatchEvent(new PointerEvent("pointerenter"));
  await settle();
  expect(title(view)).toBe("groups of x 2 of 4");
  expect(pixels(view)).not.toBe(before);
  chip.dispatchEvent(new PointerEvent("pointerleave"));
  await settle();
  chip.click();
  await settle();
  expect(view.model.sentFor("axis")).toEqual(["x"]);
  expect(ops(view)).toEqual(["collective-permute x", "all-to-all x", "all-gather irregularwithin x"]);
  expect(button(view, "x 4").getAttribute("aria-pressed")).toBe("true");
  view.model.assign({ axis: "y" });
  await settle();
  expect(ops(view)).toEqual(["all-reduce y"]);
  button(view, "y 2").click();
  await settle();
  expect(lines(view)).toHaveLength(5);
});

test("a search finds lines and says how many; nothing found is said", async () => {
  const view = await mount(many(30));
  await typed(view, "scatter");
  expect(lines(view)).toHaveLength(6);
  expect(find(view, ".tools [role=status]").textContent).toBe("6 of 30");
  await typed(view, "nothing at all");
  expect(find(view, ".none").textContent).toBe("No collective matches.");
  press(find(view, "input[type=search]"), "Escape");
  await settle();
  expect(lines(view)).toHaveLength(30);
});

test("the table is walked by keys; Enter selects, Escape lets go", async () => {
  const view = await mount(program("training"));
  const grid = table(view);
  press(grid, "ArrowDown");
  press(grid, "ArrowDown");
  await settle();
  expect(current(view)).toBe(lines(view)[2]?.id);
  expect(chosen(view)).toBe(0);
  press(grid, "Enter");
  await settle();
  expect(chosen(view)).toBe(2);
  press(grid, "End");
  await settle();
  expect(current(view)).toBe(lines(view)[7]?.id);
  press(grid, "Home");
  press(grid, "ArrowUp");
  press(grid, "Escape");
  await settle();
  expect([current(view), chosen(view)]).toEqual([lines(view)[0]?.id, 0]);
  expect(view.model.sentFor("selection")).toEqual([0, null]);
});

test("Space plays to the end and the last frame stands", async () => {
  const view = await mount(program("training"), { selection: 0 });
  const before = pixels(view);
  press(table(view), " ");
  await settle();
  expect(button(view, "pause")).toBeTruthy();
  clock().tick();
  clock().tick(400);
  clock().tick(100);
  await settle();
  expect(phase(view)).toBeGreaterThan(0.1);
  expect(phase(view)).toBeLessThan(0.9);
  const between = pixels(view);
  expect(between).not.toBe(before);
  clock().run();
  await settle();
  expect(phase(view)).toBe(1);
  expect(pixels(view)).not.toBe(between);
  expect(find(view, ".caption").textContent).toBe("everything has arrived");
  expect(button(view, "play")).toBeTruthy();
});

test("an algorithm that is chosen plays; its rounds are walked by keys", async () => {
  const view = await mount(program("training"), { selection: 0 });
  button(view, "ring").click();
  clock().run();
  await settle();
  expect([phase(view), button(view, "ring").getAttribute("aria-pressed")]).toEqual([1, "true"]);
  press(table(view), ",");
  await settle();
  expect(find(view, ".caption").textContent).toBe("round 3 of 3");
  press(table(view), ",");
  await settle();
  expect(find(view, ".caption").textContent).toBe("round 2 of 3");
  press(table(view), ".");
  press(table(view), ".");
  await settle();
  expect(phase(view)).toBe(1);
  press(table(view), "a");
  clock().run();
  await settle();
  expect(button(view, "bidirectional ring").getAttribute("aria-pressed")).toBe("true");
});

test("the scrubber shows any moment", async () => {
  const view = await mount(program("training"), { selection: 0 });
  const scrubber = find<HTMLInputElement>(view, "input[type=range]");
  scrubber.value = "0.5";
  scrubber.dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
  expect(phase(view)).toBe(0.5);
  press(scrubber, "End");
  await settle();
  expect(phase(view)).toBe(1);
  press(scrubber, "ArrowLeft");
  await settle();
  expect(phase(view)).toBeCloseTo(0.95);
});

test("without motion rounds follow one another", async () => {
  await prefers("reduced-motion", "reduce");
  const view = await mount(program("training"), { selection: 0 });
  button(view, "ring").click();
  await settle();
  expect(phase(view)).toBe(0);
  button(view, "play").click();
  const seen = new Set<number>();
  for (let i = 0; i < 60 && clock().waiting > 0; i++) {
    clock().tick(100);
    seen.add(Number(phase(view).toFixed(3)));
    await settle();
  }
  expect([...seen, phase(view)]).toEqual([0, 0.3, 0.6, 1]);
});

test("mesh or physical: the same groups where the chips are", async () => {
  const view = await mount(program("torus"));
  const before = pixels(view);
  button(view, "torus").click();
  await settle();
  expect(pixels(view)).not.toBe(before);
  press(table(view), "p");
  await settle();
  expect(pixels(view)).toBe(before);
  const cpu = await mount(program("shard_map"));
  expect(cpu.root.querySelector(".title .segments")).toBeNull();
  press(table(cpu), "p");
  await settle();
  expect(find(cpu, ".caption").textContent).toBe("arrows: neighbours in a group");
});

test("devices are walked by keys, and each brings its group out", async () => {
  const view = await mount(program("training"), { selection: 0 });
  press(table(view), "g");
  const list = view.root.activeElement as HTMLElement;
  expect(list.getAttribute("role")).toBe("listbox");
  const said = () => view.root.getElementById("device")?.getAttribute("aria-label");
  expect(said()).toBe("device 0 at data=0, model=0, chip 0,0; group 1 of 4: 4 devices, 0, 4, 8, 12");
  press(list, "ArrowRight");
  press(list, "ArrowRight");
  press(list, "ArrowDown");
  await settle();
  expect(said()).toBe("device 5 at data=1, model=1, chip 1,1; group 2 of 4: 4 devices, 1, 5, 9, 13");
  expect(find(view, ".xla .chosen").textContent?.trim()).toBe("{1,5,9,13}");
  press(list, "Escape");
  await settle();
  expect(view.root.getElementById("device")?.getAttribute("aria-selected")).toBe("false");
});

test("a click on a device, and the buttons, bring a group out", async () => {
  const view = await mount(program("training"), { selection: 0 });
  button(view, "next group").click();
  await settle();
  expect(find(view, ".others").textContent).toContain("group 2 of 4");
  const picture = find(view, ".picture");
  const { left, top, width } = picture.getBoundingClientRect();
  picture.dispatchEvent(new MouseEvent("click", { clientX: left + width - 30, clientY: top + 60, bubbles: true }));
  await settle();
  expect(find(view, ".others").textContent).toContain("group 4 of 4");
});

test("another interconnect, other times; the longest comes first again", async () => {
  const view = await mount(program("training"));
  const select = find<HTMLSelectElement>(view, "select");
  select.value = "2";
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
  expect(find(view, ".words").textContent).toContain("On H100");
  expect(cell(lines(view)[0], "time")).not.toBe("8.95 ms");
  expect(find(view, ".badges").textContent).not.toContain("27.2 ms");
});

test("Time it asks Python, waits, and shows what came, or why nothing did", async () => {
  const view = await mount(program("training"));
  button(view, "Time it").click();
  await settle();
  expect(view.model.sentFor("_asked")).toEqual([{ n: 1, runs: 10 }]);
  expect(button(view, "measuring …").disabled).toBe(true);
  view.model.assign({ _trouble: "argument 0 has a shape and no values", _heard: 1 });
  await settle();
  expect(find(view, "footer .trouble").textContent).toBe("argument 0 has a shape and no values");
  button(view, "Time it").click();
  const timing = { seconds: 0.0312, low: 0.03, high: 0.04, runs: 10 };
  view.model.assign({ _document: { ...program("training"), timing }, _trouble: "", _heard: 2 });
  await settle();
  expect(find(view, "footer").textContent).toContain("measured: 31.2 ms a call, 30 ms to 40 ms, median of 10");
  expect(view.root.querySelector(".trouble")).toBeNull();
});

test("what was chosen stays when a measured program comes", async () => {
  const view = await mount(program("training"));
  lines(view)[2]?.click();
  await settle();
  view.model.assign({ _document: { ...program("training"), timing: { seconds: 1, low: 1, high: 1, runs: 1 } } });
  await settle();
  expect(chosen(view)).toBe(2);
});

test("a saved page plays and sorts; it measures nothing and says what was measured", async () => {
  const view = await mount(program("shard_map"), { _static: true });
  expect([...view.root.querySelectorAll("button")].some((b) => b.textContent === "Time it")).toBe(false);
  expect(find(view, "footer").textContent).toContain("measured: 2.13 ms");
  button(view, "play").click();
  clock().run();
  await settle();
  expect(phase(view)).toBe(1);
  const bare = await mount(program("training"), { _static: true });
  expect(find(bare, "footer").querySelector("button")).toBeNull();
});

test("programs side by side have their totals, and each opens", async () => {
  const view = await mount(wire("layouts"));
  const rows = [...view.root.querySelectorAll(".sides tbody tr")];
  const said = rows.map((r) => r.textContent?.replace(/\s+/g, " ").trim());
  expect(said[0]).toContain("FSDP + tensor parallel8876 MiB 27.23 ms 31.2 ms30.1 ms–34.4 ms, n=10 144 MiB");
  expect(said[1]).toContain("data parallel1720 MiB 8.95 msnot measured 832 MiB");
  expect(view.root.querySelector(".program")).toBeNull();
  const opens = () => [...view.root.querySelectorAll<HTMLButtonElement>(".sides th button")];
  opens()[1]?.click();
  await settle();
  expect(find(view, ".program h2").textContent).toBe("data parallel");
  expect(opens().map((b) => b.getAttribute("aria-expanded"))).toEqual(["false", "true", "false"]);
  lines(view)[0]?.click();
  opens()[2]?.click();
  await settle();
  expect(find(view, ".program .says").textContent).toContain("it runs on one device");
  expect(view.model.sentFor("opened")).toEqual([1, 2]);
  expect(view.model.sentFor("selection")).toEqual([0, null]);
  view.model.assign({ opened: 0 });
  await settle();
  expect(find(view, ".program h2").textContent).toBe("FSDP + tensor parallel");
  opens()[0]?.click();
  await settle();
  expect(view.root.querySelector(".program")).toBeNull();
});

test("the user's lines say how many collectives each causes; a click shows one", async () => {
  const view = await mount(program("training"));
  const codes = () => [...view.root.querySelectorAll<HTMLElement>(".code li")];
  const marked = () => codes().flatMap((li) => (li.querySelector(".marks")?.textContent ? [li.textContent] : []));
  expect(find(view, ".code p").textContent).toBe("cell 4");
  expect(marked()).toHaveLength(4);
  expect(find(view, ".code .current").textContent).toContain("y = h @ params.w_out");
  expect(find(view, ".code .current .marks").title).toBe("3 collectives");
  // Line 22: two over data, one over model.
  expect([...find(view, ".code .current .marks").children].map((e) => [e.className, e.textContent])).toEqual([
    ["axis1", "1"],
    ["axis0", "2"],
  ]);
  codes()
    .find((li) => li.textContent?.includes("mean"))
    ?.click();
  await settle();
  expect(view.model.sentFor("selection")).toEqual([4]);
  expect(find(view, ".code .current").textContent).toContain("mean");
  const unknown = await mount(program("shard_map"), { selection: 4 });
  expect(unknown.root.querySelector(".code")).toBeNull();
});

test("that nothing is sent is said once and is no warning, that something is not known is one", async () => {
  const alone = await mount(wire("layouts"), { opened: 2 });
  expect(find(alone, ".program").textContent?.match(/runs on one device/g)).toHaveLength(1);
  expect(alone.root.querySelector(".warn")).toBeNull();
  const odd = await mount({ ...program("training"), note: "Not known.", instructions: 0 });
  expect(find(odd, ".note").classList.contains("warn")).toBe(true);
});

test("keys that do nothing are not shown: of a program without collectives, those of other pages alone", async () => {
  const shown = async (document: Program, page: string) => {
    const view = await mount(document, { page });
    return [...view.root.querySelectorAll("footer .all-keys dd, footer > .keys > span")].map((key) => key.textContent);
  };
  expect(await shown(silent(), "collectives")).toEqual(["m memory", "o overlap"]);
  expect(await shown({ ...program("training"), findings: [] }, "collectives")).not.toContain("next to look at");
  expect(await shown(program("training"), "collectives")).toContain("next to look at");
});

test("what could not be read is named", async () => {
  const view = await mount(program("shard_map"));
  expect(find(view, ".unread summary").textContent).toBe(
    "1 instruction that looks like a collective could not be read",
  );
  expect(find(view, ".unread li").textContent).toContain("it names no groups");
});

test("hundreds of collectives: some are in the page, the rest one key or click away", async () => {
  const view = await mount(many(450));
  expect(lines(view)).toHaveLength(200);
  button(view, "show 200 more of 250").click();
  await settle();
  expect(lines(view)).toHaveLength(400);
  view.model.assign({ selection: 449 });
  await settle();
  expect(view.root.getElementById("line-449")).not.toBeNull();
});

test("a frame of an animation leaves the table alone", async () => {
  const view = await mount(many(300), { selection: 0 });
  const seen: MutationRecord[] = [];
  const observer = new MutationObserver((records) => seen.push(...records));
  observer.observe(table(view), { subtree: true, childList: true, attributes: true, characterData: true });
  button(view, "play").click();
  for (let i = 0; i < 5; i++) {
    clock().tick(50);
    await settle();
  }
  expect(phase(view)).toBeGreaterThan(0);
  expect([...seen, ...observer.takeRecords()]).toEqual([]);
});

test("a group of thousands is shown, and said to be too large to play", async () => {
  const view = await mount(pod(64, 64), { selection: 2 });
  expect(find(view, ".player").textContent).toBe("groups of 4096 are too large to play");
  press(table(view), " ");
  await settle();
  expect(clock().waiting).toBe(0);
});

test.each(PROGRAMS)("%s: nothing reaches over the edge of the card", async (name) => {
  for (const width of [320, 480, 700, 900, 1240]) {
    const view = await mount(wire(name), { opened: name === "layouts" ? 0 : null }, { width });
    const card = find(view, ".card").getBoundingClientRect();
    for (const el of view.root.querySelectorAll<HTMLElement>(".card *")) {
      if (el.closest(".hidden, legend, .layer, svg, .unread, .code ol, option, .chip b")) continue;
      const { left, right, width: w } = el.getBoundingClientRect();
      if (w <= 1) continue;
      expect(right, `${name} ${width} ${el.className} ${el.textContent?.slice(0, 40)}`).toBeLessThanOrEqual(
        card.right + 0.5,
      );
      expect(left).toBeGreaterThanOrEqual(card.left - 0.5);
    }
  }
});

test("what the user named is text", async () => {
  const view = await mount(program("hostile"));
  expect(view.root.querySelector("script")).toBeNull();
  expect(find(view, "h2").textContent).toContain("<script>alert(1)</script>");
});

test("a damaged document is said in place of the picture, and the next one is drawn", async () => {
  const view = await mount(program("training"));
  view.model.assign({ _document: { ...program("training"), version: 99 } });
  await settle();
  expect(find(view, "[role=alert]").textContent).toContain("version 99");
  view.model.assign({ _document: program("shard_map") });
  await settle();
  expect(lines(view)).toHaveLength(5);
});

test("when it is taken down nothing listens any more", async () => {
  const view = await mount(program("training"));
  press(view.root.querySelector(".table") as HTMLElement, " ");
  view.stop();
  expect([view.model.listening, clock().waiting]).toEqual([0, 0]);
});

test("a card is as high for each collective, no higher when it is wider, and at most 640 px from 900 px", async () => {
  for (const name of SINGLE) {
    let last = Number.POSITIVE_INFINITY;
    for (const width of [902, 934, 1040, 1366, 1648]) {
      const doc = program(name);
      const view = await mount(doc, {}, { width });
      const heights = new Set<number>();
      for (let collective = 0; collective < Math.min(4, doc.collectives.length); collective++) {
        view.model.assign({ selection: { collective } });
        await settle();
        heights.add(Math.round(find(view, ".program").getBoundingClientRect().height));
      }
      const [height = 0] = heights;
      expect(heights.size, `${name} at ${width}: ${[...heights]}`).toBeLessThanOrEqual(1);
      expect(height, `${name} at ${width}`).toBeLessThanOrEqual(Math.min(640, last));
      last = height;
      view.stop();
    }
  }
});

test("under a short table stand the words, beside the mesh; a long one has that room to itself", async () => {
  const places = async (doc: Program, width: number) => {
    const view = await mount(doc, {}, { width });
    const found = [".under .words", ".panels .words"].map((s) => view.root.querySelector(s) !== null);
    const [list, table] = [".list", ".table"].map((s) => find(view, s).getBoundingClientRect().height);
    view.stop();
    return [found, (list ?? 0) - (table ?? 0) > 100];
  };
  const doc = program("training");
  const short = { ...doc, collectives: doc.collectives.slice(0, 2), timing: null };
  expect(await places(short, 920)).toEqual([[true, false], true]);
  expect((await places(doc, 920))[0]).toEqual([false, true]);
  expect((await places(short, 700))[0]).toEqual([false, true]);
});

test.each([900, 934])("four rows of devices are seen whole beside the table, %i px", async (width) => {
  const view = await mount(program("training"), {}, { width });
  expect(view.root.querySelector(".lanes")).not.toBeNull();
  const bottom = (selector: string) => find(view, selector).getBoundingClientRect().bottom;
  expect(bottom(".mesh .picture")).toBeLessThanOrEqual(bottom(".panels"));
});

test("in a narrow card the table scrolls, and what comes second is one line, open on paper", async () => {
  const view = await mount(program("training"), {}, { width: 480 });
  const fold = find(view, ".fold") as HTMLDetailsElement;
  expect(find(view, ".table").clientHeight).toBeLessThanOrEqual(360);
  expect([fold.open, find(view, ".words").checkVisibility()]).toEqual([false, false]);
  dispatchEvent(new Event("beforeprint"));
  await settle();
  expect([fold.open, find(view, ".words").checkVisibility()]).toEqual([true, true]);
  dispatchEvent(new Event("afterprint"));
  await settle();
  expect(fold.open).toBe(false);
});

const WHY = {
  name: "h",
  dim: 1,
  axis: "model",
  answer: "Dim 1 of h is split over model because w (argument 1) is, through dot_general, line 21.",
  given: "argument",
  chain: [
    { name: "w", type: "f32[8,8] P(None, 'model')", dim: 1, row: 0, source: null, through: [], back: false, step: -1 },
    {
      name: "h",
      type: "f32[8,8] P(None, 'model')",
      dim: 1,
      row: 1,
      source: null,
      through: ["dot_general, line 21"],
      back: false,
      step: 2,
    },
  ],
  lost: [],
  also: [],
  because: [],
  collectives: [],
  steps: 9,
};

test("Python is asked why a collective is there, and its chain is shown in the row", async () => {
  const view = await mount(program("training"));
  const at = Number(find(view, ".line[aria-selected=true]").id.slice("line-".length));
  find(view, ".reason button").click();
  await settle();
  expect(view.model.sentFor("_why")).toEqual([{ n: 1, at: 0, collective: at }]);
  expect(find(view, ".reason").textContent).toBe("asking the compiler why …");
  view.model.assign({ _pages: { [`why 0 ${at}`]: { found: [WHY] } } });
  await settle();
  expect(find(view, ".why .answer").textContent).toBe(WHY.answer);
  expect([...view.root.querySelectorAll(".why .box > span > b.mono")].map((b) => b.textContent)).toEqual(["w", "h"]);
  expect(find(view, ".passes").textContent).toBe("dot_general, line 21step 3 of 9");
  await expectAccessible(view);
});

test("a saved page offers no why, but has what was asked before", async () => {
  const view = await mount(program("training"), { _static: true });
  expect(view.root.querySelector(".reason")).toBeNull();
  const at = Number(find(view, ".line[aria-selected=true]").id.slice("line-".length));
  view.model.assign({ _pages: { [`why 0 ${at}`]: { found: [WHY] } } });
  await settle();
  expect(find(view, ".why .answer").textContent).toBe(WHY.answer);
});

const TURNED = [360, 480, 700, 850, 900, 934, 1240].flatMap((width) =>
  ["collectives", "memory"].map((page) => ({ width, page })),
);

test.each(TURNED)("a card that opens on $page is as high whichever page is turned to, $width px", async (opens) => {
  const _pages = { "overlap 0": overlap("training"), "memory 0": memory("training") };
  for (const document of [program("training"), silent()]) {
    const view = await mount(document, { _pages, page: opens.page }, { width: opens.width });
    const shown = (page: string) =>
      view.root.querySelector(page === "collectives" ? ":is(.table, .words)" : `.${page}`);
    await expect.poll(() => shown(opens.page)).not.toBeNull();
    const before = view.frame.offsetHeight;
    const look = (page: string) => {
      expect(view.frame.offsetHeight, page).toBe(before);
      const { bottom } = find(view, "footer").getBoundingClientRect();
      expect(Math.abs(view.frame.getBoundingClientRect().bottom - bottom), page).toBeLessThanOrEqual(2);
    };
    for (const page of ["overlap", "memory", "overlap", "collectives"]) {
      button(view, page).click();
      await expect.poll(() => shown(page)).not.toBeNull();
      look(page);
    }
    view.model.assign({ _pages: { ..._pages, "overlap 0": { trouble: "its rates are not known" } } });
    button(view, "overlap").click();
    await expect.poll(() => shown("overlap")).not.toBeNull();
    look("overlap without rates");
    view.stop();
  }
});
