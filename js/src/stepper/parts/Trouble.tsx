/** Why the program stops: the value in question, JAX's words, what they mean, and changes that make it run. */
import type { ComponentChildren } from "preact";
import { Tokens } from "../../card/Tokens";
import type { Fix } from "../../core/document.gen";
import { axisTokens } from "../../core/text";
import { AXIS_DASH } from "../../draw/marks";
import { primitiveName } from "../model/trace";
import { whyOf } from "../model/why";
import type { StepperState } from "../state";
import { Fixes } from "./Fixes";
import { Promised } from "./Promised";

export function Trouble({ state }: { state: StepperState }) {
  const { trace } = state.now;
  if (!trace?.doc.error) return null;
  const { error, jax_version } = trace.doc;
  const v = trace.variable(error.variable);
  const origin = trace.step(error.origin);
  // Where it began is said below, with a button.
  const more = whyOf(error).more.replace(origin ? / ?It differs along [^(]* since step \d+.*$/s : "", "");
  return (
    <div class="trouble" role="alert">
      {more && <p class="means">{more}</p>}
      {v && error.kind === "out_specs" && <Promised state={state} trace={trace} v={v} />}
      {error.fixes.length > 0 && (
        <>
          <h3>{headOf(error.fixes)}</h3>
          <Fixes
            state={state}
            fixes={error.fixes}
            listings={trace.doc.listings}
            key={`${state.now.width} ${state.layout()?.height}`}
          />
        </>
      )}
      {(v || origin || error.axes.length > 0) && (
        <dl class="facts">
          {v && (
            <Fact name="value">
              <span class="mono">
                {v.name}{" "}
                <b>
                  <Tokens tokens={axisTokens(v.type, trace.mesh)} />
                </b>
              </span>
            </Fact>
          )}
          {error.axes.length > 0 && (
            <Fact name={error.axes.length === 1 ? "mesh axis" : "mesh axes"}>
              {error.axes.map((name) => (
                <b class={`mono ink${trace.mesh.axisOf(name) % AXIS_DASH.length}`} key={name}>
                  {name}{" "}
                </b>
              ))}
            </Fact>
          )}
          {origin && (
            <Fact name="since">
              <button type="button" class="mono" onClick={() => state.jump(error.origin)}>
                step {trace.number(error.origin)}, {primitiveName(origin)}
                {origin.source && `, line ${origin.source.line}`}
              </button>
            </Fact>
          )}
        </dl>
      )}
      <div class="words">
        <details class="jax">
          <summary class="mono cut">
            {error.kind === "user" ? "" : `JAX ${jax_version}: `}
            {error.error}: {error.message.split("\n", 1)[0]}
          </summary>
          <pre>{error.message}</pre>
        </details>
        {error.traceback && (
          <details>
            <summary>Traceback</summary>
            <pre>{error.traceback}</pre>
          </details>
        )}
      </div>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** How many changes make it run, and how many of them give what the function gives on the whole array. */
function headOf(fixes: readonly Fix[]): string {
  const [all, meant] = [fixes.length, fixes.filter(({ value }) => value === "same").length];
  const run = all === 1 ? "One change makes it run" : `${all} changes make it run`;
  if (meant === 0) return run;
  return `${run}; ${meant === all ? (all === 1 ? "it gives" : "all give") : `${meant} ${meant === 1 ? "gives" : "give"}`} the value of the whole array`;
}
