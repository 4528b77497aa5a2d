/** The place to work: things to look at, the form to fill in, and what the answer would give. */
import type { Field, Figure as FigureData, Placement, Question } from "../../model/document.gen";
import { type Preview, preview, readSpec, UNFINISHED, withAxis } from "../../model/exercise";
import type { MeshModel } from "../../model/mesh";
import { axisTokens } from "../../model/text";
import type { Theme } from "../../paint/theme";
import { AXIS_DASH } from "../../scene/scene";
import { Tokens } from "../Tokens";
import { MOST_BUTTONS } from "./Devices";
import { FieldInput } from "./FieldInput";
import { Picture } from "./Picture";
import type { ExerciseState } from "./state";

interface Props {
  state: ExerciseState;
  question: Question;
  mesh: MeshModel;
  theme: Theme;
  width: number;
}

/** Width of a mesh without an array. */
const BARE = 360;
/** Two placements stand side by side from this width on. */
const PAIR = 620;

export function Work({ state, question, mesh, theme, width }: Props) {
  const spec = question.fields.find((f) => f.form === "spec" && f.shape.length > 0);
  const live = spec ? preview(question, spec, state.draft()[spec.name] ?? "") : null;
  const after = state.judged() && !spec ? question.feedback?.figure : null;
  const code = question.fields.every((f) => f.form === "code");
  // The devices to choose from are the mesh, and so is part of what an answer gives: it need not be drawn twice.
  const asks = question.fields.some((f) => f.form === "devices") && mesh.size <= MOST_BUTTONS;
  const bare = asks || after?.placement;
  const given = question.figures.map((f) => (bare && f.placement?.shape === null ? { ...f, placement: null } : f));
  const room = { theme, width, mesh };
  return (
    <form
      class="work"
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        // JupyterLab keeps Enter in a field from submitting its form.
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        event.stopPropagation();
        state.check();
      }}
    >
      <Axes mesh={mesh} spec={spec} state={state} />
      {!spec && <Figures figures={given} {...room} />}
      {code ? (
        <p class="soft">Write the function in a cell and assign it there; this card then says what came of it.</p>
      ) : (
        <div class="fields">
          {question.fields.map((f) => (
            <FieldInput state={state} question={question} field={f} mesh={mesh} key={f.name} />
          ))}
          <p class="buttons">
            <button type="button" class="primary check" disabled={!state.mayCheck()} onClick={() => state.check()}>
              {state.now.waiting && !state.still ? "Checking" : "Check"}
            </button>
            {state.still && <span class="soft">A saved page: answers are checked where the notebook runs.</span>}
          </p>
        </div>
      )}
      {spec && live && (
        <>
          <PreviewLine live={live} mesh={mesh} counted={state.judged()} />
          <Figures
            figures={[...given, figure("your spec", live.placement ?? preview(question, spec, "P()").placement)]}
            faded={live.placement === null}
            {...room}
          />
        </>
      )}
      {after && <Figures figures={[after]} {...room} />}
    </form>
  );
}

/** What the spec that is being written gives, before it is checked. */
function PreviewLine({ live, mesh, counted }: { live: Preview; mesh: MeshModel; counted: boolean }) {
  if (!live.placement) {
    const soft = live.problem === "" || live.problem === UNFINISHED;
    return <p class={soft ? "preview soft" : "preview off"}>{live.problem || "write a spec to see it"}</p>;
  }
  return (
    <p class="preview">
      <b class="mono">
        <Tokens tokens={axisTokens(live.placement.type, mesh)} />
      </b>
      <span class="soft">{counted ? "" : "preview, check to count it"}</span>
    </p>
  );
}

function figure(title: string, placement: Placement | null): FigureData {
  return { title, placement, listing: null, types: [], tables: [] };
}

/** The mesh axes; where a spec is written, a press puts one on the next free dimension, or takes it off. */
function Axes({ mesh, spec, state }: { mesh: MeshModel; spec: Field | undefined; state: ExerciseState }) {
  if (mesh.axes.length === 0) return null;
  if (spec) {
    const text = state.draft()[spec.name] ?? "";
    const used = new Set(readSpec(text)?.entries.flat());
    return (
      <p class="axes">
        <span class="soft">mesh axes</span>
        {mesh.axes.map((a, i) => (
          <button
            type="button"
            class={`chip axis${i % AXIS_DASH.length}`}
            aria-pressed={used.has(a.name)}
            title={used.has(a.name) ? `take ${a.name} off` : `put ${a.name} on the next dimension that is whole`}
            onClick={() => state.fill(spec.name, withAxis(text, a.name, spec.shape.length))}
            key={a.name}
          >
            <b>{a.name}</b> {a.size}
          </button>
        ))}
        <span class="soft">press one to place it, or write the spec</span>
      </p>
    );
  }
  return (
    <p class="axes">
      <span class="soft">mesh axes</span>
      {mesh.axes.map((a, i) => (
        <span class={`chip axis${i % AXIS_DASH.length}`} key={a.name}>
          <b>{a.name}</b> {a.size}
        </span>
      ))}
    </p>
  );
}

interface FiguresProps {
  figures: readonly FigureData[];
  /** Whether the last one shows nothing that is so. */
  faded?: boolean;
  theme: Theme;
  width: number;
  mesh: MeshModel;
}

function Figures({ figures, faded, theme, width, mesh }: FiguresProps) {
  const pair = width >= PAIR && figures.filter((f) => f.placement?.shape).length > 1;
  const each = pair ? (width - 24) / 2 : width;
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
            <Picture
              placement={figure.placement}
              title={figure.title}
              theme={theme}
              width={figure.placement.shape === null ? Math.min(each, BARE) : each}
            />
          )}
          {figure.tables.length > 0 && <Tables figure={figure} />}
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

function Tables({ figure }: { figure: FigureData }) {
  return (
    <div class="tables">
      {figure.tables.map((table) => (
        <table class="mono" key={table.title}>
          <caption>{table.title}</caption>
          <tbody>
            {table.rows.map((row, r) => (
              <tr key={r}>
                {row.map((cell, c) => (
                  <td key={c}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}
