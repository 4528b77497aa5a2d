import { beforeEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import type { Exercises, Question } from "../../src/core/document.gen";
import { array } from "../documents";
import { button, enter, expectAccessible, find, GROUNDS, type Mounted, pixels, textOf } from "../harness";
import { mount } from "./harness";
import { ALL, feedback, field, LEAF, MESH, OVERLAP, question, RACE, SET, sheet, spec } from "./sheets";

const named = (name: string): Question => ALL.find((q) => q.name === name) as Question;
const aside = (view: Mounted) => find(view, "aside").textContent ?? "";
const slot = (view: Mounted, dim: number) => find<HTMLElement>(view, `.slot[data-place="${dim}"]`);
const slots = (view: Mounted) => [0, 1].map((dim) => slot(view, dim).querySelector(".chip, .none")?.textContent);
const code = (view: Mounted) => find(view, ".band.code code").textContent;

beforeEach(() => {
  vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
});

test("a spec is put together from axes, and checked when that is asked for", async () => {
  const view = await mount(sheet(spec("q", { goal: "f32[4,4]" })));
  const before = pixels(view);
  expect(button(view, "Check").disabled).toBe(true);
  slot(view, 0).focus();
  await userEvent.keyboard("x{ArrowRight}y");
  await expect.poll(() => find(view, ".type h2").textContent).toBe("f32[8@x,16@y]");
  expect(pixels(view)).not.toBe(before);
  expect(find(view, ".picture [role=img]").getAttribute("aria-label")).toContain("blocks of 2×8, 1 copy of each");
  expect(find(view, ".band.code code").textContent).toBe(`exercise.answer = "P('x', 'y')"`);
  expect(view.model.sent).toEqual([]);
  button(view, "Check").focus();
  await userEvent.keyboard("{Enter}");
  expect(view.model.sentFor("_asked")).toEqual([{ n: 1, do: "answer", question: 0, answer: { spec: "P('x', 'y')" } }]);
  await expect.poll(() => button(view, "Checking")).toBeTruthy();
  const answered = { ...named("spec"), name: "q" };
  view.model.assign({ _document: sheet(answered), _heard: 1 });
  await expect.poll(() => button(view, "Check").disabled).toBe(false);
  expect(view.root.activeElement).toBe(button(view, "Check"));
  expect(aside(view)).toContain("Partly right. 8 rows over x=4 leave 2; blocks need 4. What cuts 8 into pieces of 4?");
  const visible = () => find(view, ".tries").innerText.replace(/\s+/g, " ");
  expect(visible()).toBe("last try P('x', 'y') f32[2,8]");
  slot(view, 0).focus();
  await userEvent.keyboard("{Delete}y");
  await expect.poll(visible).toContain("a new answer: check it to count it");
});

test("axes are put on dimensions by a press, and taken back by a key", async () => {
  const view = await mount(sheet(spec("q")));
  find(view, ".take").click();
  slot(view, 1).click();
  await expect.poll(() => code(view)).toBe(`exercise.answer = "P(None, 'x')"`);
  slot(view, 1).focus();
  await userEvent.keyboard("{Control>}z{/Control}");
  await expect.poll(() => code(view)).toBe('exercise.answer = "P()"');
});

test("a spec can be written, and no more than the spec", async () => {
  const view = await mount(sheet(spec("q")));
  button(view, "write").click();
  await expect.poll(() => [...view.root.querySelectorAll("input")].map((i) => i.ariaLabel)).toEqual(["spec as text"]);
  await userEvent.fill(find<HTMLInputElement>(view, "input"), "P('y', 'x')");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => code(view)).toBe(`exercise.answer = "P('y', 'x')"`);
  expect(view.model.sent).toEqual([]);
});

test("a spec that JAX refuses is met with JAX's words, and fades the picture", async () => {
  const view = await mount(sheet(spec("q")));
  slot(view, 0).focus();
  await userEvent.keyboard("x{ArrowRight}x");
  await expect.poll(() => view.root.querySelector(".band.error b")?.textContent).toBe("DuplicateSpecError");
  expect(find(view, ".place.off .under").textContent).toBe("x is taken by dim 0");
  expect(find(view, "figure.faded canvas")).toBeTruthy();
  expect(find(view, "[role=status]").textContent).toBe("picture shows the last valid spec");
  expect(button(view, "Check").disabled).toBe(false);
});

