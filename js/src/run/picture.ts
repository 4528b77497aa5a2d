/** Measured runs without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { decodeRuns, RunModel } from "./model/run";
import { runScene } from "./scene/card";

interface State extends SavedState {
  call?: number | null;
  /** Index of an operation. */
  selection?: number | null;
}

export default {
  kinds: ["run", "runs"],
  draw({ _document, call = null, selection = null }, { width }) {
    const { runs } = decodeRuns(_document);
    const models = runs.map((run) => new RunModel(run));
    return [runScene(models, { width, call, selection }), runs.map((run) => run.name).join(", ")];
  },
} satisfies Picture<State>;
