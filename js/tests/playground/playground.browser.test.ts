import { beforeEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { button, drawn, find, frames, pixels } from "../harness";
import { axis, draft, LOOSE, on, playground } from "./documents";
import { chip, code, drag, mount, slot, text, told } from "./harness";

const put = (spec: string) => `x = jax.device_put(x, NamedSharding(mesh, ${spec}))`;

beforeEach(() => {
  vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
});

test("an axis is dragged onto a dimension: shown while it is in the hand, kept when it is let go", async () => {
  const view = await mount(playground(draft({ entries: [on("y")] })));
  const before = pixels(view);
  const hand = drag(view, chip(view, "x"), slot(view, 1));
  await expect.poll(() => text(view, "header h2")).toBe("x f32[8@y,16@x]");
  expect(text(view, ".says .soft")).toBe("preview, release to keep");
  expect(slot(view, 1).textContent).toBe("dim 1: drop x");
  expect(find(view, ".place.over .under").textContent).toBe("dim 1: 16 ÷ 4 = 4");
  await expect.poll(() => pixels(view)).not.toBe(before);
  expect(told(view)).toBeNull();
  hand.up();
  await expect.poll(() => view.root.querySelector(".says .soft")).toBeNull();
  expect(told(view)).toBe("P('y', 'x')");
  expect(code(view)).toBe(put("P('y', 'x')"));
  expect(view.root.querySelector(".hand")).toBeNull();
  expect(text(view, ".says b")).toBe("Each device holds f32[4,4]: rows over y, columns over x");
  expect(text(view, ".band .facts")).toBe(
    'HLO{devices=[2,4]<=[4,2]T(1,0)}Shardy#sdy.sharding<mesh<["x"=4, "y"=2]>, [{"y"}, {"x"}]>',
  );
});

test("an axis that is let go near a slot lands in it, and one far from all goes nowhere", async () => {
  const view = await mount(playground(draft()));
  const box = slot(view, 1).getBoundingClientRect();
  drag(view, chip(view, "x"), [box.left + 20, box.bottom + 14]).up();
  await expect.poll(() => told(view)).toBe("P(None, 'x')");
  drag(view, chip(view, "y"), find(view, ".band.code")).up();
  expect(told(view)).toBe("P(None, 'x')");
});

test("a finger drags as well, and breaking off changes nothing", async () => {
  const view = await mount(playground());
  expect(getComputedStyle(chip(view, "x")).touchAction).toBe("none");
  const hand = drag(view, chip(view, "x"), slot(view, 0), "touch");
  await expect.poll(() => slot(view, 0).textContent).toBe("dim 0: drop x");
  hand.cancel();
  await expect.poll(() => slot(view, 0).textContent).toBe("dim 0: None");
  const broken = drag(view, chip(view, "x"), slot(view, 0), "touch");
  await expect.poll(() => slot(view, 0).textContent).toBe("dim 0: drop x");
  slot(view, 0).dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, composed: true }));
  await expect.poll(() => slot(view, 0).textContent).toBe("dim 0: None");
  broken.up();
  expect(told(view)).toBeNull();
});

test("axes are dragged from place to place, into an order, onto unreduced and off", async () => {
  const view = await mount(playground(draft({ entries: [on("x"), on("y")] })));
  const held = (place: number | string, name: string) => find(view, `[data-place="${place}"] [data-chip="${name}"]`);
  drag(view, held(1, "y"), held(0, "x")).up();
  await expect.poll(() => told(view)).toBe("P(('x', 'y'), None)");
  const first = slot(view, 0).getBoundingClientRect();
  drag(view, held(0, "y"), [first.left + 4, first.top + 8]).up();
  await expect.poll(() => told(view)).toBe("P(('y', 'x'), None)");
  drag(view, held(0, "y"), slot(view, "unreduced")).up();
  await expect.poll(() => told(view)).toBe("P('x', None, unreduced={'y'})");
  expect(text(view, "header h2")).toBe("x f32[8@x,16]{U:y}");
  drag(view, held("unreduced", "y"), find(view, ".band.code")).up();
  await expect.poll(() => told(view)).toBe("P('x', None)");
});

test("a click on an axis and one on a place do what dragging does", async () => {
  const view = await mount(playground());
  button(view, "x 4").click();
  await expect.poll(() => text(view, ".hint")).toContain("click where to put it");
  slot(view, 1).click();
  await expect.poll(() => told(view)).toBe("P(None, 'x')");
  expect(button(view, "x 4").ariaPressed).toBe("false");
  slot(view, 0).click();
  expect(told(view)).toBe("P(None, 'x')");
});