test("an editor that nobody touched shows the answer of a cell; one that was, keeps what is in it", async () => {
  const view = await mount(sheet(named("spec")));
  expect(slots(view)).toEqual(["x 4", "y 2"]);
  const answered = (text: string) => sheet({ ...named("spec"), answer: [{ field: "spec", text }] });
  view.model.assign({ _document: answered("P('y', 'x')") });
  await expect.poll(() => slots(view)).toEqual(["y 2", "x 4"]);
  slot(view, 1).focus();
  await userEvent.keyboard("{Delete}");
  await expect.poll(() => slots(view)).toEqual(["y 2", "None"]);
  view.model.assign({ _document: answered("P('x')") });
  await expect.poll(() => aside(view)).toContain("P('x')");
  expect(slots(view)).toEqual(["y 2", "None"]);
});

test("what is asked for again is answered though nothing changed", async () => {
  const view = await mount(sheet(named("spec")));
  button(view, "Check").click();
  await expect.poll(() => button(view, "Checking")).toBeTruthy();
  view.model.assign({ _heard: 1 });
  await expect.poll(() => button(view, "Check")).toBeTruthy();
});

test("requests wait for the answer to the one before, and none is lost", async () => {
  const view = await mount(sheet(named("spec")));
  button(view, "Check").click();
  button(view, "Hint").click();
  slot(view, 0).focus();
  await userEvent.keyboard("{Delete}y");
  await expect.poll(() => code(view)).toContain("P('y', 'y')");
  button(view, "Checking").click();
  const asked = () => view.model.sentFor("_asked").map((a) => (a as { do: string }).do);
  expect(asked()).toEqual(["answer"]);
  view.model.assign({ _heard: 1 });
  expect(asked()).toEqual(["answer", "hint"]);
  view.model.assign({ _heard: 2 });
  expect(view.model.sentFor("_asked")[2]).toEqual({ n: 3, do: "answer", question: 0, answer: { spec: "P('y', 'y')" } });
  view.model.assign({ _heard: 3 });
  expect(asked()).toHaveLength(3);
});

