/** Two traces: where they part, every step, the code of both, what devices hold at the step that is chosen. */
import { Foot } from "../card/Foot";
import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { keepInView } from "../card/scroll";
import type { PartedSide, PartedStep, TraceDiff } from "../core/document.gen";
import { count } from "../core/text";
import { cellsText, chosenOf, nameOf, noteOf, statusOf } from "./model/steps";
import type { DiffState } from "./state";

const KEYS = [
  [", .", "step"],
  ["n", "next ≠"],
] as const;

export function StepsCard({ state, doc }: { state: DiffState; doc: TraceDiff }) {
  const scene = state.steps();
  const at = chosenOf(doc, state.now.selection);
  const step = doc.steps[at];
  return (
    <div class="diff">
      <Head title={nameOf(doc)} axes={doc.mesh.axes} says={<Says also={doc.cause}>{doc.verdict}</Says>}>
        <span class="soft">mine and the reference, {count(doc.steps.length, "step")}</span>
      </Head>
      <fieldset class="strip tools">
        <legend>steps</legend>
        {doc.steps.map((one, k) => (
          <button
            type="button"
            class={one.parted > 0 ? "parted" : one.compared ? "" : "soft"}
            aria-pressed={k === at}
            title={`step ${one.step}: ${one.name}, ${statusOf(one)}`}
            ref={k === at ? inStrip : null}
            onClick={() => state.select(k)}
            key={one.step}
          >
            <b class="mono">{one.primitive}</b>
            <span>{one.compared ? statusOf(one) : "–"}</span>
          </button>
        ))}
      </fieldset>
      <div class="sides">
        <Code side={doc.mine} title="mine" at={step?.sources[0]?.line} />
        <Code side={doc.reference} title="reference" at={step?.sources[1]?.line} />
      </div>
      {scene && step && (
        <div class="picture held" style={{ height: `${state.room()}px` }}>
          {scene.height > 0 ? (
            <div role="img" aria-label={step.cells.map(cellsText).join("; ")} ref={state.held.attach} />
          ) : (
            <p class="none">{noteOf(step)}</p>
          )}
        </div>
      )}
      <p class="alike" aria-live="polite">
        {noteText(step, doc)}
      </p>
      <Foot keys={doc.steps.some(({ parted }) => parted > 0) ? KEYS : KEYS.slice(0, 1)} />
    </div>
  );
}

function noteText(step: PartedStep | undefined, { rtol, atol }: TraceDiff): string {
  const drawn = step && step.cells.length > 0;
  const frames = drawn ? `Solid frame: mine, dashed: the reference. ${noteOf(step)} ` : "";
  return `${frames}Equal: rtol ${rtol.toExponential()}, atol ${atol.toExponential()}.`;
}

function Code({ side, title, at }: { side: PartedSide; title: string; at: number | undefined }) {
  return (
    <section>
      <p>
        <b>{title}</b> <span class="soft mono">{side.file}</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <ol class="mono" tabIndex={0} aria-label={`code of ${title}`}>
        {side.lines.map((text, k) => {
          const line = side.first_line + k;
          return (
            <li
              class={`${line === at ? "current" : ""} ${side.other.includes(line) ? "other" : ""}`}
              ref={line === at ? inTheMiddle : null}
              key={line}
            >
              <span class="number">{line}</span>
              <code>{text}</code>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function inTheMiddle(el: Element | null): void {
  keepInView(el, 54, 54);
}

/** Scrolls the strip alone. */
function inStrip(el: HTMLElement | null): void {
  const strip = el?.parentElement;
  if (!el || !strip) return;
  const [from, to] = [el.offsetLeft - strip.offsetLeft, el.offsetLeft - strip.offsetLeft + el.offsetWidth];
  if (from < strip.scrollLeft) strip.scrollLeft = from - 40;
  else if (to > strip.scrollLeft + strip.clientWidth) strip.scrollLeft = to - strip.clientWidth + 40;
}
