import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cardScene } from "../../src/array/scene/card";
import { PlacementModel } from "../../src/core/placement";
import { label, type Mark, type Scene } from "../../src/draw/marks";
import { textWidth, WIDER } from "../../src/draw/measure";
import { context as contextOf, fieldCanvas, paintCanvas } from "../../src/draw/paint/canvas";
import { pngDataUri } from "../../src/draw/paint/png";
import { paintSvg } from "../../src/draw/paint/svg";
import { theme } from "../../src/draw/paint/theme";
import { svg } from "../../src/picture/entry";
import { alone, array, mesh, saved } from "../documents";
import { PICTURES } from "../pictures";

const ELEMENTS = new Set("svg title defs pattern rect path polygon text tspan image circle".split(" "));

/** Parses strictly, as XML; fails on an element or attribute that a picture has no need of. */
function parse(text: string): Document {
  const page = new DOMParser().parseFromString(text, "image/svg+xml");
  for (const element of page.querySelectorAll("*")) {
    if (!ELEMENTS.has(element.localName)) expect.fail(`<${element.localName}> ${element.textContent}`);
    for (const { name, value } of element.attributes) {
      if (/^on|href/i.test(name) && !value.startsWith("data:image/png;base64,")) expect.fail(`${name}="${value}"`);
    }
  }
  return page;
}

/** What XML cannot hold stands as U+FFFD. */
const legal = (text: string) => text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "�");

const strings = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc
    .array(
      fc.constantFrom("<", ">", "&", '"', "'", "</text>", "<script>", "]]>", "&#0;", "\0", "\u000b", "\ud800", "�"),
    )
    .map((pieces) => pieces.join("")),
);

test("any text comes out of an SVG as that text", () => {
  fc.assert(
    fc.property(strings, strings, (words, font) => {
      const marks = [label(1, 2, words, 12, "ink"), label(1, 2, [{ text: words, color: "axis0" }], 12, "muted")];
      const look = { ...theme("light"), ui: font };
      const page = parse(paintSvg({ width: 9, height: 9, marks }, look, words, pngDataUri));
      // An XML parser reads a carriage return as a line end.
      const expected = legal(words).replace(/\r\n?/g, "\n");
      expect([...page.querySelectorAll("title, text")].map((e) => e.textContent)).toEqual([
        expected,
        expected,
        expected,
      ]);
    }),
    { numRuns: 500 },
  );
});

