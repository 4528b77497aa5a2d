/** How much of a program waits: three times of a call, the call over time, what is waited for by line, or the roofline. */
import { Listbox } from "../../card/Listbox";
import { pointOf } from "../../card/pointed";
import { Segments } from "../../card/Tools";
import { Remedies } from "../Remedies";
import type { ProgramState } from "../state";
import { basisOf, boundText } from "./model/overlap";
import type { OverlapPage, ShownOverlap } from "./page";
import { ceilingsHeight } from "./scene/ceilings";
import { rooflineHeight } from "./scene/roofline";
import { rowAt, spanOf } from "./scene/table";
import { transferAt } from "./scene/time";

const BELOW = ["what waits", "roofline"] as const;

interface Props {
  state: ProgramState;
  page: OverlapPage;
}

export function OverlapView({ state, page }: Props) {
  const shown = page.shown();
  if (!shown) {
    return (
      <div class="overlap">
        <p class="note" role="status">
          {page.trouble()}
        </p>
        <Remedies state={state} lowers="communication" />
      </div>
    );
  }
  const { model, time } = shown;
  const roofline = shown.below === "roofline";
  const { width } = state.now;
  const said = page.sentence();
  return (
    <div class="overlap">
      <div class="sheet" style={{ height: `${ceilingsHeight(model, width)}px` }}>
        <div aria-hidden="true" ref={page.ceilings.attach} />
      </div>
      <div
        class="sheet time"
        style={{ height: `${time.height}px` }}
        onPointerDown={(event) => page.choose(transferAt(time, ...pointOf(event)))}
      >
        <div aria-hidden="true" ref={page.time.attach} />
        <div aria-hidden="true" ref={page.chosen.attach} />
      </div>
      <div class="tools">
        <Segments
          legend="below"
          of={BELOW.map((name) => [name] as const)}
          value={shown.below}
          choose={(below) => page.set({ below })}
        />
        <span class="soft reading" role="status">
          {roofline ? boundText(model) : said}
        </span>
      </div>
      {/* As high whichever of the two is below. */}
      <div
        class="lower"
        style={{ "--lower": `${Math.max(shown.table.height, rooflineHeight(model, state.now.width))}px` }}
      >
        {roofline ? <Roofline state={state} page={page} shown={shown} /> : <Waits page={page} shown={shown} />}
        <Remedies state={state} lowers="communication" />
        <p class="soft small basis">{basisOf(model)}</p>
      </div>
    </div>
  );
}

function Waits({ page, shown: { table, line } }: { page: OverlapPage; shown: ShownOverlap }) {
  const [top, bottom] = spanOf(table, line);
  return (
    <Listbox
      class="sheet waits"
      label={`${table.rows.length} lines with collectives, the most exposed first`}
      said={page.sentence()}
      at={{ top: `${top}px`, height: `${bottom - top}px` }}
      style={{ height: `${table.height}px` }}
      onPointerDown={(event) => page.move(rowAt(table, pointOf(event)[1]) ?? line)}
    >
      <div aria-hidden="true" ref={page.table.attach} />
    </Listbox>
  );
}

function Roofline({ state, page, shown: { model } }: Props & { shown: ShownOverlap }) {
  return (
    <div
      class="sheet"
      role="img"
      aria-label={`roofline of ${model.doc.lines.length} lines on ${model.doc.chip}. ${boundText(model)}`}
      style={{ height: `${rooflineHeight(model, state.now.width)}px` }}
    >
      <div aria-hidden="true" ref={page.roofline.attach} />
    </div>
  );
}
