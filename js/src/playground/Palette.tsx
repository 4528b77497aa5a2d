/** The mesh's axes, to be dragged or clicked and then put at a place; what opens mesh and array to change; undo and redo. */
import type { ComponentChildren } from "preact";
import { isUsed } from "../core/spec/spec";
import { Draggable } from "./Draggable";
import type { SpecEditor } from "./editor";

export function Palette({ editor, children }: { editor: SpecEditor; children?: ComponentChildren }) {
  const draft = editor.draft();
  const { drag, armed, open } = editor.now;
  const types = new Set(draft.axes.map((a) => a.type));
  const arm = (name: string | null) => ({
    type: "button" as const,
    class: "take",
    "aria-pressed": armed === name,
    onClick: () => editor.arm(name),
  });
  const carried = (name: string | null) => drag !== null && drag.from === null && drag.name === name;
  const loose = draft.entries.some((e) => e.unconstrained);
  return (
    <div class="palette">
      <span class="soft">
        {types.size === 1 ? [...types][0] : "mesh"} {draft.axes.length === 1 ? "axis" : "axes"}
      </span>
      {draft.axes.map((a, i) => (
        <button {...arm(a.name)} title={`${a.type}: drag it, or click it and then a place`} key={`${i} ${a.name}`}>
          <Draggable
            name={a.name}
            axis={i}
            size={a.size}
            look={carried(a.name) ? "away" : isUsed(draft, a.name) ? "used" : ""}
          />
        </button>
      ))}
      {types.size > 1 && <span class="soft">{draft.axes.map((a) => `${a.name} ${a.type}`).join(", ")}</span>}
      {!editor.doc.fixed && (
        <button {...arm(null)} title="leave a dimension to the compiler">
          <Draggable name={null} axis={-1} size={null} look={carried(null) ? "away" : loose ? "used" : ""} />
        </button>
      )}
      <button type="button" class="plain" aria-expanded={open} onClick={() => editor.set({ open: !open })}>
        {open ? "done" : editor.doc.fixed ? "write" : "change"}
      </button>
      <span class="after">
        {children}
        <span class="group ends">
          <Hint editor={editor} />
          <button type="button" class="plain" disabled={!editor.canStep(-1)} onClick={() => editor.step(-1)}>
            Undo
          </button>
          <button type="button" class="plain" disabled={!editor.canStep(1)} onClick={() => editor.step(1)}>
            Redo
          </button>
        </span>
      </span>
    </div>
  );
}

/** As wide whatever it says, so that no row is added. */
function Hint({ editor }: { editor: SpecEditor }) {
  const other = otherHint(editor);
  return (
    <span class="soft hint">
      <span class={other ? "unseen" : ""}>drag an axis to a slot</span>
      {other && (
        <span class="instead" title={other}>
          {other}
        </span>
      )}
    </span>
  );
}

function otherHint(editor: SpecEditor): string {
  if (editor.now.armed !== undefined) return "click where to put it";
  if (!editor.refusal() || editor.now.drag) return "";
  const { shape, dtype } = editor.draft();
  const short = editor.doc.dtypes.find((d) => d.name === dtype)?.short ?? dtype;
  return `array ${short}[${shape.join(",")}]`;
}