test("names with markup stay text, wherever a document has them", () => {
  const evil = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&lt;`;
  const document = array(mesh({ [evil]: 4, y: 2 }), [8, 16], [evil, null], {
    name: evil,
    type: `f32[8@${evil},16]`,
    unreduced: ["y"],
  });
  const page = parse(svg(saved(document), JSON.stringify({ width: 960, theme: "light" })));
  expect(page.querySelector("title")?.textContent).toContain(evil);
  parse(svg(saved(alone(document.mesh)), JSON.stringify({ width: 960, theme: "dark" })));
});

const scenes = Object.entries(PICTURES).map(([name, { document, traits = {}, width = 960 }]): [string, Scene] => [
  name,
  cardScene(new PlacementModel(document), {
    width,
    scheme: "light",
    ...("color_by" in traits && { colorBy: "values" }),
  }),
]);

/** One of each mark, large enough that nothing of it is lost in smoothing. */
const MARKS: Readonly<Record<string, Mark>> = {
  "a rectangle": {
    kind: "rect",
    x: 10,
    y: 10,
    w: 100,
    h: 60,
    r: 20,
    fill: "axis0",
    stroke: { color: "ink", width: 6 },
  },
  "a veil": { kind: "rect", x: 10, y: 10, w: 100, h: 60, fill: "ink", alpha: 0.4 },
  stripes: { kind: "rect", x: 0, y: 0, w: 120, h: 120, fill: "ink", hatch: true },
  "a dashed line": {
    kind: "line",
    points: [
      [10, 60],
      [110, 60],
    ],
    stroke: { color: "ink", width: 20, dash: [30, 10] },
  },
  "a round corner": {
    kind: "line",
    points: [
      [10, 20],
      [90, 20],
      [90, 110],
    ],
    r: 10,
    stroke: { color: "ink", width: 10 },
  },
  "an arrow": {
    kind: "line",
    points: [
      [20, 70],
      [68, 70],
    ],
    arrow: true,
    stroke: { color: "ink", width: 1 },
  },
  "a filled disc": { kind: "disc", x: 60, y: 60, r: 50, color: "axis1", hollow: false, sign: "+" },
  "a hollow disc": { kind: "disc", x: 60, y: 60, r: 50, color: "axis1", hollow: true, sign: "=" },
  "a grid": { kind: "grid", x: 0, y: 0, w: 120, h: 120, columns: 20, rows: 6, color: "ink" },
  "a field": { kind: "field", x: 0, y: 0, w: 120, h: 120, columns: 2, rows: 1, rgb: Uint8Array.of(0, 0, 0, 255, 0, 0) },
  "a text": label(60, 80, [{ text: "l" }, { text: "M", color: "error", weight: 700 }], 60, "ink", { anchor: "middle" }),
  "a turned text": label(80, 110, "MMM", 50, "ink", { mono: true, turned: true }),
};

test.each(Object.entries(MARKS))("%s is drawn by both painters alike", async (_, mark) => {
  const { painted, drawn } = await both({ width: 120, height: 120, marks: [mark] });
  // Means over squares: stripes and dashes need not begin at the same pixel.
  const side = 20;
  let inked = 0;
  for (let y = 0; y < 120; y += side) {
    for (let x = 0; x < 120; x += side) {
      const [a, b] = [painted, drawn].map((ctx) => {
        const { data } = ctx.getImageData(x, y, side, side);
        return [0, 1, 2].map((k) => data.reduce((sum, v, i) => (i % 4 === k ? sum + v : sum), 0) / side ** 2);
      });
      for (const [k, v] of (a ?? []).entries()) {
        expect(Math.abs(v - (b?.[k] ?? 0)), `at ${x}, ${y}`).toBeLessThan(14);
        if (v < 250) inked++;
      }
    }
  }
  expect(inked).toBeGreaterThan(0);
});

test.each(scenes)("%s is drawn by both painters alike", async (_, scene) => {
  const { painted, drawn } = await both(scene);
  const [a, b] = [painted, drawn].map((ctx) => ctx.getImageData(0, 0, scene.width, scene.height).data);
  let different = 0;
  for (let i = 0; a && b && i < a.length; i += 4) {
    const off = [0, 1, 2].map((k) => Math.abs((a[i + k] ?? 0) - (b[i + k] ?? 0)));
    if (Math.max(...off) > 96) different++;
  }
  // Edges and glyphs are smoothed in two ways; a mark that only one painter draws is far more.
  expect(different / (scene.width * scene.height)).toBeLessThan(0.004);
});

/** A scene on a white ground, by the painter of canvases and by that of SVG. */
async function both(scene: Scene) {
  // An SVG that is an image has the fonts of the machine alone.
  const look = theme("light", {}, "sans-serif", "monospace");
  const size = [scene.width, scene.height] as const;
  const painted = context(...size);
  painted.fillStyle = "#fff";
  painted.fillRect(0, 0, ...size);
  paintCanvas(painted, scene.marks, look);
  const picture = new Image(...size);
  picture.src = `data:image/svg+xml,${encodeURIComponent(paintSvg(scene, look, "", pngDataUri))}`;
  await picture.decode();
  const drawn = context(...size);
  drawn.drawImage(picture, 0, 0);
  return { painted, drawn };
}

function context(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  return canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
}

test("a PNG made by hand holds its pixels, over block boundaries too", async () => {
  for (const [columns, rows] of [
    [1, 1],
    [2, 3],
    [5, 4],
    [181, 190],
  ] as const) {
    const rgb = Uint8Array.from({ length: columns * rows * 3 }, (_, i) => (i * 37 + (i >> 8)) & 255);
    const picture = new Image();
    picture.src = pngDataUri(columns, rows, rgb);
    await picture.decode();
    expect([picture.naturalWidth, picture.naturalHeight]).toEqual([columns, rows]);
    const read = context(columns, rows);
    read.drawImage(picture, 0, 0);
    const canvas = fieldCanvas(columns, rows, rgb).getContext("2d") as CanvasRenderingContext2D;
    for (const data of [read, canvas].map((c) => c.getImageData(0, 0, columns, rows).data)) {
      const back = data.filter((_, i) => i % 4 !== 3);
      expect(back.every((v, i) => v === rgb[i])).toBe(true);
      expect(data.every((v, i) => i % 4 !== 3 || v === 255)).toBe(true);
    }
  }
});

test("no text of the gallery is wider than it was taken for", () => {
  const ctx = contextOf(document.createElement("canvas"));
  const wide: string[] = [];
  for (const [, scene] of scenes) {
    for (const m of scene.marks) {
      if (m.kind !== "text") continue;
      const text = m.spans.map((s) => s.text).join("");
      const family = m.mono ? "DejaVu Sans Mono" : "DejaVu Sans Condensed";
      let width = 0;
      for (const s of m.spans) {
        ctx.font = `${s.weight ?? m.weight ?? 400} ${m.size}px "${family}"`;
        width += ctx.measureText(s.text).width;
      }
      const bold = !m.mono && m.spans.every((s) => (s.weight ?? m.weight ?? 400) >= 600);
      const taken = textWidth(text, m.size, m.mono) * (bold ? WIDER : 1);
      if (width > taken + 0.5) wide.push(`${text}: ${width} > ${taken}`);
    }
  }
  expect([...new Set(wide)]).toEqual([]);
});
