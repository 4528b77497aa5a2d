/** One thing to fill in, in its form. */
import type { ComponentChildren } from "preact";
import { Tokens } from "../card/Tokens";
import { Select } from "../card/Tools";
import type { Feedback, Field, Part, Question } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import { axisTokens } from "../core/text";
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

/** More choices than this, or longer ones together, are a list to open, which leaves room for what is above it. */
const MOST_RADIOS = 6;
const MOST_LETTERS = 64;
/** From so many questions with the same choices on, each is a line. */
const LINES = 3;

/** A field with its name, what is in it, and how to set that. */
interface Filled extends Props {
  text: string;
  part: Part | undefined;
  fill: (text: string) => void;
}

export function FieldInput(props: Props) {
  const { state, question, field, mesh } = props;
  const filled: Filled = {
    ...props,
    text: state.draft(question)[field.name] ?? "",
    part: partOf(state, question, field),
    fill: (value) => state.fill(field.name, value),
  };
  switch (field.form) {
    case "choice":
      if (typed(question, field)) return <Leaves {...filled} />;
      return isShort(field) ? <Radios {...filled} /> : <Choices {...filled} />;
    case "devices":
      return mesh.size <= MOST_BUTTONS ? <Buttons {...filled} /> : <Line {...filled} />;
    case "timeline":
      return field.options.length > 0 ? <TimelineField {...props} /> : null;
    case "order":
    case "threshold":
      return <Board {...filled} />;
    case "grid":
      return (
        <Group {...filled}>
          <Grid {...filled} />
        </Group>
      );
    default:
      return <Line {...filled} />;
  }
}

function isShort({ options }: Field): boolean {
  return options.length <= MOST_RADIOS && options.join("").length <= MOST_LETTERS;
}

/** Several inputs of one name. */
function Group({ question, field, part, like, children }: Filled & { like?: string; children: ComponentChildren }) {
  return (
    <fieldset class={`field ${like ?? ""}`}>
      <legend>
        {field.label} <Mark part={part} feedback={question.feedback} />
      </legend>
      {children}
    </fieldset>
  );
}

/** One input and its name. */
function Labelled({ question, field, part, children }: Filled & { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: its input is what it is given
    <label class="field">
      <span>
        {field.label} <Mark part={part} feedback={question.feedback} />
      </span>
      {children}
    </label>
  );
}

function Radios(props: Filled) {
  const { question, field, text, fill } = props;
  const alike = question.fields.filter((f) => f.options.join() === field.options.join());
  return (
    <Group {...props} {...(alike.length >= LINES && { like: "line" })}>
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
    </Group>
  );
}

/** Whether what can be chosen is listed with its types, which are then the list that is chosen from. */
export function typed({ figures }: Question, { form, options }: Field): boolean {
  const types = figures[0]?.types ?? [];
  return form === "choice" && types.length > 0 && options.every((name, i) => types[i]?.startsWith(`${name}: `));
}

/** Arrays to choose from, each with its type. */
function Leaves(props: Filled) {
  const { question, field, text, mesh, fill } = props;
  const types = question.figures[0]?.types ?? [];
  return (
    <Group {...props} like="whole">
      <div class="leaves mono">
        {field.options.map((option, i) => (
          <label key={option}>
            <input
              type="radio"
              name={`${question.name} ${field.name}`}
              aria-label={types[i]}
              checked={text === option}
              onChange={() => fill(option)}
            />
            <span>{option}</span>
            <span>
              <Tokens tokens={axisTokens(types[i]?.slice(option.length + 2) ?? "", mesh)} />
            </span>
          </label>
        ))}
      </div>
    </Group>
  );
}

function Choices(props: Filled) {
  const { field, text, part, fill } = props;
  return (
    <Labelled {...props}>
      <Select
        class={text ? "mono" : "mono open"}
        of={[["", "choose"], ...field.options.map((option) => [option] as const)]}
        value={text}
        choose={fill}
        {...faultOf(part)}
      />
      {/* On paper, where nothing opens. */}
      <ul class="choices mono" aria-hidden="true">
        {field.options.map((option) => (
          <li key={option}>{option}</li>
        ))}
      </ul>
    </Labelled>
  );
}

function Buttons(props: Filled) {
  return (
    <Group {...props}>
      {props.pictured ? <output>{props.text || "choose on the mesh"}</output> : <DevicesField {...props} />}
    </Group>
  );
}

function Board(props: Filled) {
  const { state, field, text, fill } = props;
  const scheme = state.now.theme?.scheme ?? "light";
  const order = orderOf(text, field.options);
  return (
    <Group {...props} like="whole">
      {field.form === "order" ? (
        <TaskOrder label={field.label} order={order} scheme={scheme} fill={(moved) => fill(moved.join(" "))} />
      ) : (
        <Threshold field={field} text={text} scheme={scheme} fill={fill} />
      )}
    </Group>
  );
}

function Line(props: Filled) {
  const { field, text, part, fill } = props;
  return (
    <Labelled {...props}>
      <input
        class="mono"
        type="text"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        size={sizeOf(field)}
        placeholder={field.example && `such as ${field.example}`}
        value={text}
        onInput={(event) => fill(event.currentTarget.value)}
        {...faultOf(part)}
      />
    </Labelled>
  );
}

/** Three specs stand in a row; what is several has the room of several. */
function sizeOf({ form, example }: Field): number {
  return form === "spec" ? 18 : example.endsWith("; …") ? 56 : Math.max(20, example.length + 8);
}

function faultOf(part: Part | undefined): { "aria-invalid"?: true } {
  return part && !part.right ? { "aria-invalid": true } : {};
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
                {one.label} <b class="mono">{draft[one.name] || "…"}</b>{" "}
                <Mark part={partOf(state, question, one)} feedback={question.feedback} />{" "}
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

function Grid({ field, text, part, fill }: Filled) {
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
