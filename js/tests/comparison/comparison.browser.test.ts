import { expect, test } from "vitest";
import type { Comparison } from "../../src/core/document.gen";
import { cell, enter, find, frames, type Mounted, press, settle, table, textOf } from "../harness";
import { comparison, long } from "./comparisons";
import { lines, mount } from "./harness";

const names = (view: Mounted) => lines(view).map((l) => l.id.replace("line-", ""));
const button = ({ root }: Mounted, text: string) =>
  [...root.querySelectorAll("button")].find((b) => b.textContent?.includes(text)) as HTMLButtonElement;
const search = (view: Mounted, text: string) => {
  enter(view, "input[type=search]", text);
  return settle();
};
const current = (view: Mounted) => table(view).getAttribute("aria-activedescendant")?.replace("line-", "");

/** Goes to the top: a table opens at what is to be looked at first. */
async function home(view: Mounted): Promise<void> {
  press(table(view), "Home");
  await settle();
  await frames();
}

test("a table opens at what stops, its fixes above JAX's words in one line", async () => {
  const view = await mount(comparison("layer"));
  expect(current(view)).toBe("r3");
  const [ways, said] = [find(view, ".ways"), find(view, ".said")];
  expect(ways.getBoundingClientRect().bottom).toBeLessThan(said.getBoundingClientRect().top);
  expect(said.getBoundingClientRect().height).toBeLessThan(30);
  expect(find(view, ".says b").textContent).toBe(comparison("layer").verdict);
  expect(find(view, ".says b span").title).toBe("");
});

test.each([934, 1100, 1240])("heads of columns are one line, so that rows have its room, %i px", async (width) => {
  const view = await mount(comparison("layer"), {}, { width });
  const box = (element: Element) => element.getBoundingClientRect();
  const heads = find(view, ".heads");
  expect(box(heads).height).toBeLessThan(32);
  for (const name of heads.querySelectorAll("b")) expect(box(name).bottom).toBeLessThanOrEqual(box(heads).bottom);
  for (const note of heads.querySelectorAll(".soft")) {
    const name = note.previousElementSibling as Element;
    // Beside it, or left out.
    const [above, below] = [box(name).bottom >= box(note).bottom - 2, box(note).top >= box(heads).bottom];
    expect(above || below).toBe(true);
  }
});

test("the first sentence has the beginning of a long message, and the whole of it as its title", async () => {
  const doc = comparison("layer");
  const message = doc.rows.find((row) => row.error)?.error?.message;
  const view = await mount({
    ...doc,
    verdict: "Line 4 stops on an Explicit mesh: Contracting dimensions are sharded…",
  });
  expect(message).toContain("Contracting dimensions");
  expect(find(view, ".says b span").title).toBe(message);
});

test("a table opens at its selected row, though one line stands for it and others", async () => {
  const view = await mount(comparison("training"), { selection: 1 }, { width: 934 });
  await frames();
  expect(current(view)).toBe("r1");
  const [list, details] = [table(view), find(view, ".details")].map((part) => part.getBoundingClientRect());
  expect(details?.bottom).toBeLessThanOrEqual(list?.bottom ?? 0);
});

test("a fix that is used is told by the head, and what it changes is marked and in view", async () => {
  const view = await mount(comparison("layer"));
  const height = view.frame.getBoundingClientRect().height;
  button(view, "Use and continue").click();
  await settle();
  await frames();
  expect(find(view, ".says b").textContent).toBe(comparison("layer").continuations[0]?.verdict);
  expect(find(view, ".badges").textContent).toContain("1 row changed");
  expect(find(view, ".badges").textContent).toContain("1 fix used");
  expect(find(view, ".badges").textContent).not.toContain("type error");
  expect([...view.root.querySelectorAll(".news")].map((el) => el.closest(".line")?.id)).toEqual(["line-r4"]);
  expect(current(view)).toBe("r4");
  expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(height + 60);
});

test("a fix that no row can follow from is shown with what it gives, and without a button", async () => {
  const view = await mount(comparison("refused"), { selection: 1 });
  expect(find(view, ".way code").textContent).toContain("jax.reshard(x, P(None, 'y'))");
  expect(find(view, ".way .gives").textContent).toBe("gives×4f32[128,16@y]");
  expect(find(view, ".way img").getAttribute("alt")).toBe("2 tiles, 4 copies of each");
  expect([...view.root.querySelectorAll("button")].map((b) => b.textContent)).not.toContain("Use and continue");
});

