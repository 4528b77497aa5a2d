/** What holds for cards of every kind: heights, touch, contrast, names, paper. */
import { expect, test, vi } from "vitest";
import { saveButton } from "../src/page/saved";
import { mount as mountArray } from "./array/harness";
import { wire } from "./diff/diffs";
import { mount as mountDiff } from "./diff/harness";
import { array, mesh } from "./documents";
import { mount as mountExercise } from "./exercise/harness";
import { ALL, BLOCK, feedback, LEAF, OVERLAP, RACE, sheet } from "./exercise/sheets";
import { type Mounted, onPaper, prefers, press, settle, touch } from "./harness";
import { ARRAYS, MORE, type Mount, OTHERS, VIEWS } from "./views";

const placed = () => array(mesh({ x: 4, y: 2 }), [8, 16], ["x", "y"]);

const { stepper, ...STEADY } = OTHERS;
const SIZED = Object.entries({ ...ARRAYS, ...STEADY });

const height = ({ frame }: Mounted) => frame.getBoundingClientRect().height;

async function resized(view: Mounted, width: number): Promise<number> {
  const el = view.frame.parentElement as HTMLElement;
  el.style.width = `${width}px`;
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  return height(view);
}

test.each(["before", "after"])("a card says so where its document has no %s to be named by", async (field) => {
  const view = await mountDiff({ ...wire("training"), [field]: null } as never);
  expect(view.root.querySelector("[role=alert]")?.textContent).toMatch(/\w{3}/);
});

test.each(SIZED)(
  "%s is at most 640 px high from 900 px of width on, and never higher in a wider cell",
  async (_, mount) => {
    const view = await mount(288);
    let before = height(view);
    for (let width = 288; width <= 1648; width += 136) {
      const now = await resized(view, width);
      expect(now, `${width} px`).toBeLessThanOrEqual(width < 900 ? before + 1 : Math.min(640, before + 1));
      before = now;
    }
  },
);

test.each(["playground", "playground, three axes", "runs side by side", "run"])(
  "%s is at most 640 px high from 480 px of width on",
  async (name) => {
    const view = await (OTHERS[name] as Mount)(480);
    for (const width of [480, 700, 880]) expect(await resized(view, width), `${width} px`).toBeLessThanOrEqual(640);
  },
);

const CONTROLS = "button, select, input, textarea, summary, a, [role=button], [role=switch], [role=slider]";

/** Controls that a finger misses: their names and sizes. */
function small({ root }: Mounted): string[] {
  return [...root.querySelectorAll<HTMLElement>(CONTROLS)].flatMap((control) => {
    const { width, height } = control.getBoundingClientRect();
    // A label around a control takes its taps.
    const around = control.closest("label")?.getBoundingClientRect() ?? { width: 0, height: 0 };
    const fits = [{ width, height }, around].some((box) => box.width >= 24 && box.height >= 24);
    const seen = width > 2 && height > 2 && getComputedStyle(control).visibility !== "hidden";
    if (!seen || fits) return [];
    const name = control.ariaLabel ?? control.textContent?.slice(0, 20);
    return [`${control.tagName} .${control.className} ${name}: ${Math.round(width)} × ${Math.round(height)}`];
  });
}

test.each(Object.entries(VIEWS))("%s has room for a finger on every control", async (_, mount) => {
  await touch();
  expect(matchMedia("(pointer: coarse)").matches).toBe(true);
  for (const width of [960, 480, 360]) {
    const view = await mount(width);
    expect(small(view), `${width} px`).toEqual([]);
    view.stop();
  }
});

test.each(Object.entries(VIEWS))("%s has buttons that are as wide pressed as not", async (_, mount) => {
  const view = await mount(700);
  for (const button of view.root.querySelectorAll<HTMLElement>("[aria-pressed]")) {
    const widths = ["true", "false"].map((pressed) => {
      button.ariaPressed = pressed;
      return button.getBoundingClientRect().width;
    });
    expect(widths[0], button.textContent ?? "").toBe(widths[1]);
  }
});

/** What menus would cut of their choices. */
function cutMenus({ root }: Mounted): string[] {
  return [...root.querySelectorAll("select")].flatMap((menu) => {
    if (menu.offsetWidth === 0) return [];
    const whole = menu.cloneNode() as HTMLSelectElement;
    whole.style.cssText = "position: absolute; width: auto; max-width: none";
    menu.after(whole);
    const cut = [...menu.options].filter((option) => {
      whole.replaceChildren(option.cloneNode(true));
      return whole.offsetWidth > menu.offsetWidth + 1;
    });
    whole.remove();
    return cut.map(({ text }) => `${menu.ariaLabel ?? menu.parentElement?.textContent?.slice(0, 20)}: ${text}`);
  });
}

