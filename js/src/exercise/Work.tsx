/** The place to work: things to look at, the form to fill in, and what the answer would give. */

import type { ComponentChildren } from "preact";
import { Tokens } from "../card/Tokens";
import type { Scheme } from "../core/color";
import type { Exercises, Field, Figure as FigureData, Placement, Question } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import { PlacementModel } from "../core/placement";
import { axisTokens } from "../core/text";
import type { Box } from "../draw/marks";
import type { Theme } from "../draw/paint/theme";
import { EditorSheet } from "../playground/public";
import { Trouble } from "./Bands";
import { Canvas, fitsBeside } from "./Canvas";
import { Check } from "./Check";
import { MOST_BUTTONS } from "./Devices";
import { DevicesField, FieldInput } from "./FieldInput";
import { taskOf } from "./model/moving";
import { Result } from "./Result";
import type { ExerciseState } from "./state";
import { lookOf } from "./TaskOrder";

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

/** Width of a mesh without an array. */
const BARE = 360;
/** Two placements stand side by side from this width on. */
const PAIR = 600;

export function Work({ state, sheet, question, mesh, theme, width, narrow }: Props) {
  const editor = state.editor(question);
  const room = { theme, width, mesh, narrow, paper: state.now.paper };
  const result = narrow && (
    <section
      class="result"
      aria-label={`what came of the last answer, ${state.name()}`}
      tabIndex={question.feedback ? 0 : undefined}
    >
      <Result state={state} question={question} mesh={mesh} />
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
  const after = question.feedback?.figure;
  // The devices to choose from are the mesh, and so is part of what an answer gives: it need not be drawn twice. What
  // changes with an answer stands below the fields, so that they stay where they are.
  const devices = question.fields.filter((f) => f.form === "devices" && mesh.size <= MOST_BUTTONS);
  const asks = devices.length > 0;
  // Where the array is drawn, devices are chosen on its mesh.
  const pictured = devices.length === 1 && question.figures[0]?.placement?.shape ? devices[0] : undefined;
  // Where an answer would be right is drawn beside it, or below.
  const beside = pictured !== undefined && !narrow && width >= PAIR;
  const low = asks;
  const isBare = (f: FigureData) => f.placement?.shape === null;
  // The tasks of a timeline are those that are moved: they need not be listed too.
  const listed = question.fields.some((f) => f.form === "timeline") ? [] : question.figures;
  const faded = Boolean(after) && !state.judged(question);
  const given = listed.map((f) => (isBare(f) ? { ...f, placement: null } : f));
  const bare = asks ? [] : question.figures.filter(isBare).map((f) => ({ ...f, types: [] }));
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
      {/* What the last answer gives stays until another is checked, so that nothing moves. */}
      {!beside && <Figures figures={after ? [after] : bare} faded={faded} low={low} {...room} />}
    </div>
  );
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

type Over = (boxOf: (position: number) => Box) => ComponentChildren;

interface FiguresProps {
  figures: readonly FigureData[];
  /** What stands over the first picture. */
  over?: Over | undefined;
  /** Whether the last one no longer matches the answer. */
  faded?: boolean;
  /** Whether pictures are low, as several are; whether another has room beside them. */
  low?: boolean;
  beside?: boolean;
  theme: Theme;
  width: number;
  mesh: MeshModel;
  narrow: boolean;
  /** Whether the card is printed: then an exercise keeps to a sheet. */
  paper: boolean;
}

function Figures({ figures, over, faded, low, beside, theme, width, mesh, narrow, paper }: FiguresProps) {
  const pictures = figures.flatMap(({ placement }) => (placement?.shape ? [placement] : []));
  const several = pictures.length > 1;
  const half = (width - 24) / 2;
  const pair = beside || (!narrow && width >= PAIR && several && pictures.every((p) => fitsBeside(p, half)));
  const each = pair ? half : width;
  return (
    <div class={pair ? "figures pair" : "figures"}>
      {figures.map((figure, i) => (
        <figure class={faded && i === figures.length - 1 ? "faded" : ""} key={`${figure.title} ${i}`}>
          {figure.types.length > 0 && (
            <ul class="types mono">
              {figure.types.map((type) => (
                <li key={type}>
                  <Tokens tokens={axisTokens(type, mesh)} />
                </li>
              ))}
            </ul>
          )}
          {figure.listing && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
            <section class="listing" tabIndex={0} aria-label={`source of ${figure.title}`}>
              <pre>
                <Tokens tokens={axisTokens(figure.listing.lines.join("\n"), mesh)} />
              </pre>
            </section>
          )}
          {figure.title && !figure.listing && (
            <figcaption>
              <Tokens tokens={axisTokens(caption(figure), mesh)} />
            </figcaption>
          )}
          {figure.placement && (
            <Canvas
              placement={figure.placement}
              title={figure.title}
              over={i === 0 ? over : undefined}
              theme={theme}
              low={low || paper || several}
              width={figure.placement.shape === null ? Math.min(each, BARE) : each}
            />
          )}
          {figure.tables.length > 0 && <Tables figure={figure} scheme={theme.scheme} />}
        </figure>
      ))}
    </div>
  );
}

function caption(figure: FigureData): string {
  const { placement, title } = figure;
  return placement?.type && !title.includes(placement.type) ? `${title}   ${named(placement)}` : title;
}

function named(placement: Placement): string {
  return `${placement.type}   ${placement.spec ?? ""}`;
}

function Tables({ figure, scheme }: { figure: FigureData; scheme: Scheme }) {
  const tasks = figure.tables.flatMap(({ rows }) => rows.flat());
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables are scrolled by keyboard
    <section class="tables" tabIndex={0} aria-label={`numbers of ${figure.title || "the question"}`}>
      {figure.tables.map((table) => (
        <table class="mono" key={table.title}>
          <caption>{table.title}</caption>
          <tbody>
            {table.rows.map((row, r) => (
              <tr key={r}>
                {row.map((cell, c) => {
                  const task = taskOf(cell);
                  return (
                    <td class={task ? "task" : ""} style={task ? lookOf(task, tasks, scheme) : undefined} key={c}>
                      {cell}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </section>
  );
}
