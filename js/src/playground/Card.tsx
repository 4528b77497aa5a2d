/** The card of a playground: the editor, the picture of what it comes to, JAX's words, the code. */

import { Canvas, Facets, Key, Roles } from "../array/public";
import { Foot } from "../card/Foot";
import { Answer, CodeLine, Forbids, Trouble } from "./Bands";
import { PlaygroundHead } from "./Head";
import { keysOf } from "./keys";
import { EditorSheet } from "./Sheet";
import { BESIDE, type PlaygroundState } from "./state";

/** What a picture has around its panels, whose height is at most the one that is set. */
const EDGE = 10;

export function PlaygroundCard({ state }: { state: PlaygroundState }) {
  const { editor } = state.now;
  const { model } = state.picture.now;
  if (!editor || !model) return null;
  const refused = editor.refusal() !== null;
  return (
    <>
      <PlaygroundHead
        editor={editor}
        model={model}
        narrow={state.now.width < BESIDE}
        go={() => state.picture.slice(0)}
      />
      <EditorSheet editor={editor} model={model} headed>
        <Roles state={state.picture} model={model} />
        {model.rank > 2 && (
          <span class={model.rank > 3 ? "pagers two" : "pagers"}>
            <Facets state={state.picture} />
          </span>
        )}
      </EditorSheet>
      {/* What JAX raises is read over the picture of another spec, so that nothing moves. */}
      <div class="stage" style={{ "--high": `${state.picture.now.high + EDGE}px` }}>
        <div class={refused ? "faded" : ""}>
          <Canvas state={state.picture} />
        </div>
        <div class="covers">
          <Trouble editor={editor} />
          <Answer state={state} editor={editor} />
        </div>
      </div>
      <Forbids editor={editor} />
      <CodeLine state={state} editor={editor} model={model} />
      <Foot keys={keysOf(editor).slice(0, 3)}>
        <Key state={state.picture} />
      </Foot>
      <div class="hidden" aria-live="polite">
        {editor.now.announced || state.picture.now.announced}
      </div>
    </>
  );
}