test("devices are chosen by pointer and keyboard, on a mesh of their own where there is no picture", async () => {
  const view = await mount(sheet({ ...named("devices"), figures: [], attempts: 0, answer: [], feedback: null }));
  const devices = () => [...view.root.querySelectorAll<HTMLElement>(".devices button")];
  expect(devices().map((b) => b.textContent)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  expect([...view.root.querySelectorAll(".rail")].map((r) => r.textContent).slice(0, 3)).toEqual(["y=0", "y=1", "x=0"]);
  devices()[5]?.click();
  devices()[0]?.focus();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  await expect.poll(() => find(view, ".band.code code").textContent).toBe("exercise.answer = {4, 5}");
  await userEvent.keyboard("{Enter}{ArrowRight}{ArrowLeft}{ArrowUp}{ArrowUp}{ArrowUp}");
  await expect.poll(() => find(view, ".band.code code").textContent).toBe("exercise.answer = {5}");
  expect(view.root.activeElement).toBe(devices()[0]);
  button(view, "Check").click();
  expect(view.model.sentFor("_asked")).toEqual([{ n: 1, do: "answer", question: 0, answer: { holders: "5" } }]);
});

test("the devices of a partly right answer are marked", async () => {
  const view = await mount(sheet(named("devices")));
  const label = (id: number) => view.root.querySelectorAll(".drawn button")[id]?.getAttribute("aria-label");
  expect(label(1)).toBe("device 1 at x=0, y=1, not one of them");
  expect(label(4)).toBe("device 4 at x=2, y=0, right");
  expect(label(5)).toBe("device 5 at x=2, y=1");
  expect(find(view, ".work").textContent).toContain("here it would be right");
});

test("devices are chosen on the mesh of the picture, which is the only one", async () => {
  const view = await mount(sheet(named("devices")));
  expect(view.root.querySelector(".devices")).toBeNull();
  const canvas = find(view, ".picture canvas").getBoundingClientRect();
  const boxes = [...view.root.querySelectorAll(".drawn button")].map((b) => b.getBoundingClientRect());
  expect(boxes).toHaveLength(8);
  for (const box of boxes) {
    expect(box.left).toBeGreaterThan(canvas.left + canvas.width / 2);
    expect(box.bottom).toBeLessThan(canvas.bottom);
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(24);
  }
  expect(find(view, "output").textContent).toBe("1, 4");
  (view.root.querySelector(".drawn button") as HTMLElement).click();
  await expect.poll(() => find(view, "output").textContent).toBe("0, 1, 4");
});

test("cells of a grid are filled in and marked one by one", async () => {
  const view = await mount(sheet(named("grid")));
  const cells = () => [...view.root.querySelectorAll<HTMLInputElement>(".grid input")];
  expect(cells().map((c) => [c.value, c.className])).toEqual([
    ["1", "right"],
    ["2", "off"],
    ["3", "right"],
    ["4", "right"],
  ]);
  expect(cells()[1]?.getAttribute("aria-label")).toBe("row 0, column 1, not yet");
  await userEvent.fill(cells()[1] as HTMLInputElement, "7");
  await expect.poll(() => cells().map((c) => c.className)).toEqual(["", "", "", ""]);
  await userEvent.keyboard("{Enter}");
  expect(view.model.sentFor("_asked")).toEqual([{ n: 1, do: "answer", question: 0, answer: { block: "1, 7\n3, 4" } }]);
});

test("choices are radio buttons, many are a list", async () => {
  const view = await mount(sheet(named("long choice")));
  find<HTMLInputElement>(view, "input[type=radio]").click();
  const select = find<HTMLSelectElement>(view, "select");
  expect(select.options).toHaveLength(13);
  await userEvent.selectOptions(select, "all_gather along dim 3");
  await expect
    .poll(() => find(view, ".band.code code").textContent)
    .toBe('exercise.answer = ("all_gather along dim 3", "x")');
});

test("two layouts stand side by side where each has room, else one below the other", async () => {
  for (const [width, beside] of [
    [700, 0],
    [934, 2],
    [1700, 2],
  ] as const) {
    const view = await mount(sheet(named("long choice")), {}, { width });
    expect(view.root.querySelectorAll(".figures canvas"), `${width} px`).toHaveLength(2);
    expect(view.root.querySelectorAll(".figures.pair canvas"), `${width} px`).toHaveLength(beside);
  }
});

test("what a cell answers has no button, but the line to copy", async () => {
  const view = await mount(sheet(named("code")));
  expect(view.root.querySelector(".check")).toBeNull();
  expect(find(view, ".tries").textContent).toBe("last trydef fixed(a):");
  expect(find(view, ".band.error").textContent).toBe(
    "!ShardingTypeError raised by JAX 0.10.2Contracting dimensions are sharded",
  );
  button(view, "Copy").click();
  expect(navigator.clipboard.writeText).toHaveBeenCalledWith("exercise.answer = fixed");
  await expect.poll(() => find(view, "[role=status]").textContent).toBe("Copied.");
});

test("a refused clipboard is said", async () => {
  vi.mocked(navigator.clipboard.writeText).mockRejectedValue(new Error("no"));
  const view = await mount(sheet(named("code")));
  button(view, "Copy").click();
  await expect.poll(() => find(view, "[role=status]").textContent).toContain("select the text");
});

test("after a right answer nothing says that there is another", async () => {
  const fields = [field("type", "text")];
  const view = await mount(sheet(question("q", fields)));
  enter(view, "input", "f32[8@x, 16]");
  await expect.poll(() => button(view, "Check").disabled).toBe(false);
  button(view, "Check").click();
  const parts = [{ field: "type", right: true, note: "", cells: [] }];
  const right = question("q", fields, {
    attempts: 1,
    passed: true,
    answer: [{ field: "type", text: "f32[8@x,16]" }],
    feedback: feedback("right", { message: "JAX gives the same type.", question: "", parts }),
  });
  view.model.assign({ _document: sheet(right), _heard: 1 });
  await expect.poll(() => find(view, ".mark").textContent).toBe("✓ right");
  expect(find<HTMLInputElement>(view, "input").value).toBe("f32[8@x,16]");
  expect(aside(view)).not.toContain("another answer");
  enter(view, "input", "f32[8,16]");
  await expect.poll(() => find(view, ".mark").textContent).toBe("");
  expect(aside(view)).not.toContain("another answer");
});

test.each([1100, 690, 470])(
  "fields of a card %i pixels wide stay where they are when an answer is checked, and where there is room there is one mesh",
  async (width) => {
    const bare = {
      title: "",
      placement: { ...array(MESH, []), shape: null },
      listing: null,
      types: ["f32[8@x,16]"],
      tables: [],
    };
    const fields = [field("over", "choice", { options: ["x", "y"] }), field("copies", "text")];
    const view = await mount(sheet(question("q", fields, { figures: [bare] })), {}, { width });
    const corners = () =>
      [...view.root.querySelectorAll(".fields input, .check")].map((part) => {
        const { left, top } = part.getBoundingClientRect();
        return [left, top];
      });
    const before = corners();
    const after = { ...bare, title: "here it would be right", placement: array(MESH, [8, 16], ["x"]), types: [] };
    const parts = [
      { field: "over", right: false, note: "", cells: [] },
      { field: "copies", right: false, note: "", cells: [] },
    ];
    const answered = question("q", fields, {
      figures: [bare],
      attempts: 1,
      answer: [
        { field: "over", text: "x" },
        { field: "copies", text: "3" },
      ],
      feedback: feedback("partly", { parts, figure: after }),
    });
    expect(view.root.querySelectorAll(".picture")).toHaveLength(1);
    view.model.assign({ _document: sheet(answered) });
    // Marks agree with the verdict of the whole.
    await expect.poll(() => find(view, ".mark").textContent).toBe("◐ partly");
    expect(view.root.querySelectorAll(".work > :not(.result) .picture")).toHaveLength(1);
    expect(view.root.querySelectorAll(".result .picture")).toHaveLength(width === 470 ? 1 : 0);
    expect(before).toHaveLength(4);
    expect(corners()).toEqual(before);
  },
);

test("a line is copied when all of it is filled in", async () => {
  const view = await mount(sheet(question("q", [field("type", "text")])));
  expect(button(view, "Copy").disabled).toBe(true);
  enter(view, "input", "f32[8]");
  await expect.poll(() => button(view, "Copy").disabled).toBe(false);
});

test("a malformed answer keeps what is filled in", async () => {
  const fields = [field("type", "text")];
  const view = await mount(sheet(question("q", fields)));
  enter(view, "input", "f32(8)");
  await expect.poll(() => button(view, "Check").disabled).toBe(false);
  button(view, "Check").click();
  const said = feedback("malformed", { message: "Types have square brackets.", question: "" });
  view.model.assign({ _document: sheet(question("q", fields, { feedback: said })), _heard: 1 });
  await expect.poll(() => aside(view)).toContain("Not counted. Types have square brackets.");
  expect(find<HTMLInputElement>(view, "input").value).toBe("f32(8)");
  expect(aside(view)).not.toContain("attempt");
});

test("hints are asked of Python and shown in order", async () => {
  const view = await mount(sheet(spec("q")));
  button(view, "Hint").click();
  expect(view.model.sentFor("_asked")).toEqual([{ n: 1, do: "hint", question: 0 }]);
  view.model.assign({ _document: sheet(spec("q", { hints: ["one", "two"], hints_left: 0 })), _heard: 1 });
  await expect
    .poll(() => [...view.root.querySelectorAll(".hints li")].map((l) => l.textContent))
    .toEqual(["one", "two"]);
  expect(button(view, "No more hints").disabled).toBe(true);
});

test("reset empties the form and no more", async () => {
  const view = await mount(sheet(named("spec")));
  button(view, "Reset").click();
  await expect.poll(() => slots(view)).toEqual(["None", "None"]);
  expect(button(view, "Check").disabled).toBe(true);
  expect(textOf(find(view, ".badges"))).toContain("1 attempt");
  expect(view.model.sent).toEqual([]);
});

test("dots show progress and go to an exercise; drafts stay", async () => {
  const view = await mount(SET);
  const dots = [...view.root.querySelectorAll<HTMLElement>(".dot")];
  expect(dots.map((d) => d.getAttribute("aria-label"))).toEqual([
    "exercise 1 of 8, not yet",
    "exercise 2 of 8, not yet",
    "exercise 3 of 8, passed",
    "exercise 4 of 8, not yet",
    "exercise 5 of 8, not answered",
    "exercise 6 of 8, not answered",
    "exercise 7 of 8, not answered",
    "exercise 8 of 8, not yet",
  ]);
  slot(view, 0).focus();
  await userEvent.keyboard("{Delete}");
  dots[6]?.click();
  await expect.poll(() => aside(view)).toContain("exercise 7 of 8 · type");
  expect(view.model.sentFor("current")).toEqual([6]);
  expect(find(view, ".band.code code").textContent).toBe('lab["type"].answer = …');
  view.model.assign({ current: 0 });
  await expect.poll(() => aside(view)).toContain("exercise 1 of 8");
  expect(slots(view)).toEqual(["None", "y 2"]);
  button(view, "Next").click();
  await expect.poll(() => view.frame.dataset.swStep).toBe("1");
});

test.each(["x", {}, 0.5, -1, 1e9])("a page that says it is at exercise %j shows one that is there", async (current) => {
  const view = await mount(SET, { current });
  expect(aside(view)).toMatch(/^exercise [18] of 8/);
});

test("the card says where progress is kept and copies the record", async () => {
  const view = await mount(SET);
  const record = find(view, ".record").textContent ?? "";
  expect(record).toContain("Lab 1 · ada · 1 of 8 passed");
  expect(record).toContain("Progress is kept in lab-1-ada-exercises.json");
  expect(record).toContain("lab.json is the record of 'bob'. It stays as it is.");
  button(view, "Copy record").click();
  expect(navigator.clipboard.writeText).toHaveBeenCalledWith(
    "progress = r'''{\"format\": \"shardwidget exercises\"}'''",
  );
});

test("a saved page shows everything and asks nothing", async () => {
  const view = await mount(SET, { _static: true });
  expect(button(view, "Check").disabled).toBe(true);
  expect(button(view, "Hint").disabled).toBe(true);
  expect(find(view, ".work").textContent).toContain("answers are checked where the notebook runs");
  find(view, ".dot:last-child");
  button(view, "Next").click();
  await expect.poll(() => aside(view)).toContain("exercise 2 of 8");
});

test("text of the teacher stays text", async () => {
  const evil = "<img src=x onerror=alert(1)>";
  const view = await mount({
    ...sheet(question(evil, [field("type", "text", { label: evil })], { prompt: evil, goal: evil, hints: [evil] })),
    name: evil,
    notes: [evil],
  });
  expect(view.root.querySelector("img")).toBeNull();
  expect(aside(view)).toContain(evil);
});

test("a damaged document is said, and a good one ends that", async () => {
  const view = await mount(SET);
  view.model.assign({ _document: { ...SET, questions: [] } as Exercises });
  await expect.poll(() => view.root.querySelector("[role=alert]")?.textContent).toContain("it has no questions");
  view.model.assign({ _document: SET });
  await expect.poll(() => view.root.querySelector("[role=alert]")).toBeNull();
});

test("the keyboard alone answers and goes on", async () => {
  const view = await mount(SET, { current: 6 });
  find<HTMLInputElement>(view, ".work input").focus();
  await userEvent.keyboard("f32[[8@x]");
  await expect.poll(() => button(view, "Check").disabled).toBe(false);
  await userEvent.keyboard("{Enter}");
  expect(view.model.sentFor("_asked")).toEqual([{ n: 1, do: "answer", question: 6, answer: { type: "f32[8@x]" } }]);
  button(view, "Next").focus();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => aside(view)).toContain("exercise 8 of 8");
  expect(button(view, "Next").disabled).toBe(true);
});

