/** One thing to fill in, in its form. */
import { Select } from "../card/Tools";
import type { Feedback, Field, Part, Question } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import type { Box } from "../draw/marks";
import { Devices, MOST_BUTTONS } from "./Devices";
import { chosen, gridOf, markOf, withCell } from "./model/exercise";
import { orderOf } from "./model/moving";
import { idleOf, packed, rowsOf } from "./model/timeline";
import type { ExerciseState } from "./state";
import { TaskOrder } from "./TaskOrder";
import { Threshold } from "./Threshold";
import { Timeline } from "./Timeline";

interface Props {
  state: ExerciseState;
  question: Question;
  field: Field;
  mesh: MeshModel;
  /** Whether the devices stand on a picture above. */
  pictured?: boolean;
}

/** More choices than this are a list to open, which leaves room for the pictures above it. */
const MOST_RADIOS = 6;

export function FieldInput({ state, question, field, mesh, pictured }: Props) {
  const part = partOf(state, question, field);
  const text = state.draft(question)[field.name] ?? "";
  const fill = (value: string) => state.fill(field.name, value);
  const mark = <Mark part={part} feedback={question.feedback} />;
  const about = part && !part.right ? { "aria-invalid": true } : {};
  if (field.form === "choice" && field.options.length <= MOST_RADIOS) {
    return (
      <fieldset class="field">
        <legend>
          {field.label} {mark}
        </legend>
        <div class="options">
          {field.options.map((option) => (
            <label key={option}>
              <input
                type="radio"
                name={`${question.name} ${field.name}`}
                checked={text === option}
                onChange={() => fill(option)}
              />
              <span class="mono">{option}</span>
            </label>
          ))}
        </div>
      </fieldset>
    );
  }
  if (field.form === "choice") {
    return (
      <label class="field">
        <span>
          {field.label} {mark}
        </span>
        <Select
          class={text ? "mono" : "mono open"}
          of={[["", "choose"], ...field.options.map((option) => [option] as const)]}
          value={text}
          choose={fill}
          {...about}
        />
        {/* On paper, where nothing opens. */}
        <ul class="choices mono" aria-hidden="true">
          {field.options.map((option) => (
            <li key={option}>{option}</li>
          ))}
        </ul>
      </label>
    );
  }
  if (field.form === "devices" && mesh.size <= MOST_BUTTONS) {
    return (
      <fieldset class="field">
        <legend>
          {field.label} {mark}
        </legend>
        {pictured ? (
          <output>{text || "choose on the mesh"}</output>
        ) : (
          <DevicesField state={state} question={question} field={field} mesh={mesh} />
        )}
      </fieldset>
    );
  }
  if (field.form === "timeline") {
    if (field.options.length === 0) return null;
    return <TimelineField state={state} question={question} field={field} mesh={mesh} />;
  }
  if (field.form === "order" || field.form === "threshold") {
    const scheme = state.now.theme?.scheme ?? "light";
    return (
      <fieldset class="field whole">
        <legend>
          {field.label} {mark}
        </legend>
        {field.form === "order" ? (
          <TaskOrder
            label={field.label}
            order={orderOf(text, field.options)}
            scheme={scheme}
            fill={(order) => fill(order.join(" "))}
          />
        ) : (
          <Threshold field={field} text={text} scheme={scheme} fill={fill} />
        )}
      </fieldset>
    );
  }
  if (field.form === "grid") {
    return (
      <fieldset class="field">
        <legend>
          {field.label} {mark}
        </legend>
        <Grid field={field} text={text} part={part} fill={fill} />
      </fieldset>
    );
  }
  return (
    <label class="field">
      <span>
        {field.label} {mark}
      </span>
      <input
        class="mono"
        type="text"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        size={field.form === "spec" ? 28 : Math.max(20, field.example.length + 8)}
        placeholder={field.example && `such as ${field.example}`}
        value={text}
        onInput={(event) => fill(event.currentTarget.value)}
        {...about}
      />
    </label>
  );
}

/** One board for all fields that follow from it: the first is the idle fraction, the second what a rank keeps. */
function TimelineField({ state, question, field }: Props) {
  const rows = rowsOf(field.options);
  const moved = state.now.places[question.name];
  const [idle, kept] = question.fields.filter((f) => f.form === "timeline");
  const draft = state.draft(question);
  const answered = !moved && idle && draft[idle.name] ? `answered: ${draft[idle.name]} idle` : "";
  return (
    <fieldset class="field whole">
      <legend>
        {[idle, kept].map(
          (one) =>
            one && (
              <span key={one.name}>
                {one.label} <Mark part={partOf(state, question, one)} feedback={question.feedback} />{" "}
              </span>
            ),
        )}
      </legend>
      <Timeline
        label={field.label}
        rows={rows}
        starts={moved ?? packed(rows)}
        scheme={state.now.theme?.scheme ?? "light"}
        answered={answered}
        move={(starts) => {
          const { idle, all } = idleOf(rows, starts);
          state.place(starts);
          state.fill(field.name, `${idle}/${all}`);
        }}
        mark={(most) => kept && state.fill(kept.name, String(most))}
      />
    </fieldset>
  );
}

/** The buttons of a field that asks for devices. */
export function DevicesField({ state, question, field, mesh, boxOf }: Props & { boxOf?: (position: number) => Box }) {
  return (
    <Devices
      mesh={mesh}
      chosen={new Set(chosen(state.draft(question)[field.name] ?? ""))}
      part={partOf(state, question, field)}
      fill={(ids) => state.fill(field.name, ids.join(", "))}
      {...(boxOf && { boxOf })}
    />
  );
}

/** The verdict on a field, until it is changed. */
function partOf(state: ExerciseState, question: Question, field: Field): Part | undefined {
  return state.judged(question) ? question.feedback?.parts.find((p) => p.field === field.name) : undefined;
}

/** Whether this one is right. It has its room from the beginning, so that nothing moves when it comes. */
function Mark({ part, feedback }: { part: Part | undefined; feedback: Feedback | null }) {
  return <span class={part?.right ? "mark right" : "mark"}>{part && feedback && markOf(part, feedback)}</span>;
}

function Grid(props: { field: Field; text: string; part: Part | undefined; fill: (text: string) => void }) {
  const { field, text, part, fill } = props;
  const across = field.shape[1] ?? 1;
  return (
    <table class="grid mono">
      <tbody>
        {gridOf(text, field.shape).map((row, r) => (
          <tr key={r}>
            {row.map((cell, c) => {
              const right = part?.cells[r * across + c];
              return (
                <td key={c}>
                  <input
                    type="text"
                    inputMode="decimal"
                    autocomplete="off"
                    aria-label={`row ${r}, column ${c}${right === undefined ? "" : right ? ", right" : ", not yet"}`}
                    aria-invalid={right === false}
                    class={right === undefined ? "" : right ? "right" : "off"}
                    value={cell}
                    onInput={(event) => fill(withCell(text, field.shape, r, c, event.currentTarget.value))}
                  />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
