/** What is on its way at a moment, in one line under the picture. */
import type { Plan } from "./document.gen";
import { type Moment, roundAt } from "./timeline";
import { reduces, type TraceModel } from "./trace";

/** `hop 2 of 3. 8+: a sum that waits for copies on their way`; empty when nothing moves. */
export function caption(trace: TraceModel, { step: at, phase }: Moment, algorithm: Plan["algorithm"]): string {
  const step = trace.step(at);
  if (!step || !trace.communicates(step)) return "";
  const plan = trace.plan(step, algorithm);
  const rounds = plan?.rounds.length ?? 0;
  const { round, progress } = roundAt(rounds, phase);
  if (rounds === 0 || (progress >= 1 && round + 1 >= rounds)) return "";
  const hop = rounds > 1 ? `hop ${round + 1} of ${rounds}` : "";
  return [hop, reduces(step.collective) ? "+ marks a sum that waits for more" : ""].filter((s) => s !== "").join("; ");
}
