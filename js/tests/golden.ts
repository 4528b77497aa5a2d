/** Golden pictures: each is an example of the gallery, in both schemes. */
import { expect } from "vitest";
import type { Mark, Scene } from "../src/draw/marks";
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
