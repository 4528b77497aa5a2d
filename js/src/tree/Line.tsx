/** A line of the tree: a node, or equal ones. */
import { Cell } from "../card/Cell";
import { Pure } from "../card/Pure";
import { Tokens } from "../card/Tokens";
import { LEAVES } from "../core/columns.gen";
import type { Format } from "../core/format";
import { sentenceTokens } from "../core/text";
import { cellsOf, meshOf } from "./model/cells";
import type { Row } from "./model/rows";
import type { TreeModel } from "./model/tree";
import { costText, findingText, labelOf } from "./model/words";
import type { ModelState } from "./state";

/** Only the tree itself takes focus. */
const CELL = { role: "gridcell" } as const;

function rowRole(tree: TreeModel, row: Row, line: number, current: boolean) {
  return {
    role: "row",
    id: `node-${row.node}`,
    "aria-level": row.depth + 1,
    "aria-rowindex": line + 1,
    "aria-expanded": row.leaf === null ? row.open : undefined,
    "aria-selected": current,
    "aria-label": labelOf(tree, row),
  } as const;
}

interface Props {
  state: ModelState;
  tree: TreeModel;
  row: Row;
  line: number;
  current: boolean;
  /** The most that a line has on the device. */
  most: number;
  /** How bytes are written in the two columns. */
  all: Format;
  here: Format;
}

export class Line extends Pure<Props> {
  override render() {
    const { state, tree, row, line, current, most, all, here } = this.props;
    const [finding] = row.said;
    const cells = cellsOf(tree, row, { all, here }, most);
    const minor = row.sums.here < most / 1000;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: it is a row, and the tree listens for keys
      // biome-ignore lint/a11y/useKeyWithClickEvents: as above
      <div
        class={`row ${current ? "current" : ""} ${minor ? "minor" : ""}`}
        {...rowRole(tree, row, line, current)}
        style={{ "--depth": row.depth }}
        onClick={() => {
          state.point(row);
          if (row.leaf === null) state.toggle(row);
        }}
        onDblClick={() => state.enter()}
      >
        <div class="line">
          {LEAVES.map(({ key }) => (
            <span class={key === "type" ? "type cut" : key} {...CELL} key={key}>
              {key === "path" && <i aria-hidden="true">{row.leaf === null ? (row.open ? "▾" : "▸") : ""}</i>}
              <Cell of={cells[key]} />
            </span>
          ))}
        </div>
        {finding && (
          <p class="flag">
            <i>{finding.number}</i>
            <span title={finding.reason}>
              <Tokens tokens={sentenceTokens(findingText(finding), meshOf(tree, row))} />
            </span>
            <b>{costText(row, here)}</b>
          </p>
        )}
      </div>
    );
  }
}