test("each row says its line, its type, its sharding and whether they agree", async () => {
  const view = await mount(comparison("layer"));
  const [args, product, , stopped] = lines(view);
  expect(names(view)).toEqual(["r0", "r1", "r2", "r3", "s3", "c3.0", "r4", "r5", "c5.1", "r6"]);
  expect(cell(args, "source")).toContain("x, w1, w2, scale");
  // The second side is written where it is another than the first.
  expect(cell(args, "concrete")).toBe("✓ same");
  expect([cell(product, "source"), cell(product, "explicit"), cell(product, "auto")]).toEqual([
    "2h = x @ w1dot_general",
    "f32[128@x,256@y]",
    "f32[128,256]",
  ]);
  expect(cell(product, "verdict")).toBe("✓ same");
  expect(cell(stopped, "explicit")).toBe("ShardingTypeError");
  expect(cell(stopped, "verdict")).toContain("Differs. scale is split on y");
  expect(cell(lines(view)[6], "verdict")).toBe("✓ same with the fix");
  expect(find(view, ".said > p").textContent).toBe(comparison("layer").rows[3]?.error?.message);
  expect(find(view, ".way.used ins").textContent).toBe("out_sharding=P('x', None)");
  expect(cell(lines(view)[5], "source")).toContain("all-reduce y 2");
  expect(cell(lines(view)[5], "explicit")).toBe("f32[32,16] · 2 KiB/device");
  expect(view.model.sent).toEqual([]);
});

test("places that inspections changed say so, and results are named", async () => {
  const doc = comparison("layer");
  const rows = doc.rows.map((row, i) =>
    i === 1 ? { ...row, inspected: true } : i === 6 ? { ...row, primitive: "outputs", source: null } : row,
  );
  const view = await mount({ ...doc, rows });
  expect(cell(lines(view)[1], "concrete")).toContain("as inspected");
  expect(cell(lines(view)[2], "concrete")).not.toContain("as inspected");
  expect(cell(lines(view).at(-1), "source")).toContain("outputs");
});

test("axis names take the colour of their axis, in types, specs and sentences", async () => {
  const view = await mount(comparison("layer"));
  const ink = (line: number, column: string) =>
    [...(lines(view)[line]?.querySelectorAll(`.${column} [class*=ink]`) ?? [])].map(
      (e) => `${e.className} ${e.textContent}`,
    );
  expect(ink(1, "explicit")).toEqual(["axis ink0 @x", "axis ink1 @y"]);
  expect(ink(3, "verdict")).toEqual(["ink1 y"]);
});

test("a choice is sent to Python, and what Python answers is shown", async () => {
  // A document of a live widget has no answers in advance.
  const view = await mount({ ...comparison("layer"), continuations: [] });
  button(view, "Use and continue").click();
  await settle();
  expect(view.model.sentFor("choices")).toEqual([{ "3": 1 }]);
  expect(find(view, ".way.used code").textContent).toContain("P('x', 'y')");
  expect(find(view, ".way.used").textContent).toContain("compiling with it");
  expect(find(view, ".table").getAttribute("aria-busy")).toBe("true");
  const answer: Comparison = { ...comparison("layer"), continuations: [] };
  const rows = answer.rows.map((r, i) => ({
    ...r,
    primitive: i === 6 ? "answered" : r.primitive,
    error: r.error && { ...r.error, chosen: 1 },
  }));
  view.model.assign({ _document: { ...answer, rows } });
  await settle();
  expect(cell(lines(view).at(-1), "source")).toContain("answered");
  expect(find(view, ".way.used").textContent).toContain("used below");
});

test("choices from Python mark another fix", async () => {
  const view = await mount(comparison("layer"));
  view.model.assign({ choices: { "3": 1 } });
  await settle();
  expect(find(view, ".way.used code").textContent).toContain("P('x', 'y')");
  expect(view.model.sent).toEqual([]);
});

