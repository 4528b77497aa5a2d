/** The two canvases of a picture: the body, and over it what hovering adds. */
import type { Highlight } from "../model/selection";
import { paintCanvas } from "../paint/canvas";
import type { Theme } from "../paint/theme";
import { bodyMarks, type Layout } from "../scene/layout";
import { canMorph, morphMarks, type Shown } from "../scene/morph";
import { overlayMarks } from "../scene/overlay";
import type { Mark } from "../scene/scene";
import { asError, type ViewState } from "./state";

/** Milliseconds that a change of placement takes. */
const CHANGE_MS = 450;

/** Room around the body for outlines and arrow heads that reach over its edge. */
const BLEED = 8;

export class Layers {
  readonly #base = layer();
  readonly #overlay = layer();
  #shown: Shown | null = null;
  #lit: Highlight | null = null;
  #theme: Theme | null = null;
  #before: Shown | null = null;
  #changing = 0;
  #hovering = 0;

  constructor(private readonly state: ViewState) {}

  /** Puts the canvases into an element of the page. */
  readonly attach = (el: Element | null): void => el?.replaceChildren(this.#base, this.#overlay);

  dispose(): void {
    cancelAnimationFrame(this.#changing);
    cancelAnimationFrame(this.#hovering);
  }

  /** Paints what the state shows, as far as it is not painted yet. */
  paint(): void {
    const { theme, before } = this.state.now;
    const shown = this.state.shown();
    const lit = before ? null : this.state.lit();
    if (!shown || !theme) return;
    const other = shown !== this.#shown || theme !== this.#theme;
    if (other || before !== this.#before) this.#paintBase(shown, theme, before);
    if (other || lit !== this.#lit) this.#paintOverlay(shown, theme, lit);
    [this.#shown, this.#lit, this.#theme, this.#before] = [shown, lit, theme, before];
  }

  #paintBase(shown: Shown, theme: Theme, before: Shown | null): void {
    cancelAnimationFrame(this.#changing);
    const start = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!before || still || !canMorph(before, shown)) {
      this.#draw(this.#base, shown.layout, () => bodyMarks(shown.model, shown.layout, shown.paints), theme);
      note("sw:first", start);
      this.state.drawn();
      return;
    }
    const step = (now: number) => {
      const t = (now - start) / CHANGE_MS;
      if (t >= 1) {
        this.state.set({ before: null });
        return;
      }
      const begun = performance.now();
      this.#draw(this.#base, shown.layout, () => morphMarks(before, shown, ease(Math.max(0, t))), theme);
      note("sw:frame", begun);
      this.#changing = requestAnimationFrame(step);
    };
    this.#changing = requestAnimationFrame(step);
  }

  /** Repaints what hovering adds at most once a frame. */
  #paintOverlay(shown: Shown, theme: Theme, lit: Highlight | null): void {
    cancelAnimationFrame(this.#hovering);
    this.#hovering = requestAnimationFrame(() => {
      const begun = performance.now();
      this.#draw(this.#overlay, shown.layout, () => overlayMarks(shown.model, shown.layout, shown.paints, lit), theme);
      note("sw:frame", begun);
    });
  }

  #draw(canvas: HTMLCanvasElement, layout: Layout, marks: () => readonly Mark[], theme: Theme): void {
    try {
      draw(canvas, layout, marks(), theme);
    } catch (error) {
      this.state.set({ broken: asError(error) });
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
