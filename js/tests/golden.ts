/** Golden pictures: each is an example of the gallery, in both schemes. */
import { expect } from "vitest";
import type { Mark, Scene } from "../src/draw/marks";
import { textWidth } from "../src/draw/measure";
import { pngDataUri } from "../src/draw/paint/png";
import { paintSvg } from "../src/draw/paint/svg";
import { theme } from "../src/draw/paint/theme";

export const SCHEMES = ["light", "dark"] as const;
export type Scheme = (typeof SCHEMES)[number];

const GALLERY = new URL("../../docs/gallery/", import.meta.url).pathname;

/** The picture is the one of the gallery, to the letter. */
export async function expectInGallery(svg: string, name: string, scheme: Scheme): Promise<void> {
  await expect(`${svg}\n`).toMatchFileSnapshot(`${GALLERY}${name}.${scheme}.svg`);
}

/** The scene, painted with a title, is the picture of the gallery. */
export const expectSceneInGallery = (scene: Scene, title: string, name: string, scheme: Scheme) =>
  expectInGallery(paintSvg(scene, theme(scheme), title, pngDataUri), name, scheme);

/** No mark stands outside of a scene of any width. */
export function expectInsideAtAnyWidth(sceneAt: (width: number) => Scene): void {
  for (const width of [320, 480, 800, 1100, 1600]) {
    const { marks, height } = sceneAt(width);
    for (const mark of marks) {
      const [x, y] = farCorner(mark);
      if (!(x >= 0 && x <= width && y >= 0 && y <= height)) {
        expect.fail(`outside of ${width} × ${height}: ${JSON.stringify(mark)}`);
      }
    }
  }
}

export function farCorner(mark: Mark): readonly [number, number] {
  if (mark.kind === "line") return mark.points.at(-1) ?? [0, 0];
  if (mark.kind === "rect") return [mark.x + mark.w, mark.y + mark.h];
  return [mark.x, mark.y];
}

/** Of texts that stand on one line, none comes this close to the next, at any width. */
export function expectTextsApart(sceneAt: (width: number) => Scene, least: number): void {
  for (const width of [320, 360, 419, 420, 480, 559, 560, 700, 800, 934, 1100]) {
    const texts = sceneAt(width).marks.flatMap((mark) => (mark.kind === "text" ? [boxOf(mark)] : []));
    for (const [i, a] of texts.entries())
      for (const b of texts.slice(i + 1))
        if (a.y === b.y && a.from < b.to + least && b.from < a.to + least)
          expect.fail(`at ${width}: ${JSON.stringify([a, b])}`);
  }
}

function boxOf({ x, y, anchor, spans, size, mono }: Extract<Mark, { kind: "text" }>) {
  const text = spans.map((span) => span.text).join("");
  const width = textWidth(text, size, mono);
  const from = x - { start: 0, middle: width / 2, end: width }[anchor ?? "start"];
  return { text, y, from, to: from + width };
}