test("a saved page goes on below another choice by what it brought along, and back", async () => {
  const view = await mount(comparison("layer"), { _static: true });
  expect(cell(lines(view)[6], "explicit")).toBe("f32[128@x,16@y]");
  button(view, "Use and continue").click();
  await settle();
  expect(cell(lines(view)[6], "explicit")).toBe("×2f32[128@x,16]");
  expect(cell(lines(view)[6], "verdict")).toContain("Below the other choice.");
  button(view, "Use and continue").click();
  await settle();
  expect(cell(lines(view)[6], "explicit")).toBe("f32[128@x,16@y]");
});

test("a saved page that did not bring the answer along says so", async () => {
  const view = await mount({ ...comparison("layer"), continuations: [] }, { _static: true });
  expect(button(view, "Use and continue").disabled).toBe(true);
  expect(button(view, "Use and continue").title).toContain("needs Python");
});

test("a click folds and opens, and all at once", async () => {
  const view = await mount(comparison("training"));
  await home(view);
  const before = names(view).slice(0, 5);
  find(view, "#line-f0\\.1").click();
  await settle();
  expect(names(view)).toEqual(["r0", "f0.1"]);
  expect(lines(view)[1]?.getAttribute("aria-expanded")).toBe("false");
  expect(cell(lines(view)[1], "source")).toContain(
    "▸train_step function 42 rows1 placement differs4 collectives inserted4 replications",
  );
  button(view, "open all").click();
  await settle();
  expect(names(view).slice(0, 5)).toEqual(before);
  button(view, "fold all").click();
  await settle();
  expect(names(view)).toEqual(["r0", "f0.1"]);
});

test("a search shows the rows that it finds, with what they stand in; filters too", async () => {
  const view = await mount(comparison("training"));
  await search(view, "reduce_sum");
  expect(names(view)).toEqual(["r42"]);
  expect(cell(lines(view)[0], "source")).toContain("in train_step");
  await search(view, "nothing like it");
  expect(table(view).textContent).toContain("No row matches.");
  press(find(view, "input[type=search]"), "Escape");
  await settle();
  expect(names(view).length).toBeGreaterThan(10);
  button(view, "replication").click();
  await settle();
  expect(names(view).filter((n) => n.startsWith("r"))).toHaveLength(4);
  expect(cell(lines(view)[1], "verdict")).toContain("Replicated. w is gathered whole over model: 1 MiB per device.");
});

test("keys move, open, fold, search and close; nothing else is taken from the page", async () => {
  const view = await mount(comparison("training"));
  const key = async (name: string) => {
    press(table(view), name);
    await settle();
  };
  await key("Home");
  await frames();
  expect(current(view)).toBe("r0");
  await key("ArrowDown");
  expect(current(view)).toBe("f0.1");
  await key("ArrowRight");
  expect(current(view)).toBe("f1.1");
  await key("ArrowLeft");
  expect(lines(view)[2]?.getAttribute("aria-expanded")).toBe("false");
  await key("ArrowLeft");
  expect(current(view)).toBe("f0.1");
  await key("End");
  expect(current(view)).toBe("r42");
  await key("Enter");
  expect(view.model.sentFor("selection")).toEqual([42]);
  expect(find(view, ".details").textContent).toContain("loss");
  await key("Escape");
  expect(view.root.querySelector(".details")).toBeNull();
  await key("Home");
  expect(current(view)).toBe("r0");
  press(table(view), "/");
  expect(view.root.activeElement).toBe(find(view, "input[type=search]"));
  press(find(view, "input[type=search]"), "ArrowDown");
  expect(view.root.activeElement).toBe(table(view));
  const other = new KeyboardEvent("keydown", { key: "x", bubbles: true, composed: true, cancelable: true });
  table(view).dispatchEvent(other);
  expect(other.defaultPrevented).toBe(false);
});

