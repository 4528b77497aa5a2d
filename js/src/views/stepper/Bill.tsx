/** What the step costs: bytes, hops, totals by mesh axis, an estimate of time. */
import { bytes } from "../../model/text";
import { roundAt } from "../../model/timeline";
import type { TraceModel } from "../../model/trace";
import { AXIS_DASH } from "../../scene/scene";
import type { StepperState } from "./state";

export function Bill({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const step = state.step();
  const c = step && trace.communicates(step) ? step.collective : null;
  const plan = step && c ? trace.plan(step, state.now.algorithm) : null;
  const rounds = plan?.rounds.length ?? 0;
  const at = roundAt(rounds, state.now.moment.phase);
  const hop = state.now.moment.phase >= 1 ? rounds : at.round + 1;
  const note = trace.doc.note && <p class="soft">{trace.doc.note}</p>;
  if (!trace.steps.some((s) => trace.communicates(s))) return note ? <div class="bill">{note}</div> : null;
  return (
    <div class="bill">
      <dl>
        <dt>sent per device</dt>
        <dd>{c ? bytes(c.bytes_per_device) : "0 B"}</dd>
        <dd class="soft">{c ? c.arithmetic : "no communication"}</dd>
      </dl>
      <dl>
        <dt>{plan && plan.algorithm !== "meaning" ? "hop" : "hops as a ring"}</dt>
        <dd>{c ? (plan && plan.algorithm !== "meaning" ? `${hop} of ${rounds}` : c.hops) : 0}</dd>
        <dd class="soft">{c ? groups(trace.groups(c).length, c.group_size) : ""}</dd>
      </dl>
      <Totals state={state} trace={trace} />
      <Estimate state={state} trace={trace} />
      {note}
    </div>
  );
}

/** Bytes that all devices sent up to and with this step, by axis. */
function Totals({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const totals = trace.mesh.axes.map(() => 0);
  let all = 0;
  trace.steps.forEach((s, i) => {
    const c = trace.communicates(s) ? s.collective : null;
    if (!c) return;
    const sent = c.bytes_per_device * trace.mesh.size;
    all = Math.max(all, sent);
    if (i > state.now.moment.step) return;
    // A collective over several axes is counted on its first: the others carry a part of the same ring.
    const axis = trace.mesh.axisOf(c.axes[0] ?? "");
    totals[axis] = (totals[axis] ?? 0) + sent;
  });
  const most = Math.max(all, ...totals, 1);
  return (
    <dl class="totals">
      <dt>sent so far, by axis</dt>
      {trace.mesh.axes.map((a, i) => (
        <dd class={`axis${i % AXIS_DASH.length}`} key={a.name}>
          <b class={`mono ink${i % AXIS_DASH.length}`}>{a.name}</b>
          <span class="bar" style={{ width: `${Math.max(2, (110 * (totals[i] ?? 0)) / most)}px` }} />
          <span class="mono">{bytes(totals[i] ?? 0)}</span>
        </dd>
      ))}
    </dl>
  );
}

function Estimate({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const { interconnects } = trace.doc;
  const step = state.step();
  const c = step && trace.communicates(step) ? step.collective : null;
  const estimated = trace.steps.some((s) => (s.collective?.latency.length ?? 0) > 0);
  if (interconnects.length === 0 || !estimated) return null;
  const k = state.now.interconnect;
  const [latency, bandwidth] = [c?.latency[k] ?? 0, c?.bandwidth[k] ?? 0];
  return (
    <dl>
      <dt>
        <label>
          estimated time on{" "}
          <select
            value={String(k)}
            onChange={(event) => state.set({ interconnect: Number(event.currentTarget.value) })}
          >
            {interconnects.map((name, i) => (
              <option value={i} key={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </dt>
      <dd>
        {c ? seconds(Math.max(latency, bandwidth)) : "0 s"}{" "}
        {c && <span class="bound">{latency >= bandwidth ? "latency bound" : "bandwidth bound"}</span>}
      </dd>
      <dd class="soft">{c ? `latency ${seconds(latency)}; bandwidth alone ${seconds(bandwidth)}` : ""}</dd>
    </dl>
  );
}

function groups(count: number, size: number): string {
  return count === 1 ? `one group of ${size}` : `${count} groups of ${size}`;
}

function seconds(s: number): string {
  for (const [unit, size] of [
    ["s", 1],
    ["ms", 1e-3],
    ["µs", 1e-6],
  ] as const) {
    if (s >= size) return `${Number((s / size).toPrecision(2))} ${unit}`;
  }
  return `${Number((s / 1e-9).toPrecision(2))} ns`;
}
