/** What the step costs, in one line: bytes of a device, bytes over each axis so far, an estimate of time. */

import { Foot } from "../card/Foot";
import { Interconnects } from "../card/Interconnects";
import { bytes, duration } from "../core/format";
import { axisToken } from "../draw/marks";
import { inkKind } from "./kind";
import type { TraceModel } from "./model/trace";
import { sentBy, trafficAt } from "./model/traffic";
import type { StepperState } from "./state";

/** Axes that have room for a bar. */
const MOST = 3;

export function Bill({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const step = state.step();
  const c = trace.sends(step);
  const under = trace.underWay(state.now.moment.step).at(-1);
  const plan = step && c ? trace.plan(step, state.now.algorithm) : null;
  const hops = plan && plan.algorithm !== "meaning" ? plan.rounds.length : (c?.hops ?? 0);
  return (
    <Foot>
      <span>
        {step && trace.end(step) === "done" ? (
          "counted at its start"
        ) : c && step ? (
          <>
            <b>{bytes(sentBy(trace, step, state.now.algorithm))}</b> sent per device
          </>
        ) : (
          "no communication"
        )}
      </span>
      {c && (plan?.algorithm === "meaning" || plan?.algorithm === "ring") && (
        <span class="why mono">{c.arithmetic}</span>
      )}
      {under && <span class="why">{state.now.parts?.meanwhile(trace, under)}</span>}
      {state.now.paper && plan && <span>played as {plan.algorithm}</span>}
      <Bars state={state} trace={trace} />
      <Estimate
        state={state}
        trace={trace}
        hops={`${hops} ${hops === 1 ? "hop" : "hops"}${plan?.algorithm === "meaning" && hops > 1 ? " as a ring" : ""}`}
      />
    </Foot>
  );
}

/** Bytes of all devices over the links of each axis: arrived, on their way, still to come. */
function Bars({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const all = trafficAt(trace, state.now.moment, state.now.algorithm);
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

/** Hops of the step, and its time on the interconnect that is chosen. */
function Estimate({ state, trace, hops }: { state: StepperState; trace: TraceModel; hops: string }) {
  const { interconnects } = trace.doc;
  const step = state.step();
  const c = step && trace.end(step) === "done" ? null : trace.sends(step);
  const estimated = trace.steps.some((s) => (s.collective?.latency.length ?? 0) > 0);
  if (interconnects.length === 0 || !estimated) return c && <span>{hops}</span>;
  const k = state.now.interconnect;
  const [latency, bandwidth] = [c?.latency[k] ?? 0, c?.bandwidth[k] ?? 0];
  const why = `estimate: latency ${duration(latency)}; bandwidth alone ${duration(bandwidth)}`;
  return (
    <>
      <span>
        {c && (
          <>
            {hops}, <b title={why}>≈ {duration(Math.max(latency, bandwidth))}</b>
          </>
        )}{" "}
        <Interconnects
          label="on"
          names={interconnects}
          value={k}
          choose={(interconnect) => state.set({ interconnect })}
        />
      </span>
      {c && (
        <span class="why" title={why}>
          estimate, {latency >= bandwidth ? "latency bound" : "bandwidth bound"}
        </span>
      )}
    </>
  );
}
