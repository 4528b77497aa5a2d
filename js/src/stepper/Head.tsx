/** The head of the card: what is shown, what it sends, and what the step does. */

import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import { Walk } from "../card/Walk";
import { bytes, duration } from "../core/format";
import { type Badge, count } from "../core/text";
import { saysOf, whereOf } from "./model/says";
import type { TraceModel } from "./model/trace";
import { sentBy } from "./model/traffic";
import { whyOf } from "./model/why";
import { NARROW, SMALL } from "./sizes";
import type { StepperState } from "./state";
import { Tabs } from "./Tabs";

export function StepperHead({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const { moment, sends, width } = state.now;
  const step = state.step();
  const failed = step?.primitive === "error" ? trace.doc.error : null;
  const collectives = trace.steps.flatMap((s, i) => (trace.communicates(s) && trace.end(s) !== "done" ? [i] : []));
  return (
    <Head
      title={trace.doc.name}
      axes={trace.mesh.axes}
      badges={badgesOf(state, trace, collectives.length)}
      go={() => state.set({ sends: !sends, listed: width < NARROW ? "steps" : null })}
      at={sends ? SENDS : ""}
      says={
        step && (
          <Says
            also={whereOf(trace, step, moment.step)}
            walk={
              <Walk
                at={collectives.indexOf(moment.step)}
                of={collectives.length}
                go={(by) => state.use((parts) => parts.act(by < 0 ? "[" : "]"))}
              />
            }
          >
            <Phrase trace={trace} text={failed ? whyOf(failed).first.replace(/\.$/, "") : saysOf(trace, step)} />
          </Says>
        )
      }
    >
      {width < NARROW && <Tabs state={state} trace={trace} />}
    </Head>
  );
}

/** Of the badge that leaves only collectives in the list. */
const SENDS = "sends";

/** How many collectives there are, what this step sends and how long that takes: as many badges at every step. */
function badgesOf(state: StepperState, trace: TraceModel, collectives: number): Badge[] {
  const [strong = "", text = ""] = count(collectives, "collective").split(" ");
  const out: Badge[] = [{ strong, text, tone: "plain", ...(collectives > 0 && { to: SENDS }) }];
  if (collectives === 0) return out;
  const step = state.step();
  const c = trace.sends(step);
  const counted = step && c && trace.end(step) !== "done" ? c : null;
  const sent = counted && step ? sentBy(trace, step, state.now.algorithm) : 0;
  const { interconnect: k, width } = state.now;
  // In small cards the way through the collectives stands beside them.
  const walked = width < SMALL && collectives > 1;
  const beside = width >= SMALL && width < NARROW;
  const per = (walked && width < 468) || (beside && width < 760) ? "sent" : "sent per device";
  out.push({ strong: bytes(sent), text: per, tone: "plain", title: "sent per device" });
  const name = trace.doc.interconnects[k];
  // Badges beside mesh axes leave them their room: what the estimate is for stands under the picture too.
  const room = beside ? width > 640 : width > 428 && !walked;
  if (room && name && trace.steps.some((s) => s.collective?.latency.length)) {
    const time = Math.max(counted?.latency[k] ?? 0, counted?.bandwidth[k] ?? 0);
    const about = `${name}, estimate`;
    out.push({ strong: `≈ ${duration(time)}`, text: beside ? "" : about, tone: "plain", title: about });
  }
  return out;
}

/** A sentence with its mesh axes in their colours. */
export function Phrase({ trace, text }: { trace: TraceModel; text: string }) {
  const names = new Set(trace.mesh.axes.map((a) => a.name));
  const axisOf = (word: string) => (names.has(word) ? trace.mesh.axisOf(word) : null);
  return <Tokens tokens={text.split(/(\b[\w]+\b)/).map((word) => ({ text: word, axis: axisOf(word) }))} />;
}
