/** The table of collectives. It is drawn again only when what it shows has changed, not in each animation frame. */
import { Pure } from "../card/Pure";
import { memo } from "../card/store";
import { COLLECTIVES } from "../core/columns.gen";
import { textWidth } from "../draw/measure";
import { type Group, groupsOf, groupTotal, type Sort, totalFigures } from "./model/groups";
import type { ProgramModel } from "./model/program";
import { Row } from "./Row";
import { grid, HEADS, head } from "./roles";
import { type Asked, MORE, NARROW, type ProgramState, STACKED } from "./state";

interface Props {
  state: ProgramState;
  model: ProgramModel;
  rows: readonly Group[];
  /** The collective on the mesh. */
  index: number | null;
  /** What is known of why it is there. */
  why?: Asked | null;
  selection: number | null;
  cursor: number;
  sort: Sort;
  axis: string | null;
  interconnect: number;
  limit: number;
  width: number;
}

export class Table extends Pure<Props> {
  readonly #figures = memo(totalFigures);
  readonly #totals = memo((rows: readonly Group[], model: ProgramModel, interconnect: number) =>
    rows.map((g) => groupTotal(model, g, interconnect)),
  );

  readonly #all = memo((model: ProgramModel) => groupsOf(model, EVERY).length);

  override render() {
    const { state, model, rows, index, why = null, cursor, sort, axis, interconnect, limit, width } = this.props;
    const totals = this.#totals(rows, model, interconnect);
    const figures = this.#figures(totals);
    const longest = Math.max(1e-12, ...totals.map((t) => t.seconds));
    const here = rows[cursor]?.at;
    const left = rows.length - limit;
    const label = `collectives of ${model.doc.name || "the program"}${axis === null ? "" : ` over ${axis}`}`;
    return (
      <>
        <div
          class={`table ${width < NARROW ? "cards" : ""} ${this.#all(model) > LONG || width >= STACKED ? "long" : ""}`}
          {...grid(label, rows.length, here === undefined ? undefined : `line-${here}`)}
          style={{ "--axes": `${axesWidth(model)}px` }}
        >
          <div {...HEADS}>
            {COLLECTIVES.map(({ key: column, head: name }) => {
              const way = DESCENDS.has(column) ? "descending" : "ascending";
              return (
                <div {...head(column, sort === column ? way : null)} key={column}>
                  <button
                    type="button"
                    class="plainly"
                    title={sort === column ? "in the order of the program" : `sort by ${name}`}
                    onClick={() => state.sortBy(column)}
                  >
                    {name}
                    {sort === column && (way === "descending" ? " ▾" : " ▴")}
                  </button>
                </div>
              );
            })}
          </div>
          {rows.slice(0, limit).map((group, line) => {
            const [c, total] = [model.collectives[group.at], totals[line]];
            return (
              c &&
              total && (
                <Row
                  state={state}
                  model={model}
                  c={c}
                  group={group}
                  line={line}
                  chosen={index !== null && group.members.includes(index) ? index : null}
                  current={line === cursor}
                  total={total}
                  figures={figures}
                  longest={longest}
                  why={index !== null && group.members.includes(index) ? why : null}
                  key={group.at}
                />
              )
            );
          })}
        </div>
        {rows.length === 0 && <p class="none">No collective matches.</p>}
        {left > 0 && (
          <button type="button" class="more" onClick={() => state.set({ limit: limit + MORE })}>
            show {Math.min(left, MORE)} more of {left}
          </button>
        )}
      </>
    );
  }
}

/** Columns that begin with the largest. */
const DESCENDS = new Set<Sort>(["time", "sent", "runs"]);
/** More lines than these scroll by themselves. */
const LONG = 5;
const EVERY = { sort: "order", axis: null, search: "", interconnect: 0 } as const;

/** Where room is short the column of axes is as wide as the longest name, within bounds. */
function axesWidth({ mesh }: ProgramModel): number {
  return Math.min(124, Math.max(84, 34 + Math.max(0, ...mesh.axes.map((a) => textWidth(a.name, 12, true)))));
}
