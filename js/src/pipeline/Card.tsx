/** The card of a pipeline schedule, or of several on one scale. */
import { Opened } from "../card/Opened";
import { Canvas } from "./Canvas";
import { Figures } from "./Figures";
import { Head } from "./Head";
import { Legend } from "./Legend";
import type { PipelineState } from "./state";
import { NARROW } from "./state";
import { Tools } from "./Tools";

export function PipelineCard({ state }: { state: PipelineState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { several, width, opened, schedules, steps } = state.now;
  const notes = [...new Set(shown.models.flatMap((m) => [m.doc.note, m.remark].filter((text) => text !== "")))];
  return (
    <div class={several ? "pipeline several" : "pipeline"}>
      <Head state={state} models={shown.models} />
      {several && width < NARROW && (
        <fieldset class="segments tabs">
          <legend>schedule</legend>
          {schedules.map((doc, i) => (
            <button
              type="button"
              aria-pressed={i === opened}
              onClick={() => state.set({ opened: i, at: null })}
              key={i}
            >
              {doc.name}
            </button>
          ))}
        </fieldset>
      )}
      <Tools state={state} models={shown.models} />
      <Legend state={state} models={shown.models} />
      <Canvas state={state} shown={shown} />
      {notes.map((text) => (
        <p class="note" key={text}>
          {text}
        </p>
      ))}
      {several && <Figures models={shown.models} />}
      {steps && (
        <div class="steps">
          {steps === "asked" || "error" in steps ? (
            <p class="note" role="status">
              {steps === "asked" ? "running the function …" : steps.error}
            </p>
          ) : (
            <Opened source={steps.source} model={steps.model} />
          )}
        </div>
      )}
    </div>
  );
}
