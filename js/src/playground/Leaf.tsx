/** An array of a tree with a spec to try: the editor, its picture, and the button that makes the spec a rule. */

import { Canvas } from "../array/public";
import { Foot } from "../card/Foot";
import { specCode } from "../core/spec/spec";
import { Trouble } from "./Bands";
import { Gives } from "./Facts";
import { EditorSheet } from "./Sheet";
import { PlaygroundState } from "./state";

export class LeafState extends PlaygroundState {
  /** Hands the spec on screen to the card around. */
  take(): void {
    const { editor } = this.now;
    if (!editor || editor.refusal()) return;
    this.share({ _taken: { spec: specCode(editor.draft()) } });
    this.set({ copied: "added to what if" });
  }
}

export function Leaf({ state }: { state: LeafState }) {
  const { editor, copied } = state.now;
  const { model } = state.picture.now;
  if (!editor || !model) return null;
  const refused = editor.refusal() !== null;
  const valid = editor.valid();
  return (
    <>
      <div class="leaf">
        <EditorSheet editor={editor} model={model} />
        {valid && !refused && <Gives draft={valid} doc={editor.doc} model={model} />}
      </div>
      <Trouble editor={editor} />
      <Foot>
        <button type="button" disabled={refused} onClick={() => state.take()}>
          Use as a rule
        </button>
        <span role="status">{copied}</span>
      </Foot>
      <div class={refused ? "faded" : ""}>
        <Canvas state={state.picture} />
      </div>
      <div class="hidden" aria-live="polite">
        {editor.now.announced || state.picture.now.announced}
      </div>
    </>
  );
}
