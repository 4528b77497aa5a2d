/** The card of a playground: the editor, the picture of what it comes to, JAX's words, the code. */

import { Canvas, Dims, Facets, Notes } from "../array/public";
import { Foot } from "../card/Foot";
import { Answer, CodeLine, Forbids, Trouble } from "./Bands";
import { PlaygroundHead } from "./Head";
import { EditorSheet } from "./Sheet";
import type { PlaygroundState } from "./state";

const KEYS = [
  ["← →", "slots"],
  ["?", "UNCONSTRAINED"],
  ["Ctrl Z", "undo"],
] as const;

export function PlaygroundCard({ state }: { state: PlaygroundState }) {
  const { editor } = state.now;
  const { model } = state.picture.now;
  if (!editor || !model) return null;
  const refused = editor.refusal() !== null;
  return (
    <>
      <PlaygroundHead editor={editor} model={model} />
      <EditorSheet editor={editor} model={model} headed />
      {/* What JAX raises is read over the picture of another spec, so that nothing moves. */}
      <div class="stage">
        <div class={refused ? "faded" : ""}>
          <Canvas state={state.picture} />
          <Notes state={state.picture} />
        </div>
        <div class="covers">
          <Trouble editor={editor} />
          <Answer state={state} editor={editor} />
        </div>
      </div>
      <Forbids editor={editor} />
      <CodeLine state={state} editor={editor} />
      <Foot keys={KEYS}>
        {model.rank > 2 && <Dims state={state.picture} model={model} />}
        <Facets state={state.picture} />
        <button type="button" disabled={!editor.canStep(-1)} onClick={() => editor.step(-1)}>
          Undo
        </button>
        <button type="button" disabled={!editor.canStep(1)} onClick={() => editor.step(1)}>
          Redo
        </button>
      </Foot>
      <div class="hidden" aria-live="polite">
        {editor.now.announced || state.picture.now.announced}
      </div>
    </>
  );
}
