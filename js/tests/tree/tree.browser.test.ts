import { expect, test } from "vitest";
import type { Model } from "../../src/core/document.gen";
import { button, enter, expectAccessible, find, frames, GROUNDS, press, settle } from "../harness";
import { lines, mount, paths } from "./harness";
import { MODELS, tree, wire } from "./models";

const at = (view: Awaited<ReturnType<typeof mount>>) => find(view, ".row.current .path .mono").textContent;

for (const [scheme, background] of GROUNDS) {
  for (const width of [1134, 700, 480]) {
    test.each(MODELS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      const view = await mount(wire(name), { rules: "embed → P('model')\noops → P('z')\n(" }, { background, width });
      expect(find(view, ".tree")).not.toBeNull();
      await expectAccessible(view);
    });
  }
}

test("the head and the lines say what Python counts", async () => {
  const view = await mount(wire("state"));
  expect(find(view, ".badges").textContent).toBe("318.2 MiB on each device98.2 MiB of it copies3 to look at");
  expect(paths(view).slice(0, 7)).toEqual(["opt", "count", "mu", "embed", "layers", "layers/7", "ln_f"]);
  const embed = lines(view).find((line) => line.getAttribute("aria-label")?.includes("bf16[32768,1024]"));
  expect(embed?.getAttribute("aria-label")).toBe(
    "embed, bf16[32768,1024], 8 copies, 64 MiB on a device, 448 MiB spent on copies, Copied on all 8 devices, and opt/mu/embed is split over model, data.",
  );
  expect(embed?.querySelector(".flag")?.textContent).toContain("56.0 MiB too much");
  expect(view.model.sent).toEqual([]);
});

test("the keyboard moves, opens and closes, and tells Python where it is", async () => {
  const view = await mount(wire("state"));
  const tree = find(view, ".tree");
  for (const key of ["Home", "ArrowDown", "ArrowDown"]) await press(tree, key);
  expect([at(view), view.model.sentFor("selection").at(-1)]).toEqual(["mu", "['opt']['mu']"]);
  const before = lines(view).length;
  await press(tree, "ArrowLeft");
  expect(lines(view).length).toBeLessThan(before);
  expect(find(view, ".row.current").getAttribute("aria-expanded")).toBe("false");
  await press(tree, "ArrowRight");
  await press(tree, "ArrowRight");
  expect(at(view)).toBe("embed");
  await press(tree, "ArrowLeft");
  expect(at(view)).toBe("mu");
});

test("a leaf is drawn as an array, and closed again", async () => {
  const view = await mount(wire("state"));
  const tree = find(view, ".tree");
  for (const key of ["Home", "ArrowDown", "ArrowDown", "ArrowDown", "Enter"]) await press(tree, key);
  const inner = () => find(view, ".array .shardwidget").shadowRoot?.textContent;
  await expect.poll(inner).toContain("f32[32768,1024]");
  find(view, ".close").click();
  await settle();
  expect(view.root.querySelector(".array")).toBeNull();
});

test("a spec that is tried for a leaf becomes a rule for all that are equal to it, by keyboard", async () => {
  const view = await mount(wire("state"), {}, { width: 900 });
  view.model.assign({ selection: "['params']['layers'][0]['qkv']" });
  await settle();
  await press(find(view, ".tree"), "e");
  const inner = () => find(view, ".array .shardwidget").shadowRoot as ShadowRoot;
  const slot = (n: number) => inner().querySelectorAll<HTMLElement>(".slot")[n] as HTMLElement;
  await expect.poll(() => slot(0).textContent).toContain("data");
  expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
  press(slot(1), "Backspace");
  await settle();
  // The middle of an edit may be refused; then there is nothing to take over.
  press(slot(1), "d");
  const take = () => [...inner().querySelectorAll("button")].find((b) => b.textContent === "Use as a rule");
  await expect.poll(() => take()?.disabled).toBe(true);
  expect(inner().textContent).toContain("data is taken by dim 0");
  press(slot(0), "Backspace");
  await expect.poll(() => take()?.disabled).toBe(false);
  take()?.click();
  await settle();
  expect(view.model.sentFor("rules")).toEqual(["^params/layers/\\d+/qkv$ → P(None, 'data')"]);
  expect(find(view, ".what li").textContent).toBe("^params/layers/\\d+/qkv$ 12 arrays, ×1 → ×2 copies");
  expect(inner().textContent).toContain("added to what if");
  await expectAccessible(view);
});

