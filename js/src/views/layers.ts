/** The two canvases of a picture: the body, and over it what hovering adds. */
import { effect } from "@preact/signals-core";
import { paintCanvas } from "../paint/canvas";
import type { Theme } from "../paint/theme";
import { bodyMarks, type Layout } from "../scene/layout";
import { canMorph, morphMarks } from "../scene/morph";
import { overlayMarks } from "../scene/overlay";
import type { Mark } from "../scene/scene";
import type { ViewState } from "./state";

/** Milliseconds that a change of placement takes. */
const CHANGE_MS = 450;

/** Room around the body for outlines and arrow heads that reach over its edge. */
const BLEED = 8;

export class Layers {
  readonly #base = layer();
  readonly #overlay = layer();
  readonly #stops: (() => void)[];
  #changing = 0;
  #hovering = 0;

  constructor(private readonly state: ViewState) {
    this.#stops = [effect(() => this.#paintBase()), effect(() => this.#paintOverlay())];
  }

  /** Puts the canvases into an element of the page. */
  readonly attach = (el: Element | null): void => el?.replaceChildren(this.#base, this.#overlay);

  dispose(): void {
    for (const stop of this.#stops) stop();
    cancelAnimationFrame(this.#changing);
    cancelAnimationFrame(this.#hovering);
  }

  #paintBase(): void {
    const { state } = this;
    const after = state.shown.value;
    const theme = state.theme.value;
    const before = state.before.value;
    cancelAnimationFrame(this.#changing);
    if (!after || !theme) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const start = performance.now();
    if (!before || still || !canMorph(before, after)) {
      this.#draw(this.#base, after.layout, () => bodyMarks(after.model, after.layout, after.paints), theme);
      note("sw:first", start);
      state.drawn();
      return;
    }
    const step = (now: number) => {
      const t = (now - start) / CHANGE_MS;
      if (t >= 1) {
        state.before.value = null;
        return;
      }
      const begun = performance.now();
      this.#draw(this.#base, after.layout, () => morphMarks(before, after, ease(Math.max(0, t))), theme);
      note("sw:frame", begun);
      this.#changing = requestAnimationFrame(step);
    };
    this.#changing = requestAnimationFrame(step);
  }

  /** Repaints what hovering adds at most once a frame. */
  #paintOverlay(): void {
    const { state } = this;
    const shown = state.shown.value;
    const theme = state.theme.value;
    const lit = state.before.value ? null : state.lit.value;
    cancelAnimationFrame(this.#hovering);
    if (!shown || !theme) return;
    this.#hovering = requestAnimationFrame(() => {
      const begun = performance.now();
      const marks = () => overlayMarks(shown.model, shown.layout, shown.paints, lit);
      this.#draw(this.#overlay, shown.layout, marks, theme);
      note("sw:frame", begun);
    });
  }

  #draw(canvas: HTMLCanvasElement, layout: Layout, marks: () => readonly Mark[], theme: Theme): void {
    try {
      draw(canvas, layout, marks(), theme);
    } catch (error) {
      this.state.broken.value = error instanceof Error ? error : new Error(String(error));
    }
  }
}

function layer(): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.className = "layer";
  return canvas;
}

function draw(canvas: HTMLCanvasElement, layout: Layout, marks: readonly Mark[], theme: Theme): void {
  const ratio = window.devicePixelRatio || 1;
  const width = layout.width + 2 * BLEED;
  const height = layout.height + 2 * BLEED;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = canvas.getContext("2d");
  if (!ctx) throw new Error("the browser gives no 2-D canvas");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.translate(BLEED, BLEED);
  paintCanvas(ctx, marks, theme);
}

/** Leaves a measure for observers and no entry behind: a long session must not fill the page's buffer. */
function note(name: string, start: number): void {
  performance.measure(name, { start, end: performance.now() });
  performance.clearMeasures(name);
}

function ease(t: number): number {
  return t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2;
}
