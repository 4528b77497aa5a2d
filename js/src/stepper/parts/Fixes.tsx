/** The changes that make a program run, in rows: what changes, what it does and gives, what it sends. */
import type { Fix, Listing } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { changedLines } from "../model/why";
import type { StepperState } from "../state";
import { Copy } from "./Copy";

interface Props {
  state: StepperState;
  fixes: readonly Fix[];
  listings: readonly Listing[];
}

export function Fixes({ state, fixes, listings }: Props) {
  const ran = fixes.some((fix) => fix.row.length > 0);
  const first = fixes.findIndex((fix) => fix.value === "same");
  return (
    <ol class={ran ? "fixes ran" : "fixes"}>
      {ran && (
        <li class="heads" aria-hidden="true">
          <span class="code">change</span>
          <span class="does">gives</span>
          <span class="row">first row</span>
          <span class="sent">sends</span>
        </li>
      )}
      {fixes.map((fix, k) => (
        <li class={fix.value === "same" ? "fix meant" : "fix"} key={fix.code}>
          <code class="code" title={fix.code}>
            {changedLines(fix, listings).map(({ line, pieces }, i) => (
              <span key={`${i}`}>
                {line > 0 && <span class="soft">line {line}: </span>}
                {pieces.map(({ text, changed }, i) =>
                  changed ? (
                    <mark key={`${i}`}>{breaking(text)}</mark>
                  ) : (
                    breaking(pieces.length > 1 ? cut(text, i > 0, i < pieces.length - 1) : text)
                  ),
                )}
              </span>
            ))}
          </code>
          <span class="does">
            {fix.title}
            {fix.value && <span class={fix.value === "same" ? "gives" : "warns"}>{givenBy(fix)}</span>}
          </span>
          {ran && (
            <span class="row mono">
              {fix.row.join(" ")}
              {fix.row_size > fix.row.length && <span class="soft"> … of {fix.row_size}</span>}
            </span>
          )}
          {ran && (
            <span class="sent mono" title={fix.communication}>
              {fix.communication ? bytes(fix.bytes_per_device) : "–"}
            </span>
          )}
          <span class="acts">
            {state.usable() && (
              <button
                type="button"
                class={k === first ? "use primary" : "use"}
                disabled={state.now.asked !== null}
                title="show the program with this change; your code stays as it is"
                onClick={() => state.useFix(k)}
              >
                {state.now.asked === k ? "…" : "Use"}
              </button>
            )}
            <Copy text={fix.code} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Code that stays, beside what changes: with the words next to that alone where it is long. */
function cut(text: string, first: boolean, last: boolean): string {
  const parts = text.split(/(?<=[(,=])/);
  if (text.length <= BESIDE * (Number(first) + Number(last))) return text;
  const near = (all: readonly string[]) => {
    const kept = all.filter((_, i) => all.slice(0, i + 1).join("").length <= BESIDE);
    return kept.length > 0 ? kept : all.slice(0, 1);
  };
  const [head, tail] = [first ? near(parts) : [], last ? near(parts.toReversed()).toReversed() : []];
  return head.length + tail.length < parts.length ? `${head.join("")}…${tail.join("")}` : text;
}

/** Most characters of code that stays at one side of what changes. */
const BESIDE = 24;

/** Code goes on in another line after its commas, brackets and signs. */
function breaking(text: string) {
  return text.split(/(?<=[(,=@])/).map((part) => [part, <wbr key={part} />]);
}

/** What the program gives with a fix, beside what the function gives on the whole array. */
function givenBy({ value, effect }: Fix): string {
  if (value === "same") return "✓ the value of the whole array";
  return value === "other" ? effect : "what it gives was not compared";
}
