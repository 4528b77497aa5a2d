/** A kernel without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { answerOf, decodeKernel, KernelModel } from "./model/kernel";
import { kernelScene } from "./scene/card";

interface State extends SavedState {
  fault?: number;
}

export default {
  kinds: ["kernel"],
  draw({ _document, fault = 0 }, { width, scheme }) {
    const model = new KernelModel(decodeKernel(_document));
    return [kernelScene(model, fault, width, scheme), answerOf(model, model.fault(fault))];
  },
} satisfies Picture<State>;