test("a leaf that is on no device says so, and that no rule applies to it", async () => {
  const view = await mount(wire("odd"));
  view.model.assign({ selection: "['word']" });
  await settle();
  await press(find(view, ".tree"), "Enter");
  expect(find(view, ".array p.soft").textContent).toContain("on no device");
  button(view, "try a spec").click();
  await settle();
  expect(find(view, ".array p.soft").textContent).toContain("No rule applies");
});

test.each([1, 5, 20])("with %s rules all stand clear of the foot, and each is said", async (count) => {
  const rules = Array.from({ length: count }, (_, n) => `^params/layers/${n}/qkv$ → P('model', 'data')`).join("\n");
  for (const width of [480, 700, 900, 1334]) {
    const view = await mount(wire("state"), { rules: `${rules}\nnowhere → P()` }, { width });
    const foot = find(view, "footer").getBoundingClientRect();
    expect(find(view, ".what").getBoundingClientRect().bottom).toBeLessThanOrEqual(foot.top + 1);
    for (const part of [".rules", ".outcome", ".what ul", ".offers", "textarea"]) {
      expect(find(view, part).getBoundingClientRect().bottom, part).toBeLessThanOrEqual(foot.top);
    }
    const said = [...view.root.querySelectorAll(".what li")].map((li) => li.textContent);
    expect(said).toHaveLength(count + 1);
    // What needs attention is in view, and a rule that is added.
    expect(said[0]).toMatch(/matches no array.$/);
    if (width >= 860) expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
    find(view, ".offers button").click();
    await settle();
    const written = find<HTMLTextAreaElement>(view, "textarea");
    expect(written.value.split("\n")).toHaveLength(count + 2);
    expect(written.scrollHeight - written.scrollTop - written.clientHeight).toBeLessThan(2);
    view.stop();
  }
});

test("what Python selects is shown, with what is above it opened", async () => {
  const view = await mount(wire("state"));
  view.model.assign({ selection: "['params']['layers'][0]['qkv']" });
  await settle();
  expect(at(view)).toBe("qkv");
});

test("a filter leaves what matches, and says how many", async () => {
  const view = await mount(wire("state"));
  enter(view, "input[type=search]", "copies>1 embed");
  await settle();
  expect(paths(view)).toEqual(["params", "embed"]);
  expect(find(view, ".tools [role=status]").textContent).toBe("1 array of 223");
  expect(view.model.sentFor("search").at(-1)).toBe("copies>1 embed");
});

test("it opens at what costs most, says it first, and a button goes through what is to be looked at", async () => {
  const view = await mount(wire("state"));
  const height = () => view.root.querySelector(".card")?.clientHeight;
  const before = height();
  const marked = () => view.root.querySelector(".current .flag i")?.textContent;
  expect(marked()).toBe("1");
  const says = () => find(view, ".says").textContent ?? "";
  expect(says()).toMatch(/^56\.0 MiB too much on each device: params\/embed is copied on all 8◂/);
  const count = Number(/1 of (\d+)/.exec(says())?.[1]);
  expect(count).toBeGreaterThan(1);
  const seen = new Set<string | null | undefined>();
  const go = async (label: string) => {
    find(view, `.walk [aria-label="${label}"]`).click();
    await settle();
    seen.add(at(view));
    expect(height()).toBe(before);
  };
  for (let k = 1; k < count; k++) await go("the next one");
  expect(says()).toContain(`${count} of ${count}`);
  for (let k = 1; k < count; k++) await go("the one before");
  expect(seen.size).toBe(count);
  expect(marked()).toBe("1");
  expect(view.model.sentFor("selection").at(-1)).toContain("embed");
});