for (const [scheme, background] of GROUNDS) {
  for (const width of [1100, 480]) {
    test.each(ALL.map((q, i) => [q.name, i] as const))(
      `%s has no fault of accessibility, ${scheme}, ${width} px`,
      async (_, current) => {
        const view = await mount(SET, { current }, { background, width });
        expect(view.root.querySelector(".card")?.classList).toContain(scheme);
        expect(find(view, ".sheet").classList.contains("narrow")).toBe(width < 760);
        await expectAccessible(view);
        expect(view.frame.scrollWidth).toBeLessThanOrEqual(width);
      },
    );
  }
}

const TASKS = ["1F0", "1F1", "1B0", "1B1"];
const places = (view: Mounted) => [...view.root.querySelectorAll(".order .task")].map((block) => block.textContent);

test("tasks are put in order by keys, as blocks in their colours", async () => {
  const view = await mount(sheet(question("q", [field("order", "order", { options: TASKS })])));
  const height = view.frame.getBoundingClientRect().height;
  expect(places(view)).toEqual(TASKS);
  expect(button(view, "Check").disabled).toBe(false);
  find(view, ".order").focus();
  await userEvent.keyboard("{ArrowRight} {ArrowRight} ");
  await expect.poll(() => places(view)).toEqual(["1F0", "1B0", "1F1", "1B1"]);
  await userEvent.keyboard("{ArrowLeft}");
  expect(places(view)).toEqual(["1F0", "1B0", "1F1", "1B1"]);
  expect(code(view)).toBe('exercise.answer = "1F0 1B0 1F1 1B1"');
  const colors = [...view.root.querySelectorAll<HTMLElement>(".order .task")].map((b) => b.style.background);
  expect(new Set(colors).size).toBe(4);
  expect(view.frame.getBoundingClientRect().height).toBe(height);
  button(view, "Check").click();
  expect(view.model.sentFor("_asked")).toEqual([
    { n: 1, do: "answer", question: 0, answer: { order: "1F0 1B0 1F1 1B1" } },
  ]);
  await expectAccessible(view);
});

