/** Every card on paper: no control is left, what a menu has chosen is text, and what is opened on screen is there. */
import { expect, test } from "vitest";
import type { Buffer, Programs } from "../src/core/document.gen";
import { decodeMemory } from "../src/program/memory/model/memory";
import { groupsOf } from "../src/program/model/groups";
import { ProgramModel } from "../src/program/model/program";
import { decodeReshard } from "../src/reshard/model/reshard";
import { mount as mountExercise } from "./exercise/harness";
import { ALL, SET, sheet } from "./exercise/sheets";
import { find, type Mounted, onPaper, settle, textOf } from "./harness";
import { mount as mountProgram } from "./program/harness";
import { wire as memory } from "./program/memory/memories";
import { program, wire as programs } from "./program/programs";
import { mount as mountReshard } from "./reshard/harness";
import { wire as plan } from "./reshard/reshards";
import { loaded, mount as mountStepper } from "./stepper/harness";
import { trace } from "./stepper/traces";
import { MORE, VIEWS } from "./views";

const seen = (part: Element) => part.checkVisibility({ visibilityProperty: true });

/** Controls that are no content: what moves, switches, filters or opens. */
function controls({ root }: Mounted): string[] {
  const gone =
    "input[type=range], input[type=search], input[type=number], footer, :is(.transport, .tools, .segments, .buttons, .player, .remedies, .way, .pager) :is(button, input, select)";
  return [...root.querySelectorAll(gone)].filter(seen).map((part) => `${part.localName}.${part.className}`);
}

/** Menus that look like more than the words in them. */
function menus({ root }: Mounted): string[] {
  return [...root.querySelectorAll("select")].filter(seen).flatMap((menu) => {
    const { appearance, borderTopWidth, backgroundColor } = getComputedStyle(menu);
    const plain = appearance === "none" && borderTopWidth === "0px" && backgroundColor === "rgba(0, 0, 0, 0)";
    return plain ? [] : [`${menu.ariaLabel ?? menu.className}: ${appearance}, ${borderTopWidth}, ${backgroundColor}`];
  });
}

test.each(
  Object.entries({ ...VIEWS, ...Object.fromEntries(Object.entries(MORE).map(([k, v]) => [`second ${k}`, v])) }),
)("%s has no controls on paper", async (_, mount) => {
  await onPaper();
  const view = await mount(682);
  expect(controls(view)).toEqual([]);
  expect(menus(view)).toEqual([]);
});

/** The card as it is printed. */
async function printed(view: Mounted): Promise<Mounted> {
  await onPaper();
  dispatchEvent(new Event("beforeprint"));
  await settle();
  return view;
}

const texts = ({ root }: Mounted, selector: string) => [...root.querySelectorAll(selector)].filter(seen).map(textOf);

test("a card is drawn as wide as it is on a sheet, beside what a page has beside it", async () => {
  const place = (view: Mounted) => view.frame.parentElement as HTMLElement;
  const widest = (view: Mounted) =>
    Math.max(...[...view.root.querySelectorAll<HTMLElement>("canvas")].map((c) => c.offsetWidth));
  const view = await mountStepper(trace("psum"), {}, { width: 1000 });
  const before = widest(view);
  place(view).style.cssText = "width: auto; margin-left: 180px";
  await printed(view);
  expect(widest(view)).toBeLessThanOrEqual(720 - 180);
  expect(document.documentElement.style.width).toBe("");
  place(view).style.cssText = "width: 1000px";
  dispatchEvent(new Event("afterprint"));
  await settle();
  expect(widest(view)).toBe(before);
});

test("a stepper prints its step, its algorithm, its source and every step", async () => {
  const doc = trace("psum");
  const view = await mountStepper(doc, { step: 3 }, { width: 960 });
  await loaded(view);
  find<HTMLButtonElement>(view, ".transport button[title^=ring]").click();
  await printed(view);
  expect(textOf(find(view, ".says"))).toContain("step 3 of 4");
  expect(textOf(find(view, ".bill"))).toContain("played as ring");
  expect(texts(view, ".paper .steps .what > b:first-child")).toEqual([
    "f",
    "in_specs",
    "pvary",
    "dot_general",
    "psum",
    "out_specs",
  ]);
  expect(texts(view, ".paper .current")[1]).toMatch(/^Σpsum y 32 B per device, line \d+/);
  expect(texts(view, ".paper .source li")).toHaveLength(doc.listings[0]?.lines.length ?? 0);
  dispatchEvent(new Event("afterprint"));
  await settle();
  expect(texts(view, ".paper")).toEqual([]);
});

test("words of a sentence keep their spaces", async () => {
  const doc = trace("psum");
  const steps = doc.steps.map((step) => ({ ...step, sentence: "y leaves V." }));
  const view = await printed(await mountStepper({ ...doc, steps }, {}, { width: 960 }));
  const [axis, space, word] = [...find(view, ".sentence").childNodes].slice(2);
  expect([axis, space, word].map((part) => part?.textContent)).toEqual(["y", " ", "leaves"]);
  const text = document.createRange();
  text.selectNode(word as Text);
  expect(text.getBoundingClientRect().left).toBeGreaterThan((axis as Element).getBoundingClientRect().right + 2);
});