test("all by keyboard", async () => {
  const view = await mount(playground());
  slot(view, 0).focus();
  await userEvent.keyboard("yx");
  await expect.poll(() => told(view)).toBe("P(('y', 'x'))");
  expect(slot(view, 0).textContent).toBe("dim 0: y 2x 4");
  expect(text(view, `#${slot(view, 0).getAttribute("aria-describedby")}`)).toBe("dim 0: 8 ÷ 8 = 1");
  await userEvent.keyboard("{Backspace}{ArrowRight}");
  await expect.poll(() => view.root.activeElement).toBe(slot(view, 1));
  await userEvent.keyboard("1");
  await expect.poll(() => told(view)).toBe("P('y', 'x')");
  await userEvent.keyboard("{Delete}{End}");
  await expect.poll(() => view.root.activeElement).toBe(slot(view, "reduced"));
  await userEvent.keyboard("x");
  await expect.poll(() => told(view)).toBe("P('y', None, reduced={'x'})");
  expect(text(view, "[aria-live]")).toBe("f32[8@y,16]{R:x}");
  await userEvent.keyboard("{Control>}z{/Control}");
  await expect.poll(() => told(view)).toBe("P('y', None)");
  await userEvent.keyboard("{Control>}{Shift>}Z{/Shift}{/Control}");
  await expect.poll(() => told(view)).toBe("P('y', None, reduced={'x'})");
  await userEvent.keyboard("{Home}?");
  await expect.poll(() => text(view, ".band.error b")).toBe("ValueError");
  expect(view.root.activeElement).toBe(slot(view, 0));
  expect([...view.root.querySelectorAll<HTMLElement>("[data-place]")].filter((s) => s.tabIndex === 0)).toHaveLength(1);
});

test("an invalid spec: JAX's words, what they mean, the last valid picture, the red slot", async () => {
  const view = await mount(playground(draft({ entries: [on("x")] })));
  const picture = pixels(view);
  drag(view, chip(view, "x"), slot(view, 1)).up();
  await expect.poll(() => text(view, ".band.error p")).toBe("DuplicateSpecError raised by JAX 0.10.2");
  expect(text(view, ".band.error pre")).toBe(
    "A single NamedSharding spec specification can map every mesh axis to at most one positional dimension, but P('x', 'x') has duplicate entries for `x`",
  );
  expect(text(view, ".says b")).toBe("Not valid: JAX raises DuplicateSpecError");
  expect(text(view, ".means")).toContain("A device has one coordinate along x");
  expect(text(view, ".place.off .under")).toBe("x is taken by dim 0");
  expect(view.root.querySelectorAll(".place.off")).toHaveLength(1);
  expect(text(view, ".hint .instead")).toBe("array f32[8,16]");
  expect(text(view, ".band.code [role=status]")).toBe("picture shows the last valid spec");
  expect(text(view, ".band.code .wrong")).toBe("P('x', 'x')");
  expect(find(view, ".faded").contains(find(view, ".picture"))).toBe(true);
  expect(pixels(view)).toBe(picture);
  expect(text(view, "[aria-live]")).toContain("DuplicateSpecError. A device has one coordinate");
  expect(told(view)).toBe("P('x', 'x')");
  button(view, "Undo").click();
  await expect.poll(() => view.root.querySelector(".band.error")).toBeNull();
  button(view, "Redo").click();
  await expect.poll(() => text(view, ".band.error b")).toBe("DuplicateSpecError");
});

test("UNCONSTRAINED is dragged onto a dimension and off", async () => {
  const axes = [axis("x", 4, "Auto"), axis("y", 2, "Auto")];
  const view = await mount(playground(draft({ axes, entries: [on("x")] })));
  drag(view, chip(view, ""), slot(view, 1)).up();
  await expect
    .poll(() => code(view))
    .toBe("x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P('x', P.UNCONSTRAINED)))");
  expect(text(view, "header h2")).toBe("x f32[8,16]");
  drag(view, find(view, '[data-place="1"] [data-chip=""]'), find(view, "footer")).up();
  await expect.poll(() => told(view)).toBe("P('x', None)");
});

