/** A line of the tree: a node, or equal ones. */
import { Pure } from "../card/Pure";
import { Tokens } from "../card/Tokens";
import type { Format } from "../core/format";
import { bytes } from "../core/format";
import { axisTokens, sentenceTokens } from "../core/text";
import type { Row } from "./model/rows";
import { timesText } from "./model/stacked";
import type { TreeModel } from "./model/tree";
import { copiesText, costText, findingText, labelOf, numberOf, typeText } from "./model/words";
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
    const { sums } = row;
    const [finding] = row.said;
    const leaf = row.leaf === null ? null : tree.typeAt(row.leaf);
    const mesh = tree.meshes[leaf?.mesh ?? 0] ?? tree.mesh;
    const type = typeText(tree, row);
    const times = timesText(tree, row);
    const minor = sums.here < most / 1000;
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
          <span class="path" {...CELL} title={row.name}>
            <i aria-hidden="true">{row.leaf === null ? (row.open ? "▾" : "▸") : ""}</i>
            <span class={row.leaf === null ? "mono strong" : "mono"}>{row.name || "·"}</span>
            {times && <span class="times">{times}</span>}
          </span>
          <span class={leaf ? "type cut mono" : "type cut soft"} {...CELL} title={leaf?.note || type}>
            <Tokens tokens={axisTokens(type, mesh)} />
          </span>
          <span class="all mono" {...CELL} title={sums.leaves > 0 ? bytes(sums.bytes) : undefined}>
            {sums.leaves > 0 ? numberOf(all(sums.bytes)) : ""}
          </span>
          <span class="here mono" {...CELL} title={sums.copies[1] > 0 ? bytes(sums.here) : undefined}>
            <Meter own={sums.own / most} here={sums.here / most} />
            <span class={leaf ? "" : "strong"}>{sums.copies[1] > 0 ? numberOf(here(sums.here)) : "–"}</span>
          </span>
          <span class={`copies mono ${row.flags.length > 0 && sums.copies[0] > 1 ? "warn" : ""}`} {...CELL}>
            {copiesText(row)}
          </span>
        </div>
        {finding && (
          <p class="flag">
            <i>{finding.number}</i>
            <span title={finding.reason}>
              <Tokens tokens={sentenceTokens(findingText(finding), mesh)} />
            </span>
            <b>{costText(row, here)}</b>
          </p>
        )}
      </div>
    );
  }
}

/** Bytes on the device as a bar: what no other device holds, and copies. */
function Meter({ own, here }: { own: number; here: number }) {
  return (
    <span class="meter" aria-hidden="true">
      <span class="own" style={{ width: `${100 * own}%` }} />
      <span class="more" style={{ width: `${100 * Math.max(0, here - own)}%` }} />
    </span>
  );
}