test("a row that is clicked tells Python, and one that Python selects is opened where it is folded", async () => {
  const view = await mount(comparison("training"));
  await home(view);
  lines(view)[0]?.querySelector<HTMLElement>(".verdict")?.click();
  await settle();
  expect(view.model.sentFor("selection")).toEqual([0]);
  expect(find(view, ".details").textContent).toContain("128 KiB of 512 KiB");
  button(view, "fold all").click();
  // It is one of several that stand in one line.
  view.model.assign({ selection: 4 });
  await settle();
  await frames();
  expect(find(view, "[aria-selected=true]").id).toBe("line-r4");
  expect(current(view)).toBe("r4");
  const [row, view_] = [find(view, "#line-r4").getBoundingClientRect(), table(view).getBoundingClientRect()];
  expect(row.top).toBeGreaterThanOrEqual(view_.top);
  expect(row.bottom).toBeLessThanOrEqual(view_.bottom);
});

test("pointing at a tile says what lies there; pointing at a row lights what it is made of", async () => {
  const view = await mount(comparison("layer"));
  const image = lines(view)[1]?.querySelector<HTMLElement>(".explicit img");
  const box = image?.getBoundingClientRect() as DOMRect;
  const at = (x: number, y: number) =>
    image?.dispatchEvent(
      new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + y, bubbles: true, composed: true }),
    );
  at(50, 5);
  await settle();
  expect(find(view, ".tip").textContent).toBe("h[0:32, 128:256]32×128 · 16 KiBdevice 1 at x=0, y=1");
  expect([...view.root.querySelectorAll(".feeds")].map((l) => l.id)).toEqual(["line-r0"]);
  at(10, 25);
  await settle();
  expect(find(view, ".tip").textContent).toContain("h[96:128, 0:128]");
  view.frame.dispatchEvent(new PointerEvent("pointerleave"));
  await settle();
  expect(view.root.querySelector(".tip, .feeds")).toBeNull();
});

test("three thousand rows open folded, and of an open table only what is near is in the page", async () => {
  const view = await mount(long(3000));
  expect(lines(view).length).toBeLessThan(60);
  button(view, "open all").click();
  await settle();
  await frames();
  const top = names(view);
  expect(top.length).toBeLessThan(80);
  expect(table(view).scrollHeight).toBeGreaterThan(100_000);
  table(view).scrollTop = 60_000;
  await frames();
  expect(names(view).length).toBeLessThan(80);
  expect(names(view).filter((n) => top.includes(n))).toEqual([]);
  const [box, frame] = [lines(view)[0]?.getBoundingClientRect(), table(view).getBoundingClientRect()];
  expect(box?.top).toBeLessThan(frame.top);
  expect(lines(view).at(-1)?.getBoundingClientRect().bottom).toBeGreaterThan(frame.bottom);
  press(table(view), "End");
  await frames();
  expect(current(view)).toBe("r2999");
  expect(find(view, "#line-r2999").getBoundingClientRect().bottom).toBeLessThanOrEqual(frame.bottom + 1);
});

test.each([1240, 800, 480, 320])("nothing is clipped at %d px", async (width) => {
  for (const name of ["layer", "scopes", "arrays", "stopped", "refused", "hostile"] as const) {
    const view = await mount(comparison(name), { selection: 0 }, { width });
    const card = find(view, ".card").getBoundingClientRect();
    for (const el of view.root.querySelectorAll(".card *")) {
      const { right, left, width: w } = el.getBoundingClientRect();
      if (w <= 1) continue;
      expect(right, `${name} ${el.className} ${el.textContent?.slice(0, 40)}`).toBeLessThanOrEqual(card.right + 0.5);
      expect(left).toBeGreaterThanOrEqual(card.left - 0.5);
    }
  }
});

test("what the user named is text", async () => {
  const view = await mount(comparison("hostile"), { selection: 1 });
  expect(view.root.querySelector("script")).toBeNull();
  expect(find(view, "h2").textContent).toContain("<script>alert(1)</script>");
});

test("no mesh, no compiled program, no row that agrees: what is not known is said", async () => {
  const view = await mount(comparison("scopes"));
  expect(find(view, ".note").textContent).toContain("sw.tpu_mesh");
  expect(find(view, ".heads").textContent).toContain("compilednot known");
  expect(cell(lines(view)[2], "source")).toContain("x Explicit → Auto");
  expect(cell(lines(view)[1], "source")).toContain("yours");
});

