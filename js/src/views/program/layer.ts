/** The canvas of a program's mesh: painted for the moment that is shown. */
import { collectiveMarks } from "../../scene/collective";
import { drawLayer, newLayer, note } from "../card/canvas";
import { asError } from "../card/store";
import type { ProgramState } from "./state";

export class ProgramLayer {
  readonly #canvas = newLayer();
  #painted: readonly unknown[] = [];

  constructor(private readonly state: ProgramState) {}

  /** Puts the canvas into an element of the page. */
  readonly attach = (el: Element | null): void => el?.replaceChildren(this.#canvas);

  /** Paints what the state shows, if it is not what stands there. */
  paint(): void {
    const { theme, broken } = this.state.now;
    const view = broken ? null : this.state.shown()?.view;
    const inputs = [view, theme];
    if (view && theme && !inputs.every((input, i) => Object.is(input, this.#painted[i]))) {
      const first = this.#painted.length === 0;
      this.#painted = inputs;
      const begun = performance.now();
      try {
        drawLayer(this.#canvas, view.stage, collectiveMarks(view), theme);
      } catch (error) {
        this.state.set({ broken: asError(error) });
      }
      note(first ? "sw:first" : "sw:frame", begun);
    }
    this.state.drawn();
  }
}