test("mesh, array and spec are typed", async () => {
  const view = await mount(playground(draft({ entries: [on("x"), on("y")] })));
  button(view, "change").click();
  const input = async (label: string, value: string) => {
    await expect.poll(() => view.root.querySelector(`[aria-label="${label}"]`)).not.toBeNull();
    const field = find<HTMLInputElement>(view, `[aria-label="${label}"]`);
    field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return field;
  };
  await input("name of axis 0", "data");
  await expect.poll(() => text(view, "header h2")).toBe("x f32[8@data,16@y]");
  await input("size of axis y", "4");
  await expect
    .poll(() => text(view, ".settings"))
    .toContain("16 positions, more than the 8 devices here: an abstract mesh");
  expect(code(view)).toContain("jax.sharding.AbstractMesh((4, 4), ('data', 'y'),");
  await input("shape", "4, 8, 2");
  await expect.poll(() => text(view, "header h2")).toBe("x f32[4@data,8@y,2]");
  await input("type of axis data", "Auto");
  await expect.poll(() => text(view, "header h2")).toBe("x f32[4,8@y,2]");
  await input("spec as text", "P(None, ('y', 'data'))");
  await expect.poll(() => text(view, ".band.error b")).toBe("IndivisibleError");
  const wrong = await input("spec as text", "P(x)");
  expect(wrong.validationMessage).toBe("Write a spec, such as P('x', None).");
  expect((await input("size of axis y", "0")).validationMessage).toBe("A whole number, 1 to 1024.");
  expect((await input("name of axis 1", "data")).validationMessage).toBe("There already is an axis data.");
  expect((await input("shape", "4, x")).validationMessage).toBe("Write sizes, such as (8, 16).");
  button(view, "remove axis y").click();
  await expect.poll(() => text(view, ".band.error pre")).toContain("Resource axis: y of P(None, ('y', 'data'))");
});

test("Python's edits are shown, and a draft that is none is not", async () => {
  const view = await mount(playground());
  const one = draft({ entries: [on("y"), on("x")] });
  view.model.assign({ _edits: { drafts: [draft(), one], at: 1 } });
  await expect.poll(() => text(view, "header h2")).toBe("x f32[8@y,16@x]");
  expect(button(view, "Undo").disabled).toBe(false);
  view.model.assign({ _edits: { drafts: [{}], at: 0 } });
  view.model.assign({ _edits: { drafts: [one], at: 3 } });
  await drawn(view, 2);
  expect(text(view, "header h2")).toBe("x f32[8@y,16@x]");
});

test("Apply asks Python, and shows what it answers", async () => {
  const view = await mount(playground(draft({ entries: [on("x")] }), { array: "f32[8,16]" }));
  expect(button(view, "Apply").disabled).toBe(false);
  button(view, "Apply").click();
  await expect.poll(() => button(view, "Apply").disabled).toBe(true);
  expect(view.model.sentFor("_asked")).toEqual([1]);
  view.model.assign({ _applied: { n: 1, type: "f32[8@x,16]", error: "", said: "" } });
  await expect.poll(() => text(view, ".band.code [role=status]")).toBe("moved: f32[8@x,16]");
  view.model.assign({ _applied: { n: 2, type: "", error: "XlaRuntimeError", said: "out of memory" } });
  await expect.poll(() => text(view, ".band.error")).toBe("!XlaRuntimeError raised by Apply, JAX 0.10.2out of memory");
  button(view, "change").click();
  await expect.poll(() => find<HTMLInputElement>(view, '[aria-label="shape"]').disabled).toBe(true);
});

test("the code is copied", async () => {
  const view = await mount(playground(draft({ entries: [on("x")], unreduced: ["y"] })));
  button(view, "Copy").click();
  await expect.poll(() => text(view, ".band.code [role=status]")).toBe("Copied.");
  expect(navigator.clipboard.writeText).toHaveBeenCalledWith(
    `${put("P('x')")}\nx = jax.reshard(x, NamedSharding(mesh, P('x', unreduced={'y'})))`,
  );
});

test("a saved page edits, and moves no array", async () => {
  const edits = { drafts: [draft({ entries: [on("x")] })], at: 0 };
  const view = await mount(playground(undefined, { array: "f32[8,16]" }), { _static: true, _edits: edits });
  expect(text(view, "header h2")).toBe("x f32[8@x,16]");
  expect(button(view, "Apply").disabled).toBe(true);
  drag(view, chip(view, "y"), slot(view, 1)).up();
  await expect.poll(() => text(view, "header h2")).toBe("x f32[8@x,16@y]");
});

test("nothing hangs over the edge of a narrow card", async () => {
  const view = await mount(
    playground(draft({ shape: [8, 16, 4], entries: [on("x"), LOOSE], unreduced: ["y"] })),
    {},
    { width: 480 },
  );
  button(view, "change").click();
  await expect.poll(() => view.root.querySelector(".settings")).not.toBeNull();
  const edge = find(view, ".card").getBoundingClientRect().right;
  const over = [...view.root.querySelectorAll(".card *:not(canvas)")].filter(
    (el) => el.getBoundingClientRect().right > edge,
  );
  expect(over.map((el) => el.className)).toEqual([]);
});

test("a document of another kind is said to be", async () => {
  const view = await mount(playground());
  view.model.assign({ _document: { ...playground(), kind: "trace" } });
  await expect.poll(() => text(view, ".failure")).toContain('it is of kind "trace"');
});