test("a damaged document is said in place of the picture, and the next one is drawn", async () => {
  const view = await mount(comparison("layer"));
  view.model.assign({ _document: { ...comparison("layer"), version: 99 } });
  await settle();
  expect(find(view, "[role=alert]").textContent).toContain("version 99");
  view.model.assign({ _document: comparison("arrays") });
  await settle();
  expect(names(view)).toHaveLength(4);
});

test("when it is taken down nothing listens any more", async () => {
  const view = await mount(comparison("layer"));
  view.stop();
  expect(view.model.listening).toBe(0);
});

/** A training step in which every collective has a line of its own. */
function apart(): Comparison {
  const { rows, ...rest } = comparison("training");
  const moved = (row: Comparison["rows"][number], line: number) =>
    row.source && row.collectives.length > 0 ? { ...row, source: { ...row.source, line } } : row;
  return { ...rest, rows: rows.map((row, k) => moved(row, 100 + k)) };
}

test("what is told beside a decision's code is whole: it stands under the code where there is little room", async () => {
  const base = comparison("layer");
  const text = 'h = h + jnp.einsum("bsf,fd->bsd", a, w_out, out_sharding=P("data", None, None))';
  const rows = base.rows.map((row) => {
    const source = row.source && { ...row.source, text };
    return row.primitive === "dot_general" ? { ...row, source, decision: "out_sharding" as const } : row;
  });
  const view = await mount({ ...base, rows }, {}, { width: 934 });
  const told = [...view.root.querySelectorAll<HTMLElement>(".row:has(.decision) .what > :is(.soft, .decision)")];
  expect(told.length).toBeGreaterThan(1);
  expect(told.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)).toEqual([]);
});

test("of the arguments some stand in the table, so that what follows is in view; one alone is not left out", async () => {
  const base = comparison("layer");
  const [first] = base.rows;
  const value = first?.values[0];
  if (!first || !value) throw new Error("it has no values");
  const shown = async (count: number) => {
    const values = Array.from({ length: count }, () => value);
    const view = await mount({ ...base, rows: [{ ...first, values }, ...base.rows.slice(1)] }, {}, { width: 934 });
    return textOf(find(view, ".row .explicit")).match(/\d+ more values?/)?.[0] ?? "all";
  };
  expect([await shown(25), await shown(6), await shown(5)]).toEqual(["21 more values", "2 more values", "all"]);
});

test("lines as typed are one line, badges show their rows, and n goes through what is to be looked at", async () => {
  const view = await mount(apart(), {}, { width: 934 });
  const height = view.frame.getBoundingClientRect().height;
  const shows = () => find(view, ".walk").textContent;
  expect(shows()).toContain("1 of ");
  for (let i = 0; i < 3; i++) {
    const before = current(view);
    press(table(view), "n");
    await settle();
    await frames();
    expect(shows()).toContain(`${i + 2} of `);
    expect(current(view)).not.toBe(before);
    const [line, list] = [find(view, `#line-${current(view)}`), table(view)].map((el) => el.getBoundingClientRect());
    expect(line?.top).toBeGreaterThanOrEqual(list?.top ?? 0);
    expect(line?.bottom).toBeLessThanOrEqual((list?.bottom ?? 0) + 1);
    expect(view.frame.getBoundingClientRect().height).toBe(height);
  }
  const badge = find(view, "button.badge.warn");
  badge.click();
  await settle();
  expect(badge.ariaPressed).toBe("true");
  expect(names(view).filter((name) => name.startsWith("r"))).toHaveLength(1);
  badge.click();
  await settle();
  expect(names(view).length).toBeGreaterThan(5);
});

test("three lines as typed above what is to be looked at fold into one, which opens", async () => {
  const { rows, ...rest } = comparison("layer");
  const product = rows[1] as Comparison["rows"][number];
  const plain = Array.from({ length: 16 }, (_, i) => ({
    ...product,
    source: { ...(product.source as NonNullable<typeof product.source>), line: 20 + i },
  }));
  const view = await mount({ ...rest, rows: [...plain, ...rows.slice(1)] }, {}, { width: 934 });
  const [folded, above] = lines(view);
  expect(textOf(folded)).toMatch(/^▸lines \d+ to 35/);
  expect(textOf(folded)).toContain("✓ all same");
  expect(above?.id).toMatch(/^line-r/);
  folded?.click();
  await settle();
  await frames();
  expect(lines(view).length).toBeGreaterThan(16);
});

