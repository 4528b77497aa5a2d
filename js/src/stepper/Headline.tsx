/** What the step does: types before and after, and what that means or what is watched. */

import { Tokens } from "../card/Tokens";
import type { Step, Variable } from "../core/document.gen";
import { axisTokens } from "../core/text";
import { axisToken } from "../draw/marks";
import { fitName } from "../draw/measure";
import { Phrase } from "./Head";
import { inkKind } from "./kind";
import { Loaded } from "./Loaded";
import type { HeadValues } from "./model/head";
import type { TraceModel } from "./model/trace";
import { whyOf } from "./model/why";
import { headAt, headHeight, linesUnder, NAME, SMALL } from "./sizes";
import type { StepperState } from "./state";

export function Headline({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const step = state.step();
  if (!step) return null;
  const { inputs, outputs, name, axes } = headAt(trace, step, state.now.width);
  const kind = axes[0] === undefined ? "" : inkKind(axisToken(trace.mesh.axisOf(axes[0])));
  const under = linesUnder(trace, step, state.now.width);
  // In the smallest cards it opens, where there is no room under the types.
  const small = state.now.width < SMALL && under < 2;
  const height = state.now.paper ? "auto" : `${headHeight(trace, state.now.width)}px`;
  return (
    <div class="headline" style={{ height, "--under": under }}>
      <div class="types mono">
        {inputs.shown.map((v) => (
          <TypeChip state={state} trace={trace} v={v} key={v.id} />
        ))}
        <More values={inputs} />
        <span class={`operation ${kind} ${step.outputs.length > 0 ? "gives" : ""}`}>
          {name}
          {step.outputs.length > 0 && <i />}
        </span>
        {outputs.shown.map((v) => (
          <TypeChip state={state} trace={trace} v={v} key={v.id} strong />
        ))}
        <More values={outputs} />
        {small && <Sentence trace={trace} step={step} />}
      </div>
      {/* In the room of the sentence, so that nothing moves. */}
      {state.now.watch.length > 0 ? (
        <div class="watching">
          <Loaded draw={state.now.parts?.watched} />
        </div>
      ) : (
        !small && <Sentence trace={trace} step={step} />
      )}
    </div>
  );
}

/** How many values have no room here; their names are in its title. */
function More({ values: { more, others } }: { values: HeadValues }) {
  return (
    more !== "" && (
      <span class="more soft" title={others}>
        {more}
      </span>
    )
  );
}

/** Where a type may go on in another line. */
const CUT = /(?<=[,[{(:@])/;

/** A value's name and type; a press watches it: every tile shows its latest value at every step. */
function TypeChip({
  state,
  trace,
  v,
  strong,
}: {
  state: StepperState;
  trace: TraceModel;
  v: Variable;
  strong?: boolean;
}) {
  const watched = state.now.watch.includes(v.name);
  const pieces = axisTokens(v.type, trace.mesh).flatMap(({ text, axis }) =>
    text.split(CUT).map((piece) => ({ text: piece, axis })),
  );
  return (
    <button
      type="button"
      class={strong ? "type after" : "type"}
      aria-pressed={watched}
      title={`${v.name} ${v.type}: ${watched ? "stop watching" : "watch at every step"}`}
      onClick={() => state.toggleWatch(v.name)}
    >
      <span class="soft">{fitName(v.name, NAME, 12.5, true)}</span>{" "}
      {pieces.map((piece, i) => [<Tokens tokens={[piece]} key={i} />, CUT.test(piece.text) && <wbr key={`${i}`} />])}
    </button>
  );
}

/** What it means; where it is cut, a press opens it. */
function Sentence({ trace, step }: { trace: TraceModel; step: Step }) {
  const { error } = trace.doc;
  const text = (step.primitive === "error" && error && whyOf(error).more) || step.sentence;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it opens where it has the focus
    <p class="sentence" title={text} tabIndex={0}>
      {step.scope >= 0 && <b>{trace.iterations(step)} </b>}
      <Phrase trace={trace} text={text} />
    </p>
  );
}