test("a task is dragged to its place", async () => {
  const view = await mount(sheet(question("q", [field("order", "order", { options: TASKS })])));
  const blocks = () => [...view.root.querySelectorAll<HTMLElement>(".order .task")];
  const order = find(view, ".order");
  vi.spyOn(order, "setPointerCapture").mockImplementation(() => undefined);
  const at = (type: string, block: HTMLElement | undefined) => {
    const { x, y, width, height } = block?.getBoundingClientRect() ?? new DOMRect();
    const where = { clientX: x + width / 2, clientY: y + height / 2, buttons: 1, bubbles: true };
    order.dispatchEvent(new PointerEvent(type, where));
  };
  at("pointerdown", blocks()[3]);
  await expect.poll(() => blocks()[3]?.ariaSelected).toBe("true");
  at("pointermove", blocks()[0]);
  at("pointerup", blocks()[0]);
  await expect.poll(() => places(view)).toEqual(["1B1", "1F0", "1F1", "1B0"]);
});

test.each(ALL)("the button that checks is in view, however long the question: $name", async (question) => {
  const view = await mount(sheet(question), {}, { width: 934 });
  const check = view.root.querySelector(".check");
  if (question.fields.every(({ form }) => form === "code")) return expect(check).toBeNull();
  const shown = find(view, "aside").getBoundingClientRect();
  const { top, bottom } = (check as Element).getBoundingClientRect();
  expect(top).toBeGreaterThanOrEqual(shown.top);
  expect(bottom).toBeLessThanOrEqual(shown.bottom);
});

