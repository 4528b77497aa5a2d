/** Two algorithms of a collective without a page. */
import type { Algorithm, Network } from "../core/document.gen";
import type { Picture, SavedState } from "../picture/picture";
import { Course, decodeAlgorithms } from "./model/algorithms";
import { algorithmsScene } from "./scene/card";

interface State extends SavedState {
  nbytes?: number;
  pair?: readonly string[];
}

export default {
  kinds: ["algorithms"],
  draw(state, { width, scheme }) {
    const doc = decodeAlgorithms(state._document);
    const nbytes = state.nbytes ?? doc.nbytes;
    const [a, b] = (state.pair ?? []).map((name) => doc.algorithms.find(({ plan }) => plan.algorithm === name));
    const course = (one = doc.algorithms[0]) => new Course(doc, one as Algorithm, doc.networks[0] as Network, nbytes);
    return [algorithmsScene([course(a), course(b)], nbytes, width, scheme), `algorithms of ${doc.collective}`];
  },
} satisfies Picture<State>;