test("rules are tried at once: then beside now, refusals in JAX's words, code", async () => {
  const view = await mount(wire("state"));
  enter(view, "textarea", "params/embed → P('model', 'data')");
  await settle();
  expect(find(view, ".sum").textContent?.trim()).toBe("318.2 → 262.2 MiB");
  expect(find(view, ".what li").textContent).toBe("params/embed 1 array, ×8 → ×1 copies");
  expect(find(view, ".outcome pre").textContent).toContain(`(r"params/embed", P('model', 'data')),`);
  expect(view.model.sentFor("rules").at(-1)).toBe("params/embed → P('model', 'data')");
  enter(view, "textarea", "embed → P(None, None, 'x')\nnowhere → P()");
  await settle();
  const said = [...view.root.querySelectorAll(".what li")].map((li) => li.textContent);
  expect(said[0]).toContain("3 arrays refused, such as opt/mu/embed: ValueError");
  expect(said[1]).toBe("nowhere matches no array.");
});

test("a suggestion becomes a rule", async () => {
  const view = await mount(wire("state"));
  find(view, ".offers button").click();
  await settle();
  expect(view.model.sentFor("rules")).toEqual(["^params/embed$ → P('model', 'data')"]);
});

test.each([934, 480])("a suggestion says its spec and what it comes to whole, %i px", async (width) => {
  const view = await mount(wire("state"), {}, { width });
  const offers = [...view.root.querySelectorAll<HTMLElement>(".offers button")];
  const whole = offers.map((offer) => {
    const { right } = offer.getBoundingClientRect();
    return [...offer.querySelectorAll("span:not(.leaf)")].every((part) => part.getBoundingClientRect().right < right);
  });
  expect(whole).toContain(true);
  expect(whole).not.toContain(false);
});

test("another device is looked at by a click on it", async () => {
  const view = await mount(wire("odd"));
  expect(find(view, ".side h3").textContent).toContain("Device 3");
  const mesh = [...view.root.querySelectorAll<HTMLElement>(".side .picture")][1];
  const drawn = () => mesh?.querySelector("canvas")?.toDataURL();
  const before = drawn();
  const box = mesh?.getBoundingClientRect();
  mesh?.dispatchEvent(
    new MouseEvent("click", { clientX: (box?.right ?? 0) - 20, clientY: (box?.bottom ?? 0) - 12, bubbles: true }),
  );
  await settle();
  expect(find(view, ".side h3").textContent).toContain("Device 7");
  expect(drawn()).not.toBe(before);
});

test("keys that do nothing are not named: of a tree on no mesh axes neither what if nor a walk", async () => {
  const named = async (document: Model) => {
    const view = await mount(document);
    return [...view.root.querySelectorAll("footer dd, footer > .keys > span")].map((key) => key.textContent).join();
  };
  expect(await named(wire("state"))).toMatch(/next to look at.*what if/);
  const { doc } = tree("state");
  const types = doc.types.map((type) => ({ ...type, mesh: 1 }));
  const alone = { ...doc, types, mesh: { ...doc.mesh, axes: [] }, other_meshes: [doc.mesh], flags: [] };
  expect(await named(alone)).not.toMatch(/next to look at|what if/);
});

test("no card is higher than a notebook shows, nor with an array beside the table", async () => {
  for (const width of [900, 980, 1340]) {
    const view = await mount(wire("state"), { rules: "embed → P('model', None)" }, { width });
    expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
    for (const key of ["Home", "ArrowDown", "Enter"]) await press(find(view, ".tree"), key);
    expect(view.root.querySelector(".body .array")).not.toBeNull();
    expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
    view.stop();
  }
});

test.each([360, 480, 700])(
  "in a narrow card the tree comes first and the map of the device is one line, %i px",
  async (width) => {
    const view = await mount(wire("state"), {}, { width });
    const top = (selector: string) => find(view, selector).getBoundingClientRect().top;
    expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(790);
    expect(top(".tree")).toBeLessThan(view.frame.getBoundingClientRect().top + 230);
    expect(find(view, ".side").checkVisibility()).toBe(false);
    find(view, ".fold summary").click();
    await settle();
    expect(find(view, ".side").checkVisibility()).toBe(true);
  },
);

