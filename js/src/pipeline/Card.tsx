/** The card of a pipeline schedule, or of several on one scale. */

import { Head } from "../card/Head";
import { KeyedFoot } from "../card/KeyedFoot";
import { Opened } from "../card/Opened";
import { Says } from "../card/Says";
import { Segments } from "../card/Tools";
import { Canvas, Reading } from "./Canvas";
import { Figures } from "./Figures";
import { KEYS } from "./keys";
import { Legend } from "./Legend";
import { answerOf, badgesOf, comparedText, fractionText, sizeText } from "./model/words";
import type { PipelineState } from "./state";
import { NARROW } from "./state";
import { Tools } from "./Tools";

export function PipelineCard({ state }: { state: PipelineState }) {
  const shown = state.shown();
  const schedule = shown?.models[0];
  if (!shown || !schedule) return null;
  const { several, width, opened, schedules, steps } = state.now;
  const notes = new Set(shown.models.flatMap((m) => m.doc.note || []));
  return (
    <div class={several ? "pipeline several" : "pipeline"}>
      <Head
        name={several ? "" : schedule.doc.name || "schedule"}
        title={several ? `${shown.models.length} schedules` : sizeText(schedule)}
        axes={schedule.mesh?.axes}
        badges={several ? [] : badgesOf(schedule)}
        go={(to) => state.show(to)}
        at={state.now.follow === null ? "" : "sends"}
        says={
          <Says also={several ? undefined : fractionText(schedule)}>
            {several ? comparedText(shown.models) : answerOf(schedule)}
          </Says>
        }
      >
        {several && <span class="soft">{sizeText(schedule)}</span>}
        {several && width < NARROW && (
          <Segments
            legend="schedule"
            of={schedules.map((doc, i) => [i, doc.name])}
            value={opened}
            choose={(i) => state.set({ opened: i, at: null })}
          />
        )}
      </Head>
      <Tools state={state} models={shown.models} />
      <Canvas state={state} shown={shown} />
      {[...notes].map((text) => (
        <p class="note" key={text}>
          {text}
        </p>
      ))}
      {several && <Figures models={shown.models} />}
      <Reading state={state} shown={shown} />
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
      <KeyedFoot keys={KEYS} idle={state.now.stepped ? [] : ["Enter"]}>
        <Legend state={state} models={shown.models} />
      </KeyedFoot>
    </div>
  );
}