test("a plan prints the arrays of every chunk", async () => {
  const { arrays } = decodeReshard(plan("large"));
  const view = await printed(await mountReshard(plan("large"), {}, { width: 960 }));
  expect(texts(view, ".arrays .path b").sort()).toEqual(arrays.map((a) => a.path).sort());
});

test("programs side by side print the table of each, the one that is open once", async () => {
  const both = programs("layouts") as Programs;
  const rows = both.programs.map(
    (doc) =>
      groupsOf(new ProgramModel(doc), { sort: "time", axis: null, search: "", interconnect: doc.interconnect }).length,
  );
  const view = await mountProgram(both, {}, { width: 960 });
  expect(texts(view, ".line:not(.heads)")).toEqual([]);
  await printed(view);
  expect(texts(view, ".listed h2")).toEqual(both.programs.map((doc) => doc.name));
  const lines = (part: Element) => part.querySelectorAll(".line:not(.heads)").length;
  expect([...view.root.querySelectorAll(".listed")].map(lines)).toEqual(rows);
  dispatchEvent(new Event("afterprint"));
  await settle();
  expect(texts(view, ".listed")).toEqual([]);
  view.model.assign({ opened: 0 });
  await printed(view);
  expect(texts(view, ".listed h2")).toEqual(both.programs.slice(1).map((doc) => doc.name));
  expect(lines(find(view, ".opened"))).toBe(rows[0]);
});

test("memory prints every line that is alive", async () => {
  const doc = decodeMemory(memory("training"));
  const held = { ...doc.buffers[0], born: 0, dies: doc.steps - 1 } as Buffer;
  const buffers = Array.from({ length: 60 }, (_, k) => ({ ...held, name: `w${k}` }));
  const traits = { page: "memory", _pages: { "memory 0": { ...doc, buffers } } };
  const view = await mountProgram(program("training"), traits, { width: 960 });
  expect(texts(view, ".alive .row").length).toBeLessThan(60);
  await printed(view);
  expect(texts(view, ".alive .row")).toHaveLength(60);
  dispatchEvent(new Event("afterprint"));
  await settle();
  expect(texts(view, ".alive .row").length).toBeLessThan(60);
});

test("a menu that is not answered prints its options", async () => {
  const question = ALL.find((q) => q.fields.some((f) => f.form === "choice" && f.options.length > 8));
  const options = question?.fields.find((f) => f.form === "choice")?.options ?? [];
  const view = await mountExercise(sheet(...(question ? [question] : [])), {}, { width: 960 });
  expect(texts(view, ".choices li")).toEqual([]);
  await printed(view);
  expect(texts(view, ".choices li")).toEqual(options);
  expect(texts(view, "select")).toEqual([]);
  const menu = find<HTMLSelectElement>(view, "select");
  menu.value = options[1] ?? "";
  menu.dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
  expect(texts(view, ".choices li")).toEqual([]);
  expect(menu.checkVisibility()).toBe(true);
});

test("a set prints all of its exercises, each with its answer and what came of it", async () => {
  const view = await mountExercise(SET, { current: 1 }, { width: 960 });
  expect(texts(view, ".prompt")).toHaveLength(1);
  await printed(view);
  const total = SET.questions.length;
  expect([...view.root.querySelectorAll(".dot")].filter(seen)).toEqual([]);
  for (const input of view.root.querySelectorAll("input[placeholder]")) {
    expect(getComputedStyle(input, "::placeholder").color).toBe("rgba(0, 0, 0, 0)");
  }
  expect(texts(view, ".dots")).toEqual(SET.questions.map((q, i) => `exercise ${i + 1} of ${total} · ${q.name}`));
  expect(texts(view, ".prompt")).toHaveLength(total);
  expect(texts(view, ".said").map((said) => said.split(".")[0])).toEqual([
    "Partly right",
    "Partly right",
    "Right",
    "Partly right",
    "Not counted",
    "Not yet",
  ]);
  expect(texts(view, ".picture")).toHaveLength(6);
  for (const canvas of view.root.querySelectorAll("canvas")) expect(inked(canvas)).toBe(true);
  expect([...view.root.querySelectorAll("input[type=radio]:checked + span")].map(textOf)).toEqual(["TypeError"]);
  expect([...view.root.querySelectorAll<HTMLInputElement>(".grid input")].map((cell) => cell.value)).toEqual(
    "1234".split(""),
  );
  dispatchEvent(new Event("afterprint"));
  await settle();
  expect(texts(view, ".prompt")).toHaveLength(1);
  expect(texts(view, ".dots")).toEqual([`exercise 2 of ${total} · devices`]);
});

/** Whether anything is drawn on a canvas. */
function inked(canvas: HTMLCanvasElement): boolean {
  const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
  return data.some((value) => value !== 0);
}
