/** The two canvases of a picture: the body, and over it what hovering adds. */
import type { Highlight } from "../../model/selection";
import type { Theme } from "../../paint/theme";
import { bodyMarks, type Layout } from "../../scene/layout";
import { canMorph, morphMarks, type Shown } from "../../scene/morph";
import { overlayMarks } from "../../scene/overlay";
import type { Mark } from "../../scene/scene";
import { drawLayer, newLayer, note } from "../card/canvas";
import { asError } from "../card/store";
import type { ViewState } from "./state";

/** Milliseconds that a change of placement takes. */
const CHANGE_MS = 450;

export class Layers {
  readonly #base = newLayer();
  readonly #overlay = newLayer();
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
    const { theme } = this.state.now;
    const shown = this.state.shown();
    if (!shown || !theme) return;
    let { before } = this.state.now;
    if (before && (matchMedia("(prefers-reduced-motion: reduce)").matches || !canMorph(before, shown))) {
      before = null;
      this.state.set({ before });
    }
    const lit = before ? null : this.state.lit();
    const other = shown !== this.#shown || theme !== this.#theme;
    if (other || before !== this.#before) this.#paintBase(shown, theme, before);
    if (other || lit !== this.#lit) this.#paintOverlay(shown, theme, lit);
    [this.#shown, this.#lit, this.#theme, this.#before] = [shown, lit, theme, before];
  }

  #paintBase(shown: Shown, theme: Theme, before: Shown | null): void {
    cancelAnimationFrame(this.#changing);
    const start = performance.now();
    if (!before) {
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
      drawLayer(canvas, layout, marks(), theme);
    } catch (error) {
      this.state.set({ broken: asError(error) });
    }
  }
}

function ease(t: number): number {
  return t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2;
}