test("arrays of chunks are told apart by the ends of their paths", async () => {
  const options = ["layers/1/up", "layers/1/down", "layers/0/up"];
  const one = field("threshold", "threshold", { options, sizes: [4, 2, 2] });
  const view = await mount(sheet(question("q", [one])));
  const names = [...view.root.querySelectorAll(".threshold .task")].map(textOf);
  expect(names[0]).toBe("layers/1/up");
  expect(names.slice(1)).toEqual(["1/down", "0/up"]);
});

test("a threshold is a slider under the chunks that it makes", async () => {
  const one = field("threshold", "threshold", { options: ["a", "b", "c"], sizes: [4, 4, 2] });
  const view = await mount(sheet(question("q", [one])));
  const chunks = () => [...view.root.querySelectorAll(".threshold li")].map((chunk) => textOf(chunk.lastElementChild));
  expect(chunks()).toEqual(["abc"]);
  enter(view, ".threshold input", 2);
  await expect.poll(chunks).toEqual(["a", "bc"]);
  expect(code(view)).toBe('exercise.answer = "6 B"');
  await expectAccessible(view);
});

test("a threshold that a cell gave, with its unit, is where the slider stands", async () => {
  const one = field("threshold", "threshold", { options: ["a", "b", "c"], sizes: [4, 4, 2].map((n) => n << 20) });
  const view = await mount(sheet(question("q", [one], { answer: [{ field: "threshold", text: "5 MiB" }] })));
  expect(view.root.querySelectorAll(".threshold li")).toHaveLength(3);
  expect(textOf(find(view, ".threshold output"))).toBe("5 MiB");
  expect(code(view)).toBe('exercise.answer = "5 MiB"');
});

/** 1F1B of two ranks and two microbatches: both forms of the question that the timeline answers. */
const RANKS = ["0F0 0F1 0B0 0B1", "1F0 1B0 1F1 1B1"];
const timeline = () =>
  sheet(
    question("q", [field("bubble", "timeline", { options: RANKS }), field("peak", "timeline")], {
      task: "read_schedule",
    }),
  );
const spans = (view: Mounted) =>
  [...view.root.querySelectorAll(".timeline .task")].map((task) =>
    task.ariaLabel?.replace(/^\d+: | of rank \d, from|, picked up/g, ""),
  );

