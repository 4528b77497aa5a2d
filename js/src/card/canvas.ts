/** A canvas as a layer of a picture. */

import type { Mark } from "../draw/marks";
import { context, paintCanvas } from "../draw/paint/canvas";
import type { Theme } from "../draw/paint/theme";

/** Room around a picture for outlines and arrow heads that reach over its edge. */
const BLEED = 8;

export function newLayer(): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.className = "layer";
  return canvas;
}

/** Paints marks on a layer of the given size, sharp at any zoom of the page. */
export function drawLayer(
  canvas: HTMLCanvasElement,
  size: { width: number; height: number },
  marks: readonly Mark[],
  theme: Theme,
): void {
  const ratio = window.devicePixelRatio || 1;
  const width = size.width + 2 * BLEED;
  const height = size.height + 2 * BLEED;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  const fresh = canvas.width !== w || canvas.height !== h;
  if (fresh) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = context(canvas);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  // On paper, what was cleared by hand is white and covers the layer below.
  if (!fresh) ctx.clearRect(0, 0, width, height);
  ctx.translate(BLEED, BLEED);
  paintCanvas(ctx, marks, theme);
}

/** Leaves a measure for observers and no entry behind: a long session must not fill the page's buffer. */
export function note(name: string, start: number): void {
  performance.measure(name, { start, end: performance.now() });
  performance.clearMeasures(name);
}

/** A canvas that is painted again only when its inputs have changed. */
export class Layer {
  readonly #canvas = newLayer();
  #painted: readonly unknown[] = [];

  /** Puts the canvas into an element of the page. */
  readonly attach = (el: Element | null): void => el?.replaceChildren(this.#canvas);

  /** Paints if needed; returns whether it did. `inputs` and the theme are what the marks depend on. */
  paint(
    inputs: readonly unknown[],
    size: { width: number; height: number },
    theme: Theme,
    marks: () => readonly Mark[],
  ): boolean {
    const all = [...inputs, theme];
    if (all.every((input, i) => Object.is(input, this.#painted[i]))) return false;
    const first = this.#painted.length === 0;
    // For printing, the canvas is created again.
    if (theme !== this.#painted.at(-1)) this.#canvas.width = 0;
    this.#painted = all;
    const begun = performance.now();
    drawLayer(this.#canvas, size, marks(), theme);
    note(first ? "sw:first" : "sw:frame", begun);
    return true;
  }
}
