import { expect, test } from "vitest";
import { button, enter, expectAccessible, find, GROUNDS, press, settle, textOf } from "../harness";
import { NAMESPACES, wire } from "./documents";
import { mount, names, rows } from "./harness";

for (const [scheme, background] of GROUNDS) {
  for (const width of [760, 420, 300]) {
    test.each(NAMESPACES)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      await expectAccessible(await mount(wire(name), {}, { background, width }));
    });
  }
}

test("the head says first what costs most", async () => {
  const says = async (name: "session" | "empty") => textOf(find(await mount(wire(name)), ".says p"));
  expect(await says("session")).toBe("80 KiB too much on a device: params['embed'] and 2 more Copied on all 8 devices");
  expect(await says("empty")).toBe("No arrays yet");
});

test("the lines say what names hold and what the last cell did", async () => {
  const view = await mount(wire("after"));
  expect(names(view)).toEqual(["params", "x", "out", "without a name", "key", "h", "same", "table"]);
  expect(textOf(rows(view)[0])).toContain("resharded−12 KiB84 KiB3 arrays");
  expect(textOf(view.root.querySelector("[aria-live]"))).toBe("After cell 6: 4 names changed.");
  expect(textOf(find(view, "h2"))).toContain("after cell 6");
  expect(view.model.sent).toEqual([]);
});

test("a cell's news come in place; what the keyboard is at stays", async () => {
  const view = await mount(wire("session"));
  for (let n = 0; n < 2; n++) await press(find(view, ".names"), "ArrowDown");
  await settle();
  const at = () => textOf(find(view, ".row.current .name b"));
  expect([at(), view.model.sentFor("selection").at(-1)]).toEqual(["h", "h"]);
  view.model.assign({ _document: wire("after") });
  await settle();
  expect([at(), textOf(find(view, ".row.current .state"))]).toEqual(["h", "deleted"]);
});

test("no card is higher than a notebook shows: the names scroll", async () => {
  for (const width of [300, 420, 760, 934]) {
    const view = await mount(wire("after"), {}, { width });
    expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
    const list = find(view, ".names");
    expect(list.clientHeight).toBeGreaterThanOrEqual(150);
    expect(find(view, "footer").getBoundingClientRect().bottom).toBeLessThanOrEqual(
      view.frame.getBoundingClientRect().bottom,
    );
    view.stop();
  }
});

test("c lists what changed, / filters", async () => {
  const view = await mount(wire("after"));
  await press(find(view, ".names"), "c");
  await settle();
  expect(names(view)).toEqual(["params", "out", "h", "table"]);
  await press(find(view, ".names"), "/");
  expect(view.root.activeElement).toBe(find(view, "input[type=search]"));
  enter(view, "input[type=search]", "@data");
  await settle();
  expect(names(view)).toEqual(["params", "out", "h"]);
});

const FRONT_END = `export default { render({ model, el }) {
  el.textContent = "drawn: " + model.get("_document");
  return () => { window.ended = (window.ended ?? 0) + 1; };
} };`;

test("Enter asks Python for the view that fits, draws it in place, and takes it down again", async () => {
  const view = await mount(wire("session"));
  const list = find(view, ".names");
  await press(list, "Enter");
  await settle();
  expect(textOf(find(view, ".opened"))).toContain("reading params");
  await expectAccessible(view);
  expect(view.model.sentFor("_asked")).toEqual([{ n: 1, do: "open", name: "params" }]);
  view.model.assign({ _opened: { n: 1, name: "params", front_end: FRONT_END, state: { _document: "a tree" } } });
  await expect.poll(() => textOf(find(view, ".opened"))).toContain("drawn: a tree");
  await press(list, "Enter");
  await settle();
  expect(view.root.querySelector(".opened")).toBeNull();
  expect((window as { ended?: number }).ended).toBe(1);
});

test("what cannot be opened says why; an old answer is no answer", async () => {
  const view = await mount(wire("session"));
  await press(find(view, ".names"), "Enter");
  view.model.assign({ _opened: { n: 99, name: "x", error: "of another page" } });
  await settle();
  expect(textOf(find(view, ".opened"))).toContain("reading params");
  view.model.assign({ _opened: { n: 1, name: "params", error: "KeyError: params no longer exists" } });
  await settle();
  expect(textOf(find(view, ".fault"))).toBe("KeyError: params no longer exists");
});

test("arrays that no name holds are listed by type, without Python", async () => {
  const view = await mount(wire("after"));
  rows(view)[3]?.click();
  await settle();
  expect(textOf(find(view, ".opened li"))).toBe("f32[32,64] ×2 16 KiB");
  expect(view.model.sentFor("_asked")).toEqual([]);
});

test("where no cells are followed, a button looks again; a saved page asks nobody", async () => {
  const view = await mount(wire("session"), { following: false });
  button(view, "Refresh").click();
  expect(view.model.sentFor("_asked")).toEqual([{ n: 1, do: "look", name: "" }]);
  const saved = await mount(wire("session"), { following: false, _static: true });
  expect(saved.root.querySelector("footer button")).toBeNull();
  rows(saved)[0]?.click();
  await settle();
  expect(textOf(find(saved, ".opened"))).toContain("f32[256,64]");
});