test.each(SIZED)("%s: a menu shows all of what can be chosen", async (_, mount) => {
  for (const width of [934, 480]) {
    const view = await mount(width);
    expect(cutMenus(view), `${width} px`).toEqual([]);
    view.stop();
  }
});

test("with more contrast, greys come nearer to the ink, at once and in the picture too", async () => {
  const view = await mountArray(placed());
  const card = () => view.root.querySelector(".card") as HTMLElement;
  const tokens = () => ["--muted", "--line", "--ink"].map((name) => card().style.getPropertyValue(name));
  const picture = () => view.root.querySelector<HTMLCanvasElement>("canvas")?.toDataURL();
  const [muted, line] = tokens();
  const before = picture();
  await prefers("contrast", "more");
  await expect.poll(() => tokens()[0]).toBe(tokens()[2]);
  expect(tokens()[1]).toBe(muted);
  expect(tokens()[1]).not.toBe(line);
  expect(picture()).not.toBe(before);
});

test("no two cards of a page, and no two parts of cards, have one name as landmarks", async () => {
  const views = [];
  for (const mount of [...Object.values(VIEWS), ...Object.values(MORE)]) views.push(await mount(960));
  const names = views.flatMap(({ root }) =>
    [...root.querySelectorAll("section[aria-label], nav, aside")].map((part) => `${part.localName} ${part.ariaLabel}`),
  );
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

test("on paper a card is as wide as the sheet, in light colours, and afterwards as it was", async () => {
  const dark = placed();
  const view = await mountArray(dark, {}, { width: 1200, background: "#16191d" });
  const canvas = () => view.root.querySelector<HTMLElement>("canvas");
  const wide = canvas()?.style.width;
  expect(view.root.querySelector(".card")?.className).toContain("dark");
  dispatchEvent(new Event("beforeprint"));
  await settle();
  expect(view.root.querySelector(".card")?.className).toContain("light");
  expect(Number.parseInt(canvas()?.style.width ?? "", 10)).toBeLessThan(682);
  dispatchEvent(new Event("afterprint"));
  await settle();
  expect(view.root.querySelector(".card")?.className).toContain("dark");
  expect(canvas()?.style.width).toBe(wide);
});

/** What a reader of paper would not see: parts that scroll, and buttons that do nothing there. */
function lostOnPaper({ root }: Mounted): string[] {
  return [...root.querySelectorAll<HTMLElement>("*")].flatMap((part) => {
    const { overflowY, overflowX } = getComputedStyle(part);
    const hidden = [overflowX, overflowY].some((o) => o === "auto" || o === "scroll");
    const cut = hidden && (part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1);
    return cut ? [`${part.localName}.${part.className} scrolls`] : [];
  });
}

test.each(SIZED)("%s loses nothing on paper, and has no controls there", async (_, mount) => {
  const view = await mount(960);
  await onPaper();
  dispatchEvent(new Event("beforeprint"));
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  expect(lostOnPaper(view)).toEqual([]);
  const words = ["Check", "Hint", "Reset", "Next", "Undo", "Redo", "Copy", "change", "PNG"];
  const shown = [...view.root.querySelectorAll("button")].filter((b) => b.checkVisibility());
  expect(shown.map((b) => b.textContent).filter((text) => words.includes(text ?? ""))).toEqual([]);
  dispatchEvent(new Event("afterprint"));
});

test("what Python brings to cards is loaded once a page, and its address is given back", async () => {
  const parts = `/* once */ export * from "${new URL("../src/array/parts/entry.ts", import.meta.url).href}";`;
  const share = `/* once */ export { default } from "${new URL("../src/share/entry.ts", import.meta.url).href}";`;
  const [made, back] = [vi.spyOn(URL, "createObjectURL"), vi.spyOn(URL, "revokeObjectURL")];
  const views = [];
  for (let i = 0; i < 2; i++) {
    const view = await mountArray(placed(), { _parts: parts, _share: share, _pictures: [] });
    await expect.poll(() => view.root.querySelector(".save")).toBeTruthy();
    views.push(view);
  }
  expect(made).toHaveBeenCalledTimes(2);
  await expect.poll(() => back.mock.calls.length).toBe(2);
  expect(back.mock.calls.flat().sort()).toEqual(made.mock.results.map(({ value }) => value).sort());
});

/** Parts of a card's head from its beginning, as they are read: line by line. */
function headOf({ root }: Mounted): string[] {
  const parts = [...root.querySelectorAll("header > :is(h2, .chips, .badges)")];
  const lines = parts.map((part) => ({ part, box: part.getBoundingClientRect() }));
  const seen = lines.filter(({ box }) => box.height > 0);
  seen.sort((a, b) =>
    a.box.bottom <= b.box.top + 4 ? -1 : b.box.bottom <= a.box.top + 4 ? 1 : a.box.left - b.box.left,
  );
  return seen.map(({ part }) => (part.localName === "h2" ? "name" : part.className));
}

test.each(Object.entries(VIEWS))(
  "%s: its head is its name, its mesh axes and what it comes to, in this order",
  async (_, mount) => {
    for (const width of [934, 480]) {
      const view = await mount(width);
      const head = headOf(view);
      expect(head, `${width} px`).toEqual(["name", "chips", "badges"].filter((part) => head.includes(part)));
      expect(head[0]).toBe("name");
      expect(view.root.querySelectorAll(".card header")).toHaveLength(1);
      view.stop();
    }
  },
);

/** What a card shows: its words, its pictures, what is chosen, and where the keyboard is. */
function shownOf({ root, model }: Mounted): string {
  const pictures = [...root.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL());
  const chosen = [...root.querySelectorAll("[aria-selected], [aria-pressed], [aria-activedescendant]")].map((part) =>
    ["aria-selected", "aria-pressed", "aria-activedescendant"].map((name) => part.getAttribute(name)).join(),
  );
  return [root.textContent, JSON.stringify(model.sent), ...chosen, ...pictures].join();
}

test.each(Object.entries(VIEWS))(
  "%s: a badge that is a button leads somewhere, any other looks like words",
  async (_, mount) => {
    const view = await mount(934);
    for (const { textContent, localName } of view.root.querySelectorAll("header .badge")) {
      const again = await mount(934);
      const badge = [...again.root.querySelectorAll<HTMLElement>("header .badge")].find(
        (one) => one.textContent === textContent,
      ) as HTMLElement;
      const { backgroundColor, borderTopWidth } = getComputedStyle(badge);
      const plain = backgroundColor === "rgba(0, 0, 0, 0)" && borderTopWidth === "0px";
      expect(plain, `${textContent} looks like words`).toBe(localName === "span");
      const before = shownOf(again);
      badge.click();
      await settle();
      for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
      if (localName === "button") expect(shownOf(again), `${textContent} leads somewhere`).not.toBe(before);
      again.stop();
    }
    view.stop();
  },
);

test.each(Object.entries(VIEWS))("%s: what saves it is at the end of its foot", async (_, mount) => {
  for (const width of [934, 480]) {
    const view = await mount(width);
    saveButton(view.root);
    const boxOf = (selector: string) => (view.root.querySelector(selector) as Element).getBoundingClientRect();
    const [save, foot, card] = [".save", "footer", ".card"].map(boxOf);
    if (!save || !foot || !card) throw new Error("the card has no foot");
    expect(view.root.querySelector("footer")?.lastElementChild?.className).toBe("save");
    expect(foot.right - save.right, `${width} px`).toBeLessThanOrEqual(17);
    expect(card.bottom - foot.bottom).toBeLessThanOrEqual(1);
    expect(save.bottom).toBeLessThanOrEqual(foot.bottom);
    view.stop();
  }
});

/** What is pressed once and does no more than show something else. */
const PRESSED =
  "button:not(:disabled, .save, [aria-expanded], .dot), [role=slider], [role=listbox], [role=treegrid], [role=grid]";
/** What draws something else in place of what was there, or opens it: another page, another question, an array for a map, an answer. */
const TURNS =
  /^ ?(Time it|all calls|Next|Reset|Hint|try a spec|compiled|program|difference to now|arrays)$|^type | passed$/;
const KEYS = ["ArrowDown", "ArrowRight", "n", "n", "Enter", "ArrowUp", "Escape"];

test.each(Object.entries(VIEWS))("%s is as high as it was, whatever is pressed in it", async (_, mount) => {
  for (const width of [934, 700, 480, 360]) expect.soft(await higher(await mount(width)), `${width} px`).toEqual([]);
});

/** What makes a card higher or lower when it is pressed. */
async function higher(view: Mounted): Promise<string[]> {
  const before = height(view);
  const other: string[] = [];
  const look = async (what: string) => {
    await settle();
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    if (Math.abs(height(view) - before) > 1) other.push(`${what}: ${Math.round(height(view) - before)} px`);
  };
  const all = () => [...view.root.querySelectorAll<HTMLElement>(PRESSED)];
  for (let i = 0; i < Math.min(40, all().length); i++) {
    const control = all()[i];
    if (!control) break;
    const name = `${control.className} ${control.ariaLabel ?? control.textContent?.slice(0, 24)}`;
    if (TURNS.test(name)) continue;
    if (control.localName === "button") {
      control.click();
      await look(`${name} pressed`);
      if (control.isConnected) control.click();
    } else
      for (const key of KEYS.filter(
        (key) => key !== "Enter" || !control.matches(".tree, .names, .wall, [aria-label$=candidates]"),
      )) {
        press(control, key);
        await look(`${name} ${key}`);
      }
  }
  view.stop();
  return [...new Set(other)];
}

/** What changes an answer: what opens something is not among it. */
const FREE = "button:not(:disabled, .check, [aria-expanded])";
const FILLED = [...ALL, LEAF, RACE, OVERLAP, BLOCK].flatMap((question) =>
  [1100, 934, 700, 480].map((width) => ({ question, width })),
);

test.each(FILLED)(
  "an exercise is as high as it was, and Check stays in its place, whatever is filled in: $question.name at $width px",
  async ({ question, width }) => {
    const view = await mountExercise(sheet(question), {}, { width });
    const before = height(view);
    const check = () =>
      (view.root.querySelector(".check")?.getBoundingClientRect().top ?? 0) - view.frame.getBoundingClientRect().top;
    const top = check();
    const other: string[] = [];
    const look = async (what: string) => {
      await settle();
      for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
      if (Math.abs(height(view) - before) > 1) other.push(`${what}: ${Math.round(height(view) - before)} px`);
      if (Math.abs(check() - top) > 1) other.push(`${what}: Check ${Math.round(check() - top)} px`);
    };
    const inside = (selector: string) => [...view.root.querySelectorAll<HTMLElement>(`.work ${selector}`)];
    for (const input of inside("input[type=radio], input[type=checkbox]")) {
      input.click();
      await look(`${(input as HTMLInputElement).name} chosen`);
    }
    for (const input of inside("input:not([type=radio], [type=checkbox])") as HTMLInputElement[]) {
      for (const text of ["1", "P('y', 'x')", "P('x', 'x', None)", ""]) {
        input.value = text;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        await look(`${input.ariaLabel ?? input.placeholder} ${text}`);
      }
    }
    for (const slot of inside(".slot")) {
      for (const key of ["x", "y", "x", "Backspace", "Delete", "ArrowRight", "Escape"]) {
        press(slot, key);
        await look(`slot ${slot.dataset.place} ${key}`);
      }
    }
    for (let i = 0; i < inside(FREE).length; i++) {
      const control = inside(FREE)[i];
      control?.click();
      await look(`${control?.ariaLabel ?? control?.textContent} pressed`);
    }
    expect(other).toEqual([]);
  },
);

const JUDGED = [...ALL, LEAF, RACE, OVERLAP, BLOCK].flatMap((question) =>
  [1100, 934, 700, 480, 360].map((width) => ({ question, width })),
);
const SAID =
  "8 rows over x=4 leave 2, and blocks need 4: every device would hold a quarter of what it is asked to hold.";

test.each(JUDGED)(
  "an exercise is as high checked as not, whatever came of it: $question.name at $width px",
  async ({ question, width }) => {
    const asked = { ...question, attempts: 0, passed: false, answer: [], feedback: null };
    const view = await mountExercise(sheet(asked), {}, { width });
    const before = height(view);
    const gives = { title: "what it gives", listing: null, types: [], tables: [] };
    const on = mesh({ x: 4, y: 2 });
    const pictures = [
      null,
      { ...gives, placement: array(on, [8, 16], ["x", "y"]) },
      { ...gives, placement: array(on, [8, 16], ["y"]) },
    ];
    const other: string[] = [];
    for (const verdict of ["wrong", "partly", "right", "malformed"] as const) {
      for (const figure of pictures) {
        const said = { ...feedback(verdict, { message: SAID, gives: "f32[2,8]" }), figure };
        const answer = question.fields.map(({ name }) => ({ field: name, text: "P('x', 'y')" }));
        view.model.assign({ _document: sheet({ ...asked, attempts: 3, answer, feedback: said }), _heard: 1 });
        await settle();
        for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
        const grown = Math.round(height(view) - before);
        if (Math.abs(grown) > 1) other.push(`${verdict}, ${figure ? "a picture" : "no picture"}: ${grown} px`);
      }
    }
    expect(other).toEqual([]);
  },
);

test.each(Object.entries(VIEWS))(
  "%s: its foot has at most three keys, and all of them open over it",
  async (_, mount) => {
    const view = await mount(934);
    const before = height(view);
    expect(view.root.querySelectorAll("footer > .keys > span").length).toBeLessThanOrEqual(3);
    const all = view.root.querySelector<HTMLDetailsElement>(".all-keys");
    if (!all) return;
    press(view.frame, "?");
    expect(all.open).toBe(true);
    await settle();
    const [list, card] = [all.querySelector("dl"), view.root.querySelector(".card")].map((el) =>
      (el as Element).getBoundingClientRect(),
    ) as [DOMRect, DOMRect];
    expect(list.top).toBeGreaterThanOrEqual(card.top);
    expect(height(view)).toBe(before);
    press(all.querySelector("summary") as Element, "?");
    expect(all.open).toBe(false);
  },
);
