/** Documents that are words, without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { KINDS, wordsOf } from "./model/text";
import { textScene } from "./scene/text";

interface State extends SavedState {
  _text?: string;
}

export default {
  kinds: KINDS,
  draw({ _document, _text = "" }, { width }) {
    const words = wordsOf(_text, _document.kind);
    return [textScene(words, width), `${words.name}: ${words.first}`];
  },
} satisfies Picture<State>;
