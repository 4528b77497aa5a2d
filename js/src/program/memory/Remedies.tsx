/** What lowers the peak: nothing is offered that was not compiled. The button asks Python; a saved page says how. */

import { copyText } from "../../card/copy";
import type { Remedy } from "../../core/document.gen";
import { bytes } from "../../core/format";
import type { ProgramState } from "../state";
import { lowered } from "./model/words";

export function Remedies({ state }: { state: ProgramState }) {
  const { tried, waiting } = state.remedies();
  const { found, trouble, done, of } = tried ?? {};
  const step = of === undefined ? "" : ` ${(done ?? 0) + 1} of ${of}`;
  return (
    <div class="remedies acts">
      {!state.saved && (
        <button type="button" disabled={waiting} onClick={() => state.tryRemedies()}>
          {waiting ? `compiling${step} …` : "Try what lowers the peak"}
        </button>
      )}
      <span role="status">
        {trouble && !waiting && <span class="trouble">{trouble}</span>}
        {state.saved && !found && (
          <span class="soft">
            In Python, <code>view.remedies()</code> compiles it with jax.checkpoint, donations and other specs, and says
            what lowers the peak.
          </span>
        )}
        {found && !waiting && (
          <span class="soft">
            {found.length > 0
              ? "Each was compiled; the peak with it:"
              : "Nothing that was compiled lowers the peak: jax.checkpoint, donations, other specs."}
          </span>
        )}
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
  const { what, code, after, fix } = remedy;
  return (
    <li>
      <b class="mono">{bytes(after)}</b>
      <span class="soft">{lowered(remedy)}</span>
      <span class="way">
        {what}
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
