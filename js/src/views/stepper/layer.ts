/** The canvas of a stepper: one layer, painted for the moment that is shown. */
import { stepperMarks } from "../../scene/stepper";
import { drawLayer, newLayer, note } from "../card/canvas";
import { asError } from "../card/store";
import type { StepperState } from "./state";

export class StepperLayer {
  readonly #canvas = newLayer();
  #painted: readonly unknown[] = [];

  constructor(private readonly state: StepperState) {}

  /** Puts the canvas into an element of the page. */
  readonly attach = (el: Element | null): void => el?.replaceChildren(this.#canvas);

  /** Paints what the state shows, if it is not what stands there. */
  paint(): void {
    const { theme, broken } = this.state.now;
    const view = broken ? null : this.state.view();
    if (!view || !theme) return;
    const { trace, layout, moment, options } = view;
    const inputs = [view, theme];
    if (inputs.every((input, i) => Object.is(input, this.#painted[i]))) return;
    const first = this.#painted.length === 0;
    this.#painted = inputs;
    const begun = performance.now();
    try {
      drawLayer(this.#canvas, layout, stepperMarks(trace, layout, moment, options), theme);
      this.state.drawn();
    } catch (error) {
      this.state.set({ broken: asError(error) });
    }
    note(first ? "sw:first" : "sw:frame", begun);
  }
}
