/** What stands across the card: JAX's own words and what they mean, and the code that makes what is on screen. */

import { Raised } from "../card/Raised";
import { Tokens } from "../card/Tokens";
import { MeshModel } from "../core/mesh";
import type { PlacementModel } from "../core/placement";
import { specCode } from "../core/spec/spec";
import { axisTokens } from "../core/text";
import type { SpecEditor } from "./editor";
import { Forms } from "./Facts";
import { codeOf } from "./model/code";
import type { PlaygroundState } from "./state";

/** What is wrong with what is on screen, and JAX's error. */
export function Trouble({ editor }: { editor: SpecEditor }) {
  const refusal = editor.refusal();
  if (!refusal) return null;
  return (
    <>
      <p class="means">{refusal.meaning}</p>
      <Raised error={refusal.error} by={`raised by JAX ${editor.doc.jax_version}`} said={refusal.said} />
    </>
  );
}

/** The result of *Apply*. */
export function Answer({ state, editor }: { state: PlaygroundState; editor: SpecEditor }) {
  const { applied } = state.now;
  if (!applied?.error) return null;
  return <Raised error={applied.error} by={`raised by Apply, JAX ${editor.doc.jax_version}`} said={applied.said} />;
}

/** Which axes forbid what, and what that says of the spec on screen. */
export function Forbids({ editor }: { editor: SpecEditor }) {
  const refusal = editor.forbids();
  if (!refusal) return null;
  const { code, forbidden, allowed } = refusal;
  const mesh = new MeshModel({ ...editor.doc.mesh, axes: editor.draft().axes });
  return (
    <div class="band forbids" aria-live="polite">
      <code>
        <Tokens tokens={axisTokens(code, mesh)} />
      </code>
      <div>
        {forbidden ? (
          <>
            <p class="means">
              jax.reshard raises <b class="mono">{forbidden.error}</b>. {forbidden.meaning}
            </p>
            <pre>{forbidden.said}</pre>
          </>
        ) : (
          <p>{allowed}</p>
        )}
      </div>
    </div>
  );
}

interface CodeProps {
  state: PlaygroundState;
  editor: SpecEditor;
  model: PlacementModel;
}

export function CodeLine({ state, editor, model }: CodeProps) {
  const { doc } = editor;
  const refusal = editor.refusal();
  const lines = codeOf(editor.draft(), doc);
  const spec = specCode(editor.draft());
  const around = lines.join("\n").split(spec);
  const mesh = new MeshModel({ ...doc.mesh, axes: editor.draft().axes });
  const { applied, waiting, copied } = state.now;
  const moved = applied?.type ? `moved: ${applied.type}` : "";
  return (
    <div class={`band code acts ${refusal ? "off" : ""}`}>
      <code>
        {around.map((text, i) => [
          i > 0 && (
            <span class={refusal ? "wrong" : ""}>
              <Tokens tokens={axisTokens(spec, mesh)} />
            </span>
          ),
          <Tokens tokens={axisTokens(text, mesh)} key={text} />,
        ])}
      </code>
      <Forms model={model} />
      <span role="status" class="soft">
        {refusal ? "picture shows the last valid spec" : copied || moved}
      </span>
      {doc.array && (
        <button
          type="button"
          disabled={state.saved || waiting || refusal !== null}
          title={state.saved ? "a saved page: arrays are moved where the notebook runs" : "run this on the array"}
          onClick={() => state.apply()}
        >
          Apply
        </button>
      )}
      <button type="button" onClick={() => state.copy(lines.join("\n"))}>
        Copy
      </button>
    </div>
  );
}
