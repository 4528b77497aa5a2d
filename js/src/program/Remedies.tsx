/** What to write instead: nothing is offered that was not compiled. The button asks Python; a saved page says how. */

import { AskButton } from "../card/Attempts";
import { copyText } from "../card/copy";
import { Fold } from "../card/Fold";
import type { Remedy } from "../core/document.gen";
import { bytes, bytesColumn, duration, percent, percents } from "../core/format";
import type { Lowers, ProgramState } from "./state";

const WORDS: Record<Lowers, { button: string; python: string; how: string; each: string; none: string }> = {
  peak: {
    button: "Try what lowers the peak",
    python: "view.remedies()",
    how: "compiles it with jax.checkpoint, donations and other specs, and says what lowers the peak.",
    each: "Each was compiled; the peak with it",
    none: "Nothing that was compiled lowers the peak: jax.checkpoint, donations, other specs.",
  },
  communication: {
    button: "Try what communicates less",
    python: 'view.remedies("communication")',
    how: "compiles it with other constraints and specs, and says what communicates less.",
    each: "Each was compiled; what a device sends with it",
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
        {found && !waiting && (
          <span class="soft">{found[0] ? `${words.each}, now ${bytes(found[0].before)}:` : words.none}</span>
        )}
      </span>
      {found && found.length > 0 && !waiting && <Found found={found} paper={state.now.paper} />}
    </div>
  );
}

/** The best at each place, and of each line; other ways at the same places folded. */
function Found({ found, paper }: { found: readonly Remedy[]; paper: boolean }) {
  const lowered = found.map(loweredBy);
  const [size, share] = [bytesColumn(found.map(({ after }) => after)), percents(lowered)];
  const rows = found.map((remedy, k) => {
    const by = lowered[k] as number;
    const less = by >= LEAST / 10 ? `−${share(by)}` : "";
    return { remedy, row: <Offered remedy={remedy} size={size(remedy.after)} less={less} key={remedy.code} /> };
  });
  const offered = (others: boolean) => rows.filter(({ remedy }) => !remedy.other !== others).map(({ row }) => row);
  const others = offered(true);
  return (
    <div class="found">
      <ol>{offered(false)}</ol>
      {others.length > 0 && (
        <Fold paper={paper} summary={others.length === 1 ? "another way there" : `${others.length} other ways there`}>
          <ol>{others}</ol>
        </Fold>
      )}
    </div>
  );
}

/** The least share of work that is told; of what falls, a tenth of it. */
const LEAST = 0.005;

const signed = (value: number, written: (value: number) => string) =>
  `${value < 0 ? "−" : "+"}${written(Math.abs(value))}`;

const changed = (before: string, after: string) => (before === after ? `still ${after}` : `${before} → ${after}`);

/** By how much of what it was a remedy lowers it. */
const loweredBy = ({ before, after }: Remedy) => (before > 0 ? (before - after) / before : 0);

function Offered({ remedy, size, less }: { remedy: Remedy; size: string; less: string }) {
  const { what, code, fix, lowers, seconds_before, seconds_after, memory, work, helps } = remedy;
  const told =
    lowers === "communication"
      ? [
          changed(duration(seconds_before), duration(seconds_after)),
          memory && `${signed(memory, bytes)} of memory`,
          Math.abs(work) >= LEAST && `${signed(work, percent)} of work`,
          `for ${helps.join(", ")}`,
        ].filter(Boolean)
      : [];
  return (
    <li>
      <b class="mono">{size}</b>
      <span class="soft">{less}</span>
      <span class="way">
        {what}
        {told.length > 0 && <span class="soft"> · {told.join(" · ")}</span>}
        {fix && (
          <span class="soft">
            {" · "}
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