test("the card is as high whatever the spec is, valid or not", async () => {
  const axes = [axis("x", 4), axis("y", 2)];
  const specs = [
    draft(),
    draft({ entries: [on("x")] }),
    draft({ entries: [on("x"), on("y")] }),
    draft({ entries: [on(), on("y", "x")] }),
    draft({ entries: [on("x", "y")] }),
    draft({ entries: [LOOSE, on("x")] }),
    draft({ unreduced: ["x"], reduced: ["y"] }),
    draft({ unreduced: ["x", "y"] }),
    draft({ entries: [on("x"), on("x")] }),
    draft({ entries: [on("z")], axes }),
    draft({ entries: [on("x")], unreduced: ["x"] }),
  ];
  const other: string[] = [];
  for (const width of [934, 700, 668, 620, 560, 480, 360]) {
    const view = await mount(playground(), {}, { width });
    const height = () => Math.round(find(view, ".card").getBoundingClientRect().height);
    const before = height();
    for (const [i, spec] of specs.entries()) {
      view.model.assign({ _edits: { drafts: [draft(), spec], at: 1 } });
      await frames(2);
      if (height() !== before) other.push(`${width} px, spec ${i}: ${height() - before}`);
    }
    if (width >= 480) expect(before, `${width} px`).toBeLessThanOrEqual(640);
    view.stop();
  }
  expect(other).toEqual([]);
});

const MESHES = [
  [axis("data", 4), axis("fsdp", 4), axis("tensor", 2)],
  [axis("pod", 2), axis("data", 2), axis("fsdp", 2), axis("tensor", 2)],
  [axis("replica", 2), axis("data", 2), axis("fsdp", 2), axis("sequence", 2), axis("tensor", 2)],
];
const SHAPES = [[64], [64, 128], [64, 128, 256], [8, 64, 128, 256]];
const LARGE = MESHES.flatMap((axes) =>
  SHAPES.slice(0, 7 - axes.length).flatMap((shape) =>
    [1100, 934, 700, 480, 360].map((width) => ({ axes, shape, width })),
  ),
).map((one) => ({ ...one, name: `${one.axes.length} axes, rank ${one.shape.length}, ${one.width} px` }));

test.each(LARGE)("a card is as high wherever axes are dropped: $name", async ({ axes, shape, width }) => {
  const names = axes.map(({ name }) => name);
  const last = shape.length - 1;
  const at = (dim: number, ...of: string[]) => shape.map((_, d) => (d === dim ? on(...of) : on()));
  const specs = [
    draft({ axes, shape }),
    ...names.map((name) => draft({ axes, shape, entries: at(0, name) })),
    ...names.map((_, k) => draft({ axes, shape, entries: at(last, ...names.slice(0, k + 1)) })),
    draft({ axes, shape, entries: shape.map((_, d) => on(...names.slice(d, d + 1))) }),
    draft({ axes, shape, entries: shape.map((_, d) => on(...names.filter((_, k) => k % shape.length === d))) }),
    draft({ axes, shape, entries: shape.map(() => LOOSE) }),
    draft({ axes, shape, unreduced: names.slice(0, 2), reduced: names.slice(2) }),
    draft({ axes, shape, entries: at(0, ...names), unreduced: names.slice(0, 1) }),
  ];
  const view = await mount(playground(draft({ axes, shape }), { name: "q" }), {}, { width });
  const height = () => Math.round(find(view, ".card").getBoundingClientRect().height);
  await frames(3);
  const before = height();
  const other: string[] = [];
  for (const [i, spec] of specs.entries()) {
    view.model.assign({ _edits: { drafts: [draft({ axes, shape }), spec], at: 1 } });
    await frames(2);
    if (height() !== before) other.push(`spec ${i}: ${height() - before}`);
  }
  expect(other).toEqual([]);
});

test.each([934, 700, 480])("the card is as high whichever dimensions run down and across, %i px", async (width) => {
  const axes = [axis("data", 4), axis("fsdp", 4), axis("tensor", 2)];
  const shape = [64, 128, 256];
  const entries = axes.map(({ name }) => on(name));
  const view = await mount(playground(draft({ axes, shape, entries }), { name: "q" }), {}, { width });
  await frames(3);
  const { height } = find(view, ".card").getBoundingClientRect();
  for (const menu of view.root.querySelectorAll<HTMLSelectElement>(".palette select")) {
    for (const dim of ["0", "1", "2"]) {
      menu.value = dim;
      menu.dispatchEvent(new Event("change", { bubbles: true }));
      await frames(3);
      expect(find(view, ".card").getBoundingClientRect().height, `dim ${dim}`).toBe(height);
    }
  }
});