test("a schedule is read by moving its tasks to where they can start, by keys, and its numbers follow", async () => {
  const view = await mount(timeline());
  const height = view.frame.getBoundingClientRect().height;
  expect(spans(view)).toEqual([
    "0F0 0 to 1",
    "0F1 1 to 2",
    "0B0 2 to 4",
    "0B1 4 to 6",
    "1F0 0 to 1",
    "1B0 1 to 3",
    "1F1 3 to 4",
    "1B1 4 to 6",
  ]);
  expect(button(view, "Check").disabled).toBe(true);
  find(view, ".timeline").focus();
  // 0B0 waits for 1B0, which ends at 4; 0B1 for 1B1. Then rank 1, one later: its others make way.
  await userEvent.keyboard("{ArrowRight}{ArrowRight} {ArrowRight}{ArrowRight} {ArrowRight} {ArrowRight} ");
  await userEvent.keyboard("{ArrowDown}{ArrowLeft}{ArrowLeft}{ArrowLeft} {ArrowRight} ");
  await expect
    .poll(() => spans(view))
    .toEqual([
      "0F0 0 to 1",
      "0F1 1 to 2",
      "0B0 4 to 6",
      "0B1 7 to 9",
      "1F0 1 to 2",
      "1B0 2 to 4",
      "1F1 4 to 5",
      "1B1 5 to 7",
    ]);
  await userEvent.keyboard("{ArrowUp}{ArrowRight}{Enter}");
  expect(textOf(find(view, "output.reading"))).toBe("idle 6 of 18 units; marked 0F1 of rank 0, 2 kept.");
  expect(view.frame.getBoundingClientRect().height).toBe(height);
  button(view, "Check").click();
  expect(view.model.sentFor("_asked")).toMatchObject([{ do: "answer", answer: { bubble: "6/18", peak: "2" } }]);
  await expectAccessible(view);
});

test("a task of a schedule is dragged along its lane, never before the one that it follows", async () => {
  const view = await mount(timeline());
  const board = find(view, ".timeline");
  vi.spyOn(board, "setPointerCapture").mockImplementation(() => undefined);
  const block = view.root.querySelectorAll<HTMLElement>(".timeline .task")[6] as HTMLElement;
  const { x, y, width } = block.getBoundingClientRect();
  const at = (type: string, units: number) =>
    block.dispatchEvent(
      new PointerEvent(type, {
        clientX: x + (units + 0.5) * width,
        clientY: y + 9,
        buttons: 1,
        bubbles: true,
        composed: true,
      }),
    );
  at("pointerdown", 0);
  await expect.poll(() => block.ariaSelected).toBe("true");
  at("pointermove", 2);
  await expect.poll(() => spans(view).slice(6)).toEqual(["1F1 5 to 6", "1B1 6 to 8"]);
  at("pointermove", -4);
  at("pointerup", -4);
  await expect.poll(() => spans(view).slice(6)).toEqual(["1F1 3 to 4", "1B1 6 to 8"]);
});

test("three specs of a program stand in one row under what is wanted, which is named once", async () => {
  const rows = [
    ["56", "62"],
    ["152", "174"],
  ];
  const figure = { title: "wanted", placement: null, listing: null, types: ["wanted: f32[2,2]"] };
  const fields = ["in0", "in1", "out"].map((name) => field(name, "spec", { example: "P(…, …)" }));
  const asked = question("specs", fields, { figures: [{ ...figure, tables: [{ title: "", rows }] }] });
  const view = await mount(sheet(asked), {}, { width: 934 });
  expect(textOf(find(view, ".figures")).match(/wanted/g)).toHaveLength(1);
  const tops = [...view.root.querySelectorAll(".field")].map((one) => one.getBoundingClientRect().top);
  expect(new Set(tops).size).toBe(1);
});

test.each([934, 1100])("of a long kernel every question is in view, and the code gives way: %i px", async (width) => {
  const view = await mount(sheet(RACE), {}, { width });
  const work = find(view, ".work");
  expect(work.scrollHeight).toBe(work.clientHeight);
  const listing = find(view, ".listing");
  expect(listing.scrollHeight).toBeGreaterThan(listing.clientHeight);
  expect(view.root.querySelectorAll("select")).toHaveLength(2);
});

test("a line of code that has no room goes on below, none is cut", async () => {
  const view = await mount(sheet(RACE), {}, { width: 480 });
  const listing = find(view, ".listing");
  expect(listing.scrollWidth).toBe(listing.clientWidth);
  expect(find(view, ".listing pre").textContent).toBe(`${RACE.figures[0]?.listing?.lines.join("\n")}\n`);
});