test("what is whole is told without the ink of an axis; the collective that follows has its own", async () => {
  const doc = comparison("layer");
  const none = { given: "" as const, through: [], back: false, giver: -1, step: -1, lost: [], because: "" };
  const given = { ...none, row: 1, value: 0, dim: 1, axis: "", given: "constraint" as const, wanted: -1, group: -1 };
  const at = doc.program?.collectives.findIndex((c) => c.axes[0] === doc.mesh.axes[1]?.name) ?? -1;
  const causes = [{ collective: at, row: 1, reasons: [0] }];
  const view = await mount({ ...doc, reasons: [given], causes, steps: 1 }, { selection: 1 });
  press(table(view), "w");
  await settle();
  const panel = find(view, "section.why");
  expect(panel.className).toBe("why");
  expect(textOf(find(view, "section.why .dims"))).toBe("dim 1 whole");
  expect(find(view, "section.why .follows b.ink1").textContent).toBe(doc.mesh.axes[1]?.name);
  expect(panel.textContent).toContain("is whole along dim 1 because");
});

test("w opens the answer in view, brackets light its chain and the rows of it, and enter goes there", async () => {
  const doc = comparison("training");
  const last = doc.rows.length - 1;
  const none = { value: 0, dim: 0, axis: doc.mesh.axes[0]?.name ?? "", back: false, step: -1, because: "" };
  const more = { ...none, lost: [], wanted: -1, group: -1 };
  const reasons = [
    { ...more, row: 0, given: "argument" as const, through: [], giver: -1 },
    { ...more, row: last, given: "" as const, through: [last], giver: 0 },
  ];
  const view = await mount({ ...doc, reasons, steps: 1 });
  const key = async (name: string) => {
    press(table(view), name);
    await settle();
  };
  await key("End");
  await key("w");
  await frames();
  const [panel, list] = [find(view, ".why").getBoundingClientRect(), table(view).getBoundingClientRect()];
  expect(panel.bottom).toBeLessThanOrEqual(list.bottom + 1);
  expect(view.root.querySelectorAll(".row .gutter").length).toBeGreaterThan(1);
  await key("[");
  expect(textOf(find(view, ".box.lit"))).toContain(doc.rows[0]?.values[0]?.name);
  await key("]");
  expect(textOf(find(view, ".box.lit"))).toContain(doc.rows[last]?.values[0]?.name);
  await key("[");
  await key("Enter");
  expect(view.model.sentFor("selection")).toEqual([last, 0]);
});

test("the line that is seen first stays the first in a card of another width", async () => {
  const view = await mount(long(300));
  button(view, "open all").click();
  await frames();
  const first = () => {
    const top = table(view).getBoundingClientRect().top + find(view, ".heads").clientHeight;
    return lines(view).find((line) => line.getBoundingClientRect().bottom > top + 1)?.id;
  };
  table(view).scrollTop = 2000;
  await frames();
  const before = first();
  for (const width of [480, 700, 1240]) {
    (view.frame.parentElement as HTMLElement).style.width = `${width}px`;
    await frames();
    expect(first(), `${width} px`).toBe(before);
  }
});

test("a table that nobody looked through opens at what is to be looked at first at every width", async () => {
  const view = await mount(comparison("layer"), {}, { width: 1240 });
  const to = async (width: number) => {
    (view.frame.parentElement as HTMLElement).style.width = `${width}px`;
    await frames();
  };
  const stop = () => find(view, "#line-r3").getBoundingClientRect();
  for (const width of [480, 934, 700, 360]) {
    await to(width);
    const list = table(view).getBoundingClientRect();
    expect(stop().top, `${width} px`).toBeGreaterThan(list.top - 1);
    expect(stop().bottom, `${width} px`).toBeLessThan(list.top + list.height / 2);
  }
  table(view).dispatchEvent(new WheelEvent("wheel"));
  table(view).scrollTop = 0;
  await frames();
  await to(480);
  expect(table(view).scrollTop).toBe(0);
});

