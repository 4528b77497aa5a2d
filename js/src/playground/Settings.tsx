/** Array, mesh and spec, to be typed. */
import { Select } from "../card/Tools";
import type { MeshAxis } from "../core/document.gen";
import { isConcrete } from "../core/spec/refusal";
import { addAxis, changeAxis, dropAxis, positions, readSpec, reshape, specCode } from "../core/spec/spec";
import { count } from "../core/text";
import type { SpecEditor } from "./editor";

type AxisType = MeshAxis["type"];

const TYPES: readonly AxisType[] = ["Auto", "Explicit"];

export function Settings({ editor }: { editor: SpecEditor }) {
  return (
    <form class="settings" onSubmit={(event) => event.preventDefault()}>
      {!editor.doc.fixed && <ArrayFields editor={editor} />}
      {!editor.doc.fixed && <MeshFields editor={editor} />}
      <fieldset>
        <legend>spec</legend>
        <span class="field">
          as text
          <Typed
            label="spec as text"
            text={specCode(editor.kept())}
            wide
            take={(text) => {
              const spec = readSpec(text);
              if (!spec) return "Write a spec, such as P('x', None).";
              editor.edit({ ...editor.kept(), ...spec });
              return "";
            }}
          />
        </span>
      </fieldset>
    </form>
  );
}

function ArrayFields({ editor }: { editor: SpecEditor }) {
  const draft = editor.kept();
  const { doc } = editor;
  const fixed = doc.array !== "";
  return (
    <fieldset>
      <legend>array</legend>
      <span class="field">
        shape
        <Typed
          label="shape"
          text={`(${draft.shape.join(", ")}${draft.shape.length === 1 ? "," : ""})`}
          disabled={fixed}
          wide
          take={(text) => {
            const shape = readShape(text);
            if (!shape) return "Write sizes, such as (8, 16).";
            if (shape.length > doc.most_dims) return `At most ${doc.most_dims} dimensions.`;
            editor.edit(reshape(draft, shape));
            return "";
          }}
        />
      </span>
      <label>
        dtype
        <Select
          disabled={fixed}
          of={doc.dtypes.map((d) => [d.name])}
          value={draft.dtype}
          choose={(dtype) => editor.edit({ ...draft, dtype })}
        />
      </label>
      {fixed && <span class="soft">the shape and dtype of a real array are fixed</span>}
    </fieldset>
  );
}

function MeshFields({ editor }: { editor: SpecEditor }) {
  const { axes } = editor.kept();
  const full = 2 * positions(axes) > editor.doc.most_devices || axes.length >= 6;
  return (
    <fieldset>
      <legend>mesh</legend>
      {axes.map((axis, i) => (
        <Axis editor={editor} axis={axis} index={i} key={i} />
      ))}
      <button type="button" disabled={full} onClick={() => editor.edit(addAxis(editor.kept()))}>
        add an axis
      </button>
      <span class="soft">{meshNote(editor)}</span>
    </fieldset>
  );
}

function Axis({ editor, axis, index }: { editor: SpecEditor; axis: MeshAxis; index: number }) {
  const draft = editor.kept();
  const others = draft.axes.filter((_, i) => i !== index);
  const most = Math.floor(editor.doc.most_devices / positions(others));
  return (
    <span class="axis">
      <Typed
        text={axis.name}
        label={`name of axis ${index}`}
        take={(name) => {
          if (!/^[\w.-]+$/.test(name)) return "Letters, digits, _ . and - only.";
          if (others.some((a) => a.name === name)) return `There already is an axis ${name}.`;
          editor.edit(changeAxis(draft, index, { name }));
          return "";
        }}
      />
      <Typed
        text={String(axis.size)}
        label={`size of axis ${axis.name}`}
        take={(text) => {
          const size = Number(text);
          if (!Number.isInteger(size) || size < 1 || size > most) return `A whole number, 1 to ${most}.`;
          editor.edit(changeAxis(draft, index, { size }));
          return "";
        }}
      />
      <Select
        aria-label={`type of axis ${axis.name}`}
        of={TYPES.map((type) => [type])}
        value={axis.type}
        choose={(type) => editor.edit(changeAxis(draft, index, { type }))}
      />
      <button
        type="button"
        aria-label={`remove axis ${axis.name}`}
        disabled={others.length === 0}
        onClick={() => editor.edit(dropAxis(draft, index))}
      >
        ×
      </button>
    </span>
  );
}

interface TypedProps {
  text: string;
  label: string;
  wide?: boolean;
  disabled?: boolean;
  /** Takes what was typed; returns what is wrong with it, or nothing. */
  take: (text: string) => string;
}

/** A text that takes effect when it loses the focus or Enter is pressed. */
function Typed({ text, label, wide = false, disabled = false, take }: TypedProps) {
  return (
    <input
      type="text"
      class="mono"
      size={wide ? 20 : 6}
      spellcheck={false}
      autocomplete="off"
      aria-label={label}
      disabled={disabled}
      value={text}
      onInput={(event) => event.currentTarget.setCustomValidity("")}
      onChange={(event) => {
        const input = event.currentTarget;
        if (input.value.trim() === text) return;
        input.setCustomValidity(take(input.value.trim()));
        input.reportValidity();
      }}
      onKeyDown={(event) => {
        // JupyterLab keeps Enter in a field from ending it.
        if (event.key !== "Enter") return;
        event.preventDefault();
        event.stopPropagation();
        event.currentTarget.dispatchEvent(new Event("change"));
      }}
    />
  );
}

function meshNote(editor: SpecEditor): string {
  const { doc } = editor;
  const n = positions(editor.kept().axes);
  const here = doc.mesh.device_ids.shape.reduce((a, b) => a * b, 1);
  if (doc.mesh.abstract) return `abstract: ${count(n, "position")}`;
  if (isConcrete(editor.kept().axes, doc)) return `${n} of ${count(here, "device")}`;
  return `${n} positions, more than the ${count(here, "device")} here: an abstract mesh`;
}

/** Sizes in brackets or without. */
function readShape(text: string): number[] | null {
  const inside = text.replace(/^[([]|[)\]]$/g, "").trim();
  if (inside === "") return [];
  const parts = inside.replace(/,$/, "").split(",");
  const sizes = parts.map((p) => (/^\s*\d{1,9}\s*$/.test(p) ? Number(p) : -1));
  return sizes.some((n) => n < 0) ? null : sizes;
}
