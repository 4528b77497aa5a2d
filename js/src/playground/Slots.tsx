/** The spec: a slot for each dimension and for the two states, with the division under each. */
import { axesAt, entryAt, type Place, partsOf, placesOf, sizeOf } from "../core/spec/spec";
import { AXIS_DASH } from "../draw/marks";
import { Draggable } from "./Draggable";
import type { SpecEditor } from "./editor";
import { onKey } from "./keys";

export function Slots({ editor }: { editor: SpecEditor }) {
  const places = placesOf(editor.draft());
  const cursor = Math.min(editor.now.cursor, places.length - 1);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would name itself to sighted readers too
    <div class="slots mono" role="group" aria-label="PartitionSpec">
      <span class="paren">P(</span>
      {places.map((place, i) => (
        <SlotView
          editor={editor}
          place={place}
          comma={places.slice(i + 1).some((p) => typeof p === "number" || axesAt(editor.draft(), p).length > 0)}
          tab={i === cursor}
          at={i}
          key={place}
        />
      ))}
      <span class="paren">)</span>
    </div>
  );
}

interface Props {
  editor: SpecEditor;
  place: Place;
  /** Whether another entry follows it. */
  comma: boolean;
  /** Whether it is the tab stop. */
  tab: boolean;
  at: number;
}

function SlotView({ editor, place, comma, tab, at }: Props) {
  const { drag } = editor.now;
  const draft = editor.draft();
  const axes = axesAt(draft, place);
  const loose = typeof place === "number" && entryAt(draft, place).unconstrained;
  const note = editor.refusal()?.notes.get(place);
  const over = drag !== null && drag.over === place;
  const state = typeof place === "string";
  const empty = axes.length === 0 && !loose;
  const [sum, result] = note === undefined ? below(editor, place) : [note, ""];
  const target = over ? indexOfDropped(editor, place) : -1;
  const axis = draft.axes.findIndex((a) => a.name === drag?.name);
  const kind = [
    note && "off",
    over && "over",
    over && axis >= 0 && `axis${axis % AXIS_DASH.length}`,
    state && "state",
    empty && "empty",
  ];
  return (
    <span class={`place ${kind.filter(Boolean).join(" ")}`}>
      <button
        type="button"
        class="slot"
        data-place={place}
        tabIndex={tab ? 0 : -1}
        ref={(el) => {
          if (tab && el && document.activeElement && isWithin(el)) el.focus();
        }}
        aria-describedby={`under-${place}`}
        onFocus={() => editor.moveCursor(at)}
        onClick={() => {
          if (editor.now.armed !== undefined) editor.drop(editor.now.armed, place);
        }}
        onKeyDown={(event) => {
          if (!onKey(editor, place, event)) return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        {!state && <span class="hidden">dim {place}: </span>}
        {state && !empty && <span class="soft">{place}=</span>}
        {loose && <Draggable name={null} axis={-1} size={null} look={over && drag?.name === null ? "away" : ""} />}
        {axes.map((name, i) =>
          i === target ? (
            <span class="drop" key={`${i} ${name}`}>
              drop {name}
            </span>
          ) : (
            <Draggable
              name={name}
              axis={draft.axes.findIndex((a) => a.name === name)}
              size={draft.axes.some((a) => a.name === name) ? sizeOf(draft, name) : null}
              index={i}
              key={`${i} ${name}`}
            />
          ),
        )}
        {empty && <span class="none">{state ? place : "None"}</span>}
      </button>
      <span class="under" id={`under-${place}`}>
        {sum}
        <b>{result}</b>
      </span>
      {comma && <span class="comma">,</span>}
    </span>
  );
}

/** Whether the focus is on another slot of the same spec: then it follows the cursor. */
function isWithin(el: HTMLElement): boolean {
  const active = (el.getRootNode() as ShadowRoot).activeElement;
  return active !== null && active !== el && active.closest(".slots") === el.closest(".slots");
}

/** Which axis of a place is being dragged. */
function indexOfDropped(editor: SpecEditor, place: Place): number {
  const { drag } = editor.now;
  const [before, after] = [axesAt(editor.kept(), place), axesAt(editor.draft(), place)];
  if (drag?.name === null || !drag) return -1;
  if (drag.from?.place === place) return after.indexOf(drag.name);
  return after.findIndex((name, i) => name !== before[i]);
}

/** The division that a place makes, `dim 0: 8 ÷ 2 = `, and its result. */
function below(editor: SpecEditor, place: Place): readonly [string, string] {
  const draft = editor.draft();
  if (place === "unreduced") return [draft.unreduced.length > 0 ? "sum still pending" : "", ""];
  if (place === "reduced") return [draft.reduced.length > 0 ? "gradient unreduced" : "", ""];
  const size = draft.shape[place];
  if (size === undefined) return [`no dim ${place}`, ""];
  if (entryAt(draft, place).unconstrained) return [`dim ${place}: ${size}, left open`, ""];
  if (axesAt(draft, place).length === 0) return [`dim ${place}: ${size} whole`, ""];
  const parts = partsOf(draft, place);
  return [`dim ${place}: ${size} ÷ ${parts} = `, String(size / parts)];
}
