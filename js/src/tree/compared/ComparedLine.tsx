/** A line of trees side by side: what each holds at a path, and how it differs from the first. */
import { Cell } from "../../card/Cell";
import { Pure } from "../../card/Pure";
import { keepInView } from "../../card/scroll";
import { Tokens } from "../../card/Tokens";
import { axisTokens } from "../../core/text";
import { type Compared, type ComparedModel, cellOf, labelOf } from "./model/compared";
import type { ComparedState } from "./state";

/** Only the grid itself takes focus. */
const CELL = { role: "gridcell" } as const;

interface Props {
  state: ComparedState;
  model: ComparedModel;
  line: Compared;
  index: number;
  current: boolean;
  narrow: boolean;
  /** The most that any line has on a device. */
  greatest: number;
}

export class ComparedLine extends Pure<Props> {
  override render() {
    const { state, model, line, index, current, narrow, greatest } = this.props;
    const role = {
      role: "row",
      "aria-rowindex": index + 1,
      "aria-selected": current,
      "aria-label": labelOf(model, line),
    } as const;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: it is a row, and the grid listens for keys
      // biome-ignore lint/a11y/useKeyWithClickEvents: as above
      <div
        class={`row ${current ? "current" : ""} ${line.differs ? "" : "equal"}`}
        id={`line-${index}`}
        {...role}
        ref={current ? keepInView : null}
        onClick={() => state.move(index)}
      >
        <span class="path" {...CELL} title={line.path}>
          <span class="mono">{line.path || "·"}</span>
          {line.times > 1 && <span class="times">×{line.times}</span>}
        </span>
        {line.cells.map((_, i) => {
          const { types, holds, status } = cellOf(model, line, i, greatest);
          return (
            <div class="cell" {...CELL} key={model.doc.trees[i]?.name}>
              {narrow && <span class="soft whose">{model.doc.trees[i]?.name}</span>}
              <span class="types">
                <Cell of={types} />
              </span>
              <span class="holds">
                <Cell of={[holds]} />
                <span class="status">
                  <Cell of={[[status]]} />
                </span>
              </span>
            </div>
          );
        })}
      </div>
    );
  }
}

/** The whole of a line: where each array stands in its tree, with its spec. */
export function Whole({ model, line }: { model: ComparedModel; line: Compared }) {
  return (
    <dl class="whole">
      {model.doc.trees.map((tree, i) => (
        <div key={tree.name}>
          <dt class="mono">{tree.name}</dt>
          <dd>
            {(line.cells[i]?.arrays ?? []).map((a, k) => (
              <span class="mono" key={k}>
                {a.under && <>{a.under}/ </>}
                <Tokens tokens={axisTokens(a.spec ?? a.type, model.mesh)} />
              </span>
            ))}
            {line.cells[i]?.arrays.length === 0 && "none"}
          </dd>
        </div>
      ))}
    </dl>
  );
}