test("questions with the same choices are lines, each beside its choices", async () => {
  const view = await mount(sheet(OVERLAP), {}, { width: 934 });
  const lines = [...view.root.querySelectorAll(".field")].map((line) => {
    const [name, choices] = ["legend", ".options"].map((part) => line.querySelector(part)?.getBoundingClientRect());
    return [name, choices] as [DOMRect, DOMRect];
  });
  expect(lines).toHaveLength(3);
  for (const [name, choices] of lines) expect(name.right).toBeLessThanOrEqual(choices.left);
  expect(new Set(lines.map(([, choices]) => choices.left)).size).toBe(1);
});

test("the verdict is read before the answer that it is on", async () => {
  const view = await mount(sheet(ALL[0] as Question));
  const [said, tries] = [".said", ".tries"].map((part) => find(view, part).getBoundingClientRect()) as [
    DOMRect,
    DOMRect,
  ];
  expect(said.bottom).toBeLessThanOrEqual(tries.top);
});

test("room for several rules is no wider than the card", async () => {
  const view = await mount(
    sheet(question("q", [field("rules", "text", { example: "a → P(…); …" })])),
    {},
    { width: 480 },
  );
  const [input, work] = ["input", ".work"].map((part) => find(view, part).getBoundingClientRect()) as [
    DOMRect,
    DOMRect,
  ];
  expect(input.right).toBeLessThan(work.right);
});

test("what is several has the room of several: a field of rules is as wide as two of them", async () => {
  const widths = [];
  for (const example of ["pattern → P(…); …", "pattern → P(…)"]) {
    const asked = question("rules", [field("rules", "text", { example })]);
    const view = await mount(sheet(asked), {}, { width: 934 });
    widths.push(find(view, ".field input").offsetWidth);
  }
  expect(Number(widths[0])).toBeGreaterThan(1.8 * Number(widths[1]));
});

test("what is wanted and what the spec gives stand in view, nothing of them scrolled away", async () => {
  const { root } = await mount(sheet(named("spec")), {}, { width: 934 });
  const work = root.querySelector(".work") as HTMLElement;
  expect(work.querySelectorAll("figure")).toHaveLength(2);
  expect(work.scrollHeight).toBeLessThanOrEqual(work.clientHeight);
});

test("where an answer would be right stands in view below the array, nothing scrolled away", async () => {
  const { root } = await mount(sheet(named("devices")), {}, { width: 934 });
  const work = root.querySelector(".work") as HTMLElement;
  expect(work.querySelectorAll("figure canvas")).toHaveLength(2);
  expect(work.scrollHeight).toBeLessThanOrEqual(work.clientHeight);
});
test.each([934, 700, 480, 360])(
  "an exercise of words is as high checked as not, with little room left empty, in a card of %i px",
  async (width) => {
    const listing = { file: "", first_line: 1, lines: ["lambda a: a.T * 2"] };
    const figures = [{ title: "", placement: null, listing, types: ["a: f32[8@x,16@y]"], tables: [] }];
    const asked = question("q", [field("type", "text")], { figures });
    const view = await mount(sheet(asked), {}, { width });
    const height = view.frame.offsetHeight;
    const [work, fields] = [".work", ".fields"].map((part) => find(view, part).getBoundingClientRect().bottom);
    expect(Number(work) - Number(fields)).toBeLessThanOrEqual(150);
    const said = feedback("wrong", {
      gives: "f32[16@y,8@x]",
      message: "f32[8@x,16@y] is the type of the argument, before it is transposed: dimensions swap with their axes.",
    });
    const answer = [{ field: "type", text: "f32[8@x,16@y]" }];
    view.model.assign({ _document: sheet({ ...asked, attempts: 1, answer, feedback: said }), _heard: 1 });
    await expect.poll(() => view.root.querySelector(".said")).not.toBeNull();
    expect(view.frame.offsetHeight).toBe(height);
    await expectAccessible(view);
  },
);

test("an array of a tree is chosen where it is listed, with its type", async () => {
  const view = await mount(sheet(LEAF), {}, { width: 934 });
  const rows = [...view.root.querySelectorAll<HTMLElement>(".leaves label")];
  expect(rows.map((row) => row.textContent)).toContain("params/layers/23/upf32[4096@x,1024]");
  rows[23]?.click();
  await expect.poll(() => find(view, ".band.code").textContent).toContain('"params/layers/23/up"');
  expect(view.root.querySelectorAll(".types")).toHaveLength(0);
  await expectAccessible(view);
});