test("the way through what is to be looked at always says where it is", async () => {
  const view = await mount(apart(), {}, { width: 934 });
  const shows = () => textOf(find(view, ".walk .mono"));
  const first = shows();
  expect(first).toMatch(/^1 of \d+$/);
  press(table(view), "n");
  press(table(view), "Home");
  await settle();
  expect(current(view)).not.toBe("r1");
  expect(shows()).toBe(first.replace("1", "2"));
  press(table(view), "n");
  await settle();
  expect(shows()).toBe(first.replace("1", "3"));
});

test("in a narrow card the chain runs downward, each arrow between its boxes, without the way beside the rows", async () => {
  const doc = comparison("layer");
  const given = { row: 0, value: 1, dim: 1, axis: "y", given: "argument" as const };
  const more = { through: [], back: false, giver: -1, step: -1, lost: [], because: "", wanted: -1, group: -1 };
  const reasons = [
    { ...more, ...given },
    { ...more, ...given, row: 1, value: 0, given: "" as const, through: [1], giver: 0, step: 0 },
  ];
  const view = await mount({ ...doc, reasons, steps: 1 }, { selection: 1 }, { width: 480 });
  const parts = [...find(view, ".chain").children].map((part) => part.getBoundingClientRect());
  expect(parts.length).toBe(3);
  for (const [k, part] of parts.slice(1).entries()) expect(part.top).toBeGreaterThanOrEqual(parts[k]?.bottom ?? 0);
  const strand = find(view, ".passes svg").getBoundingClientRect();
  expect(strand.height).toBeGreaterThan(2 * strand.width);
  expect(find(view, ".gutter").getBoundingClientRect().width).toBe(0);
});

test.each([934, 700, 480])(
  "what a fix gives stands apart from what it sends, however long that is, %d px",
  async (width) => {
    const base = comparison("layer");
    const communication = "all-gather over y, 12 times; all-reduce over x and y, 12 times";
    const rows = base.rows.map((row) =>
      row.error
        ? { ...row, error: { ...row.error, fixes: row.error.fixes.map((fix) => ({ ...fix, communication })) } }
        : row,
    );
    const view = await mount({ ...base, rows }, {}, { width });
    for (const way of view.root.querySelectorAll(".way")) {
      const range = document.createRange();
      const [gives, cost] = [".gives", ".cost"].map((part) => {
        range.selectNodeContents(way.querySelector(part) as Element);
        return range.getBoundingClientRect();
      });
      const apart = (gives?.right ?? 0) <= (cost?.left ?? 0) || (gives?.bottom ?? 0) <= (cost?.top ?? 0) + 1;
      expect(apart).toBe(true);
    }
  },
);

test("a difference that is asked for comes into view, and its row stays first at another width", async () => {
  const doc = comparison("layer");
  const more = { through: [], back: false, lost: [], because: "", wanted: -1, group: -1 };
  const reason = { ...more, row: 1, value: 0, dim: 0, axis: "x", given: "constraint" as const, giver: -1, step: -1 };
  const one = { what: "as it is", code: "", gives: "", collectives: [], sent: 0, flops: 0 };
  const _instead = { 0: { n: 0, found: [one, { ...one, what: "without line 2" }] } };
  const view = await mount({ ...doc, reasons: [reason], steps: 1 }, { selection: 1, _instead }, { width: 934 });
  [...view.root.querySelectorAll("button")].find((b) => b.textContent === "Compare")?.click();
  await settle();
  expect(view.model.sentFor("_beside")).toEqual([{ n: 1, reason: 0, at: 1 }]);
  view.model.assign({ _opened: { n: 1, front_end: "export default { render: () => () => {} };", state: {} } });
  await settle();
  const [list, heads, opened] = [".table", ".heads", ".opened"].map((part) => find(view, part).getBoundingClientRect());
  const top = (list?.top ?? 0) + (heads?.height ?? 0);
  expect(Math.abs((opened?.top ?? 0) - top)).toBeLessThan(2);
  table(view).dispatchEvent(new WheelEvent("wheel"));
  (view.frame.parentElement as HTMLElement).style.width = "700px";
  await frames();
  const row = find(view, "#line-r1").getBoundingClientRect();
  expect(row.bottom).toBeGreaterThan(table(view).getBoundingClientRect().top);
});
