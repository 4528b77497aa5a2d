/** The two canvases of a picture: the body, and over it what hovering adds. */

import { drawLayer, newLayer, note } from "../card/canvas";
import { deviceBox } from "../draw/grid";
import { type Mark, outline, placed } from "../draw/marks";
import type { Theme } from "../draw/paint/theme";
import type { Highlight } from "./model/selection";
import type { ArrayParts } from "./parts/parts";
import { tileBoxes } from "./scene/faces";
import { bodyMarks, type Layout } from "./scene/layout";
import type { Shown } from "./scene/morph";

/** What is lit, where a page may not load the module that draws more of it. */
function outlines({ model, layout: { array, mesh } }: Shown, lit: Highlight | null): Mark[] {
  if (!lit) return [];
  const tiles = array && lit.tile !== null ? tileBoxes(model, array.faces, lit.tile).map((b) => placed(b, array)) : [];
  return [...tiles, ...lit.positions.map((p) => deviceBox(model, mesh, p))].flatMap((b) => outline(b, 2));
}

export class Layers {
  readonly #base = newLayer();
  readonly #overlay = newLayer();
  #shown: Shown | null = null;
  #lit: Highlight | null = null;
  #pinned: Highlight | null = null;
  #theme: Theme | null = null;
  #before: Shown | null = null;
  #parts: ArrayParts | null = null;
  #stopChange = () => {};
  #hovering = 0;

  /** `changed` is called when a change of placement has been shown, `failed` with what an animation frame throws. */
  constructor(
    private readonly changed: () => void,
    private readonly failed: (thrown: unknown) => void,
  ) {}

  /** Puts the canvases into an element of the page. */
  readonly attach = (el: Element | null): void => el?.replaceChildren(this.#base, this.#overlay);

  dispose(): void {
    this.#stopChange();
    cancelAnimationFrame(this.#hovering);
  }

  /** Paints a placement, or the change from the one before, if not painted yet; returns whether it did. */
  paint(
    shown: Shown,
    theme: Theme,
    from: Shown | null,
    hovered: Highlight | null,
    pinned: Highlight | null,
    parts: ArrayParts | null,
  ): boolean {
    const before = from && parts?.changes(from, shown) ? from : null;
    if (from && !before) this.changed();
    const lit = before ? null : hovered;
    const other = shown !== this.#shown || theme !== this.#theme || parts !== this.#parts;
    const anew = shown !== this.#shown || theme !== this.#theme || before !== this.#before;
    this.#parts = parts;
    if (anew) this.#paintBase(shown, theme, before, parts);
    if (other || lit !== this.#lit || pinned !== this.#pinned) this.#paintOverlay(shown, theme, lit, lit && pinned);
    [this.#shown, this.#lit, this.#pinned, this.#theme, this.#before] = [shown, lit, pinned, theme, before];
    return anew && !before;
  }

  #paintBase(shown: Shown, theme: Theme, before: Shown | null, parts: ArrayParts | null): void {
    this.#stopChange();
    const start = performance.now();
    if (!before || !parts) {
      drawLayer(this.#base, shown.layout, bodyMarks(shown.model, shown.layout, shown.paints), theme);
      note("sw:first", start);
      return;
    }
    const draw = (marks: () => readonly Mark[]) => this.#later(this.#base, shown.layout, marks, theme);
    const body = bodyMarks(shown.model, shown.layout, { ...shown.paints, bare: true });
    this.#stopChange = parts.showChange(before, shown, body, draw, this.changed);
  }

  /** Repaints what hovering adds at most once a frame. */
  #paintOverlay(shown: Shown, theme: Theme, lit: Highlight | null, pinned: Highlight | null): void {
    cancelAnimationFrame(this.#hovering);
    this.#hovering = requestAnimationFrame(() => {
      this.#later(
        this.#overlay,
        shown.layout,
        () => {
          const { model, layout, paints } = shown;
          const parts = this.#parts;
          const near =
            layout.lens && parts?.lensMarks(model, layout.mesh, layout.lens, paints, lit?.positions[0] ?? null);
          return [
            ...(parts?.overlayMarks(model, layout, paints, lit, pinned) ?? outlines(shown, lit)),
            ...(near ?? []),
          ];
        },
        theme,
      );
    });
  }

  /** Draws in an animation frame, where nobody else would catch what it throws. */
  #later(canvas: HTMLCanvasElement, layout: Layout, marks: () => readonly Mark[], theme: Theme): void {
    const begun = performance.now();
    try {
      drawLayer(canvas, layout, marks(), theme);
    } catch (error) {
      this.failed(error);
    }
    note("sw:frame", begun);
  }
}