test("a finding has one number in the bar, the table and the map, and a click on it in the bar goes there", async () => {
  const view = await mount(wire("state"), {}, { width: 934 });
  const bar = find(view, ".long .picture");
  const { right, top } = bar.getBoundingClientRect();
  const label = find(view, ".long [role=img]").ariaLabel ?? "";
  expect(label).toMatch(/needed [\d,.]+, finding 1 56\.0, finding 2/);
  bar.dispatchEvent(new MouseEvent("click", { clientX: right - 3, clientY: top + 24, bubbles: true }));
  await settle();
  const last = label
    .match(/finding \d+/g)
    ?.at(-1)
    ?.slice(8);
  expect(view.root.querySelector(".current .flag i")?.textContent).toBe(last);
  expect(find(view, ".walk").textContent).toContain(`${last} of ${last}`);
});

test("numbers of the card have one unit, which is said once", async () => {
  const view = await mount(wire("state"), {}, { width: 934 });
  const cells = [...view.root.querySelectorAll(".row :is(.all, .here)")].map((c) => c.textContent ?? "");
  expect(cells.length).toBeGreaterThan(10);
  expect(cells.filter((text) => /[A-Z]/.test(text))).toEqual([]);
  expect(find(view, ".tools .end").textContent).toBe("all numbers in MiB");
});

test("a line that is cut at the end of the table fades, while there is more", async () => {
  const view = await mount(wire("state"), {}, { width: 934 });
  const tree = find(view, ".tree");
  const mask = () => getComputedStyle(tree).maskImage;
  tree.scrollTop = 0;
  await expect.poll(mask).toContain("linear-gradient");
  tree.scrollTop = tree.scrollHeight;
  await expect.poll(mask).toBe("none");
});

test("the line that is seen first stays the first in a card of another width", async () => {
  const view = await mount(wire("state"));
  const tree = find(view, ".tree");
  const first = () => {
    const { top } = tree.getBoundingClientRect();
    return lines(view).find((line) => line.getBoundingClientRect().bottom > top + 1)?.id;
  };
  tree.dispatchEvent(new WheelEvent("wheel"));
  tree.scrollTop = 81;
  const before = first();
  for (const width of [480, 1134]) {
    (view.frame.parentElement as HTMLElement).style.width = `${width}px`;
    await frames();
    expect(first(), `${width} px`).toBe(before);
  }
});

test("a type that is too long for its column is cut, and stays in its line", async () => {
  const of = wire("state");
  const { type } = of.types as unknown as { type: { values: string[] } };
  type.values = type.values.map((text) => text.replace("@model", "@columns_of_the_model"));
  const view = await mount(of, {}, { width: 934 });
  const cells = [...view.root.querySelectorAll<HTMLElement>(".row .type")];
  expect(cells.some((cell) => cell.scrollWidth > cell.clientWidth)).toBe(true);
  expect(Math.max(...cells.map((cell) => cell.clientHeight))).toBeLessThan(24);
});

test.each([934, 700, 480])("a card is as high with fewer rows, %d px", async (width) => {
  const view = await mount(wire("state"), {}, { width });
  const { height } = view.frame.getBoundingClientRect();
  find(view, "header button.chip").click();
  await settle();
  await frames();
  expect(view.frame.getBoundingClientRect().height).toBe(height);
});

test("a card is as high with a rule that is tried", async () => {
  const view = await mount(wire("state"), {}, { width: 934 });
  const { height } = view.frame.getBoundingClientRect();
  find(view, ".offers button").click();
  await settle();
  await frames();
  expect(find(view, ".what ul").childElementCount).toBe(1);
  expect(view.frame.getBoundingClientRect().height).toBe(height);
});

test("the line that is looked at first stays in view in a card of another width", async () => {
  const view = await mount(wire("state"), {}, { width: 934 });
  for (const width of [480, 700, 360]) {
    (view.frame.parentElement as HTMLElement).style.width = `${width}px`;
    await frames();
    const [list, line] = [".tree", ".row.current"].map((part) => find(view, part).getBoundingClientRect());
    expect(line?.top, `${width} px`).toBeGreaterThanOrEqual((list?.top ?? 0) - 1);
    expect(line?.bottom, `${width} px`).toBeLessThanOrEqual((list?.bottom ?? 0) + 1);
  }
});
