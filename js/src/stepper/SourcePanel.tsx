/** The user's own lines, with the one that the step comes from. */

import { keepLineInView } from "../card/scroll";
import { axisKind } from "./kind";
import { dedented } from "./model/listing";
import type { TraceModel } from "./model/trace";
import { Rails } from "./Rails";
import type { StepperState } from "./state";

export function SourcePanel({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const step = state.step();
  const source = step?.source ?? null;
  const listing =
    trace.doc.listings.find(
      (l) => l.file === source?.file && source.line >= l.first_line && source.line < l.first_line + l.lines.length,
    ) ?? trace.doc.listings[0];
  if (!listing) return null;
  const kind = axisKind(trace, step);
  const lineOf = (at: number) => trace.step(at)?.source?.line ?? 0;
  const transfers = trace
    .underWay(state.now.moment.step)
    .filter(({ start, done }) => [start, done ?? start].every((at) => trace.step(at)?.source?.file === listing.file));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: many lines are scrolled by keyboard
    <section class="source" aria-label={`source of ${state.name()}`} tabIndex={0}>
      <ol class={transfers.length > 0 ? "mono railed" : "mono"}>
        {dedented(listing.lines).map((text, i) => {
          const number = listing.first_line + i;
          const current = source?.file === listing.file && source.line === number;
          const indent = text.length - text.trimStart().length;
          return (
            <li class={current ? `current ${kind}` : ""} ref={current ? keepLineInView : null} key={number}>
              {transfers.length > 0 && (
                <Rails
                  of={state.now.parts?.railsOf(trace, { transfers, place: lineOf, from: number, to: number, x: 6 })}
                />
              )}
              <span class="number">{number}</span>
              <code style={{ paddingLeft: `${Math.min(8, indent / 2) + 2}ch` }}>
                {text
                  .trimStart()
                  .split(/(?<=[(,=])/)
                  .map((part) => [part, <wbr key={part} />])}
              </code>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
