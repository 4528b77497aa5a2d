/** The memory of a program without a page. */
import type { Picture, SavedState } from "../../picture/picture";
import { decodeMemory, MemoryModel } from "./model/memory";
import { memoryScene } from "./scene/card";

export default {
  kinds: ["memory"],
  draw({ _document }, look) {
    const model = new MemoryModel(decodeMemory(_document), new Map());
    return [memoryScene(model, look), model.doc.name];
  },
} satisfies Picture<SavedState>;
