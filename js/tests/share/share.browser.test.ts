/** The menu that saves pictures, brought to a card by Python, and what a saved page has in its place. */
import { expect, test, vi } from "vitest";
import { saveButton } from "../../src/page/saved";
import { snapshot } from "../../src/page/snapshot";
import share from "../../src/share/entry";
import { FakeModel, onPaper } from "../harness";
import { playground } from "../playground/documents";
import { mount as mountPlayground } from "../playground/harness";

const PICTURES = [
  ["svg", "SVG"],
  ["gif", "GIF"],
];

/** A card with a foot for the menu. */
function card(row = "<footer></footer>") {
  const host = document.createElement("div");
  document.body.append(host);
  const root = host.attachShadow({ mode: "open" });
  const section = document.createElement("section");
  section.className = "card dark";
  section.style.width = "700px";
  section.append(document.createRange().createContextualFragment(row));
  root.append(section);
  const model = new FakeModel({ _pictures: PICTURES });
  const end = share(model, root);
  const select = () => root.querySelector("select") as HTMLSelectElement;
  const choose = (kind: string) => {
    select().value = kind;
    select().dispatchEvent(new Event("change"));
  };
  return { root, section, model, end, select, choose, host };
}

test("what is chosen is asked of Python, and what comes is downloaded", async () => {
  const { model, select, choose, root, host } = card();
  expect([...select().options].map((o) => o.text)).toEqual(["save…", "SVG", "GIF"]);
  choose("gif");
  const [asked] = model.sentFor("_wanted") as { n: number }[];
  expect(asked).toMatchObject({ kind: "gif", width: 700, theme: "dark" });
  expect(select().disabled).toBe(true);
  expect(select().selectedOptions[0]?.text).toBe("drawing …");
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const data = new DataView(Uint8Array.of(71, 73, 70).buffer);
  model.assign({ _picture: { n: 0, name: "other.gif", type: "image/gif", data, error: "" } });
  expect(saved).toEqual([]);
  model.assign({ _picture: { n: asked?.n, name: "f.gif", type: "image/gif", data, error: "" } });
  expect(saved).toEqual(["f.gif"]);
  expect(select().disabled).toBe(false);
  expect(select().value).toBe("");
  // Python may forget it.
  expect(model.sentFor("_wanted").at(-1)).toEqual({});
  expect(root.querySelector("[role=alert]")?.textContent).toBe("");
  host.remove();
});

test("what can be saved follows what the card shows", () => {
  const { model, select, choose, end, host } = card();
  const offered = () => [...select().options].map((o) => o.text);
  model.assign({ _pictures: PICTURES.slice(0, 1) });
  expect(offered()).toEqual(["save…", "SVG"]);
  choose("svg");
  model.assign({ _pictures: PICTURES });
  expect(offered()).toEqual(["drawing …", "SVG", "GIF"]);
  end();
  expect(model.listening).toBe(0);
  host.remove();
});

test("why there is no picture is said in the card", () => {
  const { model, choose, root, host } = card();
  choose("gif");
  const [asked] = model.sentFor("_wanted") as { n: number }[];
  const error = 'writing a GIF needs Pillow: pip install "shardwidget[images]"';
  model.assign({ _picture: { n: asked?.n, name: "", type: "", data: null, error } });
  expect(root.querySelector("[role=alert]")?.textContent).toBe(error);
  choose("svg");
  expect(root.querySelector("[role=alert]")?.textContent).toBe("");
  host.remove();
});

test("paper says the values that Python brings, when the page is idle and whenever they change", async () => {
  const model = new FakeModel({ _pictures: PICTURES, _prints: false, _paper: [] });
  const { root, host } = card();
  const end = share(model, root);
  const values = () => root.querySelector(".values:last-of-type") as HTMLElement;
  await expect.poll(() => model.sentFor("_prints")).toEqual([true]);
  const name = "<b>[0:1, 0:2] on device 0";
  model.assign({
    _paper: [
      {
        name,
        heads: ["[0, 1]"],
        parts: [[["1", "2"]]],
      },
    ],
  });
  expect(values().querySelector("figcaption")?.textContent).toBe(name);
  expect([...values().querySelectorAll("th, td")].map((cell) => cell.textContent)).toEqual(["[0, 1]", "1", "2"]);
  expect(values().checkVisibility()).toBe(false);
  await onPaper();
  expect(values().checkVisibility()).toBe(true);
  end();
  expect(model.listening).toBe(0);
  host.remove();
});

test("the menu stays in the foot when the card draws it anew, and goes with the card", async () => {
  const { section, root, end, model, host } = card();
  expect(root.querySelector("footer select")).toBeTruthy();
  section.replaceChildren(document.createElement("footer"));
  await expect.poll(() => root.querySelector("footer select")).toBeTruthy();
  end();
  expect(root.querySelector("select")).toBeNull();
  expect(model.listening).toBe(0);
  host.remove();
});

test("a snapshot is the card as it stands, at twice its size, without the menu", async () => {
  const view = await mountPlayground(playground(), {}, { width: 600 });
  const card = view.root.querySelector(".card") as HTMLElement;
  const end = saveButton(view.root);
  const pixels = async () => {
    const bitmap = await createImageBitmap(await snapshot(view.root));
    const ctx = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d") as OffscreenCanvasRenderingContext2D;
    ctx.drawImage(bitmap, 0, 0);
    return { bitmap, data: ctx.getImageData(0, 0, bitmap.width, bitmap.height).data };
  };
  const { bitmap, data } = await pixels();
  const { width, height } = card.getBoundingClientRect();
  expect([bitmap.width, bitmap.height]).toEqual([Math.ceil(2 * width), Math.ceil(2 * height)]);
  // Tiles are drawn on canvases, chips by style sheets.
  const colors = new Set<string>();
  for (let i = 0; i < data.length; i += 4) colors.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  for (const color of ["11,95,192", "146,193,246"]) expect(colors).toContain(color);
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  view.root.querySelector<HTMLElement>(".save button")?.click();
  await expect.poll(() => saved).toEqual(["spec-of-x.png"]);
  end();
  expect(view.root.querySelector(".save")).toBeNull();
});
