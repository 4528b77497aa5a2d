/** The editor of a spec, for any widget to show: axes to drag, places to put them, what the spec comes to. */
import { Component, type ComponentChildren } from "preact";
import { Tokens } from "../card/Tokens";
import type { PlacementModel } from "../core/placement";
import { axisTokens } from "../core/text";
import { Draggable } from "./Draggable";
import { Dragging } from "./drag";
import type { SpecEditor } from "./editor";
import { Palette } from "./Palette";
import { Settings } from "./Settings";
import { Slots } from "./Slots";

interface Props {
  editor: SpecEditor;
  /** Of `editor.placement()`. */
  model: PlacementModel;
  /** Whether a head says the type and what it comes to, and the picture what is wrong. */
  headed?: boolean;
  /** Whether what is wrong is read elsewhere: what is under the editor stays where it is. */
  over?: boolean;
  /** How its picture is cut. */
  children?: ComponentChildren;
}

export class EditorSheet extends Component<Props> {
  readonly #dragging = new Dragging(() => this.props.editor);

  override render() {
    const { editor, model, headed, over, children } = this.props;
    const { drag, open } = editor.now;
    const refusal = editor.refusal();
    const { down, move, up, cancel } = this.#dragging;
    return (
      <div
        class={`editor ${drag ? "dragging" : ""} ${editor.draft().axes.length > 2 ? "many" : ""}`}
        style={{ "--axes": editor.draft().axes.length }}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={cancel}
      >
        <Palette editor={editor}>{children}</Palette>
        {open && <Settings editor={editor} />}
        <div class="written">
          <Slots editor={editor} />
        </div>
        {!headed && (
          <div class="comes">
            <div class={refusal ? "unseen" : ""}>
              <Type editor={editor} model={model} />
            </div>
            {refusal && !over && <p class="means">{refusal.meaning}</p>}
          </div>
        )}
        {drag && (
          <div class="hand" style={{ left: `${drag.x}px`, top: `${drag.y}px` }} aria-hidden="true">
            <InHand editor={editor} name={drag.name} />
          </div>
        )}
      </div>
    );
  }
}

function InHand({ editor, name }: { editor: SpecEditor; name: string | null }) {
  const { axes } = editor.draft();
  const axis = axes.findIndex((a) => a.name === name);
  return <Draggable name={name} axis={axis} size={axes[axis]?.size ?? null} />;
}

/** That the type does not say all, or of a drag, that it is a preview. */
export function noteOf(editor: SpecEditor, model: PlacementModel): string {
  if (editor.now.drag) return "preview, release to keep";
  const types = new Map(model.axes.map((a) => [a.name, a.type]));
  const silent = model.doc.dims.some((d) => d.axes.some((a) => types.get(a) === "Auto"));
  return silent ? "the type is silent on Auto axes" : "";
}

/** The type, as `jax.typeof` gives it. */
function Type({ editor, model }: Pick<Props, "editor" | "model">) {
  return (
    <div class="type mono">
      <h2>
        <Tokens tokens={axisTokens(model.doc.type, model)} />
      </h2>
      <span class="soft">{noteOf(editor, model) || `jax.typeof(${editor.doc.name})`}</span>
    </div>
  );
}
