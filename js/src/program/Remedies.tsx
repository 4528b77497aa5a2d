/** What to write instead: nothing is offered that was not compiled. The button asks Python; a saved page says how. */

import { AskButton } from "../card/Attempts";
import { copyText } from "../card/copy";
import type { Remedy } from "../core/document.gen";
import { bytes, duration } from "../core/format";
import { lowered } from "./memory/model/words";
import type { Lowers, ProgramState } from "./state";

const WORDS: Record<Lowers, { button: string; python: string; how: string; each: string; none: string }> = {
  peak: {
    button: "Try what lowers the peak",
    python: "view.remedies()",
    how: "compiles it with jax.checkpoint, donations and other specs, and says what lowers the peak.",
    each: "Each was compiled; the peak with it:",
    none: "Nothing that was compiled lowers the peak: jax.checkpoint, donations, other specs.",
  },
  communication: {
    button: "Try what communicates less",
    python: 'view.remedies("communication")',
    how: "compiles it with other constraints and specs, and says what communicates less.",
    each: "Each was compiled; what a device sends with it:",
    none: "Nothing that was compiled communicates less: other constraints, other specs.",
  },
};

export function Remedies({ state, lowers }: { state: ProgramState; lowers: Lowers }) {
  const { tried, waiting } = state.remedies(lowers);
  const words = WORDS[lowers];
  const { found, trouble } = tried ?? {};
  return (
    <div class="remedies acts">
      {!state.saved && (
        <AskButton last={tried} waiting={waiting} ask={() => state.tryRemedies(lowers)}>
          {words.button}
        </AskButton>
      )}
      <span role="status">
        {trouble && !waiting && <span class="trouble">{trouble}</span>}
        {state.saved && !found && (
          <span class="soft">
            In Python, <code>{words.python}</code> {words.how}
          </span>
        )}
        {found && !waiting && <span class="soft">{found.length > 0 ? words.each : words.none}</span>}
      </span>
      {found && found.length > 0 && !waiting && (
        <ol>
          {found.map((remedy) => (
            <Offered remedy={remedy} key={remedy.code} />
          ))}
        </ol>
      )}
    </div>
  );
}

function Offered({ remedy }: { remedy: Remedy }) {
  const { what, code, before, after, fix, lowers, seconds_before, seconds_after, memory } = remedy;
  const times = lowers === "communication" ? ` · ${duration(seconds_before)} → ${duration(seconds_after)}` : "";
  const saved = memory < 0 && after >= before ? ` · −${bytes(-memory)} of memory` : "";
  return (
    <li>
      <b class="mono">{bytes(after)}</b>
      <span class="soft">{after < before && lowered(remedy)}</span>
      <span class="way">
        {what}
        {times && <span class="soft">{times + saved}</span>}
        {fix && (
          <span class="soft">
            {" "}
            {fix.file}, line {fix.line}
          </span>
        )}
        <code class="mono">{code}</code>
      </span>
      <button type="button" aria-label={`copy ${code}`} onClick={(event) => copy(event.currentTarget, code)}>
        copy
      </button>
    </li>
  );
}

function copy(button: HTMLElement, code: string): void {
  copyText(code, (outcome) => {
    button.textContent = outcome;
  });
}
