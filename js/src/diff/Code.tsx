/** The code of the row that is chosen, with both numbers of its lines; and how its figures come about. */
import { keepInView } from "../card/scroll";
import type { DiffLine } from "../core/document.gen";
import { some } from "../core/text";
import type { Diff, Row } from "./model/diff";

export function Code({ diff, row }: { diff: Diff; row: Row }) {
  const lines = linesOf(diff, row);
  const whole = diff.lines.length > 0;
  return (
    <div class={`code ${whole ? "" : "short"} ${lines.length === 0 ? "alone" : ""}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <ol class="mono" tabIndex={0} aria-label="code before and after">
        {lines.map((line) => (
          <li
            class={`${isOf(line, row) ? "current" : ""} ${signOf(line) === "−" ? "gone" : ""}`}
            ref={isOf(line, row) ? inTheMiddle : null}
            key={`${line.before} ${line.after}`}
          >
            {whole && <span class="number">{line.before || ""}</span>}
            <span class="number">{line.after || (whole ? "" : line.before)}</span>
            {whole && <span class="sign">{signOf(line)}</span>}
            <code>
              {/^\s*/.exec(line.text)?.[0]}
              <span>{line.text.trimStart()}</span>
            </code>
            <span class="soft">{marksOf(diff, line)}</span>
          </li>
        ))}
      </ol>
      <div class="why">
        {row.why.map((said) => (
          <p key={said}>{said}</p>
        ))}
      </div>
    </div>
  );
}

function inTheMiddle(el: Element | null): void {
  keepInView(el, 36, 36);
}

function signOf({ before, after }: DiffLine): string {
  return before === 0 ? "+" : after === 0 ? "−" : "";
}

/** The lines of its file; the line alone where the function is not known. */
function linesOf({ lines }: Diff, { lines: [before, after] }: Row): readonly DiffLine[] {
  const source = after ?? before;
  if (!source) return [];
  const file = lines.filter((line) => line.file === source.file);
  const known = file.some((line) => (after ? line.after === after.line : line.before === before?.line));
  return known ? file : [{ file: source.file, before: before?.line ?? 0, after: after?.line ?? 0, text: source.text }];
}

function isOf(line: DiffLine, { lines: [before, after] }: Row): boolean {
  return after ? line.after === after.line : line.before === before?.line;
}

/** What differs on a line, as a comment. */
function marksOf(diff: Diff, line: DiffLine): string {
  const here = diff.rows.filter((row) => isOf(line, row));
  const names = [...new Set(here.map((row) => row.name))];
  return names.length > 0 ? `# ${some(names, 3)}` : "";
}
