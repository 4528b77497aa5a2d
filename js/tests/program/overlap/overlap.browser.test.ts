/** The overlap page in a real browser. */
import { expect, test } from "vitest";
import { expectAccessible, find, GROUNDS, type Mounted, press, settle } from "../../harness";
import { mount } from "../harness";
import { program } from "../programs";
import { OVERLAPS, type OverlapName, wire } from "./overlaps";

const page = (name: OverlapName, place: object = {}) =>
  mount(program("training"), { page: "overlap", _pages: { "overlap 0": wire(name) } }, place);
const text = (view: Mounted, selector: string) => find(view, selector).textContent?.replace(/\s+/g, " ").trim();

for (const [scheme, background] of GROUNDS) {
  for (const width of [960, 480]) {
    test.each(OVERLAPS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      const view = await page(name, { background, width });
      await expectAccessible(view);
    });
  }
}

test("the answer stands first, and the line that waits longest is looked at", async () => {
  const view = await page("training");
  expect(text(view, ".says b")).toBe("21 ms of 60 ms is waiting for collectives, 19 ms of it over model");
  expect(text(view, ".reading")).toMatch(/^all-reduce over model, line 22/);
  find(view, ".waits").focus();
  press(find(view, ".waits"), "ArrowDown");
  await settle();
  expect(text(view, ".reading")).toMatch(/^all-reduce over model, line 21 · backward/);
  expect(find(view, ".waits .option").getAttribute("aria-label")).toBe(text(view, ".reading"));
  press(find(view, ".waits"), "r");
  await settle();
  expect(text(view, ".reading")).toBe("If everything overlapped, train_step would be bound by compute.");
});

test("the button of the page profiles the program; where nothing is estimated, it times it", async () => {
  const button = (view: Mounted) => find<HTMLButtonElement>(view, "footer button:not(.key)");
  const view = await page("training");
  expect(button(view).textContent).toBe("Measure it beside");
  button(view).click();
  await settle();
  expect(view.model.sentFor("_asked")).toEqual([{ n: 1, runs: 10, profiled: 0 }]);
  const unknown = await mount(program("training"), {
    page: "overlap",
    _pages: { "overlap 0": { trouble: "no chip" } },
  });
  expect(button(unknown).textContent).toBe("Time it");
  button(unknown).click();
  await settle();
  expect(unknown.model.sentFor("_asked")).toEqual([{ n: 1, runs: 10 }]);
});

test("what is not known is said, and what is read is waited for", async () => {
  const view = await mount(program("training"), { page: "overlap" });
  expect(text(view, ".note")).toBe("reading the schedule …");
  view.model.assign({ _pages: { "overlap 0": { trouble: "give a chip" } } });
  await settle();
  expect(text(view, ".note")).toBe("How much is exposed is not known: give a chip");
  // What communicates less is known without a chip; its keys have nothing to move in.
  expect(text(view, ".remedies button")).toBe("Try what communicates less");
  expect(find(view, "footer > .keys").textContent).not.toMatch(/roofline|line|list/);
});

test("what communicates less is asked of Python, apart from what lowers the peak", async () => {
  const view = await page("training");
  const button = find<HTMLButtonElement>(view, ".remedies button");
  expect(button.textContent).toBe("Try what communicates less");
  button.click();
  await settle();
  expect(view.model.sentFor("_try")).toEqual([{ n: 1, at: 0, lowers: "communication" }]);
  expect(button.disabled).toBe(true);
  const fix = { file: "model.py", line: 11, title: "", code: "" };
  const found = {
    what: "leave out the constraint of line 11",
    code: "return x",
    before: 2 ** 21,
    after: 2 ** 20,
    fix,
    lowers: "communication",
    seconds_before: 2e-3,
    seconds_after: 1e-3,
    memory: 0,
    work: 0,
    helps: ["line 11", "line 9"],
    other: false,
  };
  view.model.assign({ _remedies: { "peak 0": { n: 1, found: [] }, "communication 0": { n: 1, found: [found] } } });
  await settle();
  expect(button.disabled).toBe(false);
  expect(find(view, ".remedies li").textContent).toBe(
    "1 MiB−50 %leave out the constraint of line 11 · 2 ms → 1 ms · for line 11, line 9 · model.py, line 11return xcopy",
  );
  expect(text(view, ".remedies [role=status]")).toBe("Each was compiled; what a device sends with it, now 2 MiB:");
  const [list, first] = [".lower", ".remedies li"].map((part) => find(view, part).getBoundingClientRect());
  expect(first?.top).toBeGreaterThanOrEqual(list?.top ?? 0);
  expect(first?.bottom).toBeLessThanOrEqual((list?.bottom ?? 0) + 1);
  expect(view.root.querySelector(".remedies .fold")).toBeNull();
  const copied = {
    ...found,
    after: found.before,
    seconds_after: found.seconds_before,
    memory: -(2 ** 20),
    fix: null,
    work: 0.28,
    helps: ["memory"],
  };
  const other = { ...copied, code: "return x * 1", other: true };
  view.model.assign({ _remedies: { "communication 0": { n: 1, found: [copied, other] } } });
  await settle();
  expect(find(view, ".remedies li .way").textContent).toContain(
    "· still 2 ms · −1 MiB of memory · +28 % of work · for memory",
  );
  expect(find(view, ".remedies .fold > summary").textContent).toBe("another way there");
  expect(find(view, ".remedies .fold li code").textContent).toBe("return x * 1");
  await expectAccessible(view);
});
