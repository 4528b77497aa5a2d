/** The canvas of a stepper: one layer, painted for the moment that is shown. */
import { stepperMarks } from "../../scene/stepper";
import { drawLayer, newLayer, note } from "../canvas";
import { asError } from "../store";
import type { StepperState } from "./state";

export class StepperLayer {
  readonly #canvas = newLayer();
  #painted: readonly unknown[] = [];

  constructor(private readonly state: StepperState) {}

  /** Puts the canvas into an element of the page. */
  readonly attach = (el: Element | null): void => el?.replaceChildren(this.#canvas);

  /** Paints what the state shows, if it is not what stands there. */
  paint(): void {
    const { trace, theme, moment, algorithm, device, broken } = this.state.now;
    const layout = this.state.layout();
    if (!trace || !theme || !layout || broken) return;
    const watch = this.state.watched();
    const inputs = [trace, theme, layout, moment.step, moment.phase, algorithm, device, watch.join()];
    if (inputs.every((input, i) => Object.is(input, this.#painted[i]))) return;
    const first = this.#painted.length === 0;
    this.#painted = inputs;
    const begun = performance.now();
    try {
      const options = { scheme: theme.scheme, algorithm, watch, device, still: this.state.still() };
      drawLayer(this.#canvas, layout, stepperMarks(trace, layout, moment, options), theme);
      this.state.drawn();
    } catch (error) {
      this.state.set({ broken: asError(error) });
    }
    note(first ? "sw:first" : "sw:frame", begun);
  }
}
