/** A trace without a page: one step, or steps that play. */
import type { Picture, SavedState } from "../picture/picture";
import { loops } from "./model/rows";
import { decodeTrace, TraceModel } from "./model/trace";
import { stepScene } from "./scene/card";
import { stepFilm } from "./scene/film";
import { spaceFilm } from "./spacetime/scene/film";

interface State extends SavedState {
  step?: number;
  watch?: readonly string[];
}

export default {
  kinds: ["trace"],
  draw({ _document, step = 0, watch = [] }, look) {
    const trace = new TraceModel(decodeTrace(_document));
    return [stepScene(trace, { step, phase: 1 }, { ...look, watch }), trace.doc.name];
  },
  film({ _document, step = 0, watch = [] }, look, { steps, speed }) {
    const trace = new TraceModel(decodeTrace(_document));
    // A program that opens in space-time plays as a whole there, unless steps are named.
    const film =
      steps === null && loops(trace)
        ? spaceFilm(trace, speed, look)
        : stepFilm(trace, steps ?? [step, step], speed, { ...look, watch });
    return [film, trace.doc.name];
  },
} satisfies Picture<State>;
