/** The place to work: things to look at, the form to fill in, and what the answer would give. */

import type { Exercises, Field, Figure as FigureData, Placement, Question } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import { PlacementModel } from "../core/placement";
import type { Theme } from "../draw/paint/theme";
import { EditorSheet } from "../playground/public";
import { Trouble } from "./Bands";
import { Check } from "./Check";
import { MOST_BUTTONS } from "./Devices";
import { DevicesField, FieldInput, typed } from "./FieldInput";
import { Figures, type Over, PAIR } from "./Figures";
import { Result } from "./Result";
import type { ExerciseState } from "./state";

interface Props {
  state: ExerciseState;
  sheet: Exercises;
  question: Question;
  mesh: MeshModel;
  theme: Theme;
  width: number;
  /** Whether the question stands above: then placements stand under one another, and the result under the fields. */
  narrow: boolean;
}

export function Work({ state, sheet, question, mesh, theme, width, narrow }: Props) {
  const editor = state.editor(question);
  const room = { theme, width, mesh, narrow, paper: state.now.paper };
  const result = narrow && (
    <section
      class="result"
      aria-label={`what came of the last answer, ${state.name()}`}
      tabIndex={question.feedback ? 0 : undefined}
    >
      <Result
        state={state}
        question={question}
        mesh={mesh}
        width={width - 16}
        gives={arranged(question, mesh, width, true).said}
      />
    </section>
  );
  if (editor) {
    const placement = editor.placement();
    const refusal = editor.refusal();
    return (
      <div class="work">
        <EditorSheet editor={editor} model={new PlacementModel(placement)} over />
        <Answer state={state} question={question} mesh={mesh} narrow={narrow} />
        {result}
        <div class="stage">
          <Figures
            figures={[...question.figures, figure(question.figures.length > 0 ? "your spec" : "", placement)]}
            faded={refusal !== null}
            {...room}
          />
          {/* Over the picture of another spec, so that nothing moves. */}
          <div class="covers">
            {refusal && <p class="means">{refusal.meaning}</p>}
            {narrow && <Trouble state={state} sheet={sheet} question={question} />}
          </div>
        </div>
        <div class="hidden" aria-live="polite">
          {editor.now.announced}
        </div>
      </div>
    );
  }
  const { after, asks: low, bare, beside, instead, pictured } = arranged(question, mesh, width, narrow);
  // The tasks of a timeline are those that are moved, and arrays those that are chosen: they need not be listed too.
  const listed = question.fields.some((f) => f.form === "timeline" || typed(question, f)) ? [] : question.figures;
  const faded = Boolean(after) && !state.judged(question);
  const given = listed.map((f) => (isBare(f) ? { ...f, placement: null } : f));
  return (
    <div class="work">
      <Figures
        figures={beside && after ? [...given, after] : given}
        over={pictured && overPicture(state, question, pictured, mesh)}
        faded={beside && faded}
        {...{ low, beside }}
        {...room}
      />
      <Answer state={state} question={question} mesh={mesh} narrow={narrow} pictured={pictured} />
      {result}
      {/* Where it has room, what the last answer gives takes the place of the mesh, and stays until another is checked. */}
      {bare.length > 0 && (
        <div class={instead ? "instead" : ""}>
          <Figures figures={instead && after ? [after] : bare} faded={faded && instead} low={low} {...room} />
        </div>
      )}
    </div>
  );
}

function isBare({ placement }: FigureData): boolean {
  return placement?.shape === null;
}

/**
 * Where pictures stand. The devices to choose from are the mesh, and so is part of what an answer gives: it need not be
 * drawn twice.
 */
export function arranged(question: Question, mesh: MeshModel, width: number, narrow: boolean) {
  const devices = question.fields.filter((f) => f.form === "devices" && mesh.size <= MOST_BUTTONS);
  const asks = devices.length > 0;
  // Where the array is drawn, devices are chosen on its mesh.
  const pictured = devices.length === 1 && question.figures[0]?.placement?.shape ? devices[0] : undefined;
  // Where an answer would be right is drawn beside it, or with the verdict.
  const beside = pictured !== undefined && !narrow && width >= PAIR;
  const bare = asks ? [] : question.figures.filter(isBare).map((f) => ({ ...f, types: [] }));
  const after = question.feedback?.figure ?? null;
  const instead = bare.length > 0 && width >= PAIR;
  const said = beside || instead || question.playground ? null : after;
  return { after, asks, bare, beside, instead, pictured, said };
}

/** The buttons of a field on the devices of the first picture. */
function overPicture(state: ExerciseState, question: Question, field: Field, mesh: MeshModel): Over {
  return (boxOf) => <DevicesField state={state} question={question} field={field} mesh={mesh} boxOf={boxOf} />;
}

/** What is filled in, and in narrow cards the button that has it checked. */
function Answer({
  state,
  question,
  mesh,
  narrow,
  pictured,
}: Pick<Props, "state" | "question" | "mesh" | "narrow"> & { pictured?: Field | undefined }) {
  if (question.fields.every((f) => f.form === "code"))
    return <p class="soft">Write the function in a cell and assign it there; this card then shows the result.</p>;
  return (
    <form
      class="fields"
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        // JupyterLab keeps Enter in a field from submitting its form.
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        event.stopPropagation();
        state.check();
      }}
    >
      {!question.playground &&
        question.fields.map((f) => (
          <FieldInput state={state} question={question} field={f} mesh={mesh} pictured={f === pictured} key={f.name} />
        ))}
      {(narrow || state.saved) && (
        <p class="buttons">
          {narrow && <Check state={state} question={question} />}
          {state.saved && <span class="soft">This is a saved page: answers are checked where the notebook runs.</span>}
        </p>
      )}
    </form>
  );
}

function figure(title: string, placement: Placement): FigureData {
  return { title, placement, listing: null, types: [], tables: [] };
}
