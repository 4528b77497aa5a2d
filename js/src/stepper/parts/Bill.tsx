/** What a step sends: how its bytes are counted, bytes over each axis so far, what the estimate of time is for. */

import { Interconnects } from "../../card/Interconnects";
import { bytes, duration } from "../../core/format";
import { count } from "../../core/text";
import { axisToken } from "../../draw/marks";
import { inkKind } from "../kind";
import { trafficAt } from "../model/traffic";
import { meanwhile } from "../model/transit";
import type { StepperState } from "../state";

/** Axes that have room for a bar. */
const MOST = 3;

export function Bill({ state }: { state: StepperState }) {
  const { trace, moment, algorithm, paper } = state.now;
  const step = state.step();
  if (!trace || !step) return null;
  const c = trace.end(step) === "done" ? null : trace.sends(step);
  const under = trace.underWay(moment.step).at(-1);
  const plan = c ? trace.plan(step, algorithm) : null;
  return (
    <div class="counts acts">
      <Estimate state={state} />
      <Bars state={state} />
      {under ? (
        <span class="why">{meanwhile(trace, under)}</span>
      ) : (
        (plan?.algorithm === "meaning" || plan?.algorithm === "ring") && <span class="why mono">{c?.arithmetic}</span>
      )}
      {paper && plan && <span>played as {plan.algorithm}</span>}
    </div>
  );
}

/** Bytes of all devices over the links of each axis: arrived, on their way, still to come. */
function Bars({ state }: { state: StepperState }) {
  const { trace, moment, algorithm } = state.now;
  if (!trace) return null;
  const all = trafficAt(trace, moment, algorithm);
  return (
    <>
      {all.slice(0, MOST).map(({ axis, arrived, flying, total }) => {
        const name = trace.mesh.axes[axis]?.name ?? "";
        const kind = axisToken(axis);
        return (
          <span class={`traffic ${kind}`} key={name} title={`bytes of all devices over links of ${name}`}>
            <b class={`mono ${inkKind(kind)}`}>{name}</b>
            <span class="bar" aria-hidden="true">
              <i style={{ width: `${(100 * arrived) / total}%` }} />
              <i class="flying" style={{ width: `${(100 * flying) / total}%` }} />
            </span>
            <span>
              <b style={{ minWidth: `${bytes(Math.round(total)).length}ch` }}>{bytes(Math.round(arrived))}</b> of{" "}
              {bytes(Math.round(total))}
            </span>
          </span>
        );
      })}
    </>
  );
}

/** Hops of the step, and the interconnect that its time is estimated for. */
function Estimate({ state }: { state: StepperState }) {
  const { trace, algorithm, interconnect: k } = state.now;
  const step = state.step();
  if (!trace || !step) return null;
  const c = trace.end(step) === "done" ? null : trace.sends(step);
  const plan = c ? trace.plan(step, algorithm) : null;
  const hops = plan && plan.algorithm !== "meaning" ? plan.rounds.length : (c?.hops ?? 0);
  const { interconnects } = trace.doc;
  const [latency, bandwidth] = [c?.latency[k] ?? 0, c?.bandwidth[k] ?? 0];
  const bound = latency >= bandwidth ? "latency" : "bandwidth";
  const why = `estimate, ${bound} bound: latency ${duration(latency)}; bandwidth alone ${duration(bandwidth)}`;
  const estimated = interconnects.length > 0 && trace.steps.some((s) => (s.collective?.latency.length ?? 0) > 0);
  return (
    <span title={c && estimated ? why : ""}>
      {c && `${count(hops, "hop")}${plan?.algorithm === "meaning" && hops > 1 ? " as a ring" : ""} `}
      {estimated && (
        <Interconnects
          label="on"
          names={interconnects}
          value={k}
          choose={(interconnect) => state.set({ interconnect })}
        />
      )}
    </span>
  );
}
