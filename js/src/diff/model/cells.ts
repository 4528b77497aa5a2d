/** What stands in the cells of what differs. */
import { type Cells, mono, soft } from "../../core/cells";
import type { DIFFERENCES } from "../../core/columns.gen";
import type { Diff, Row, Side } from "./diff";

export function cellsOf({ mesh, words }: Diff, row: Row): Cells<typeof DIFFERENCES> {
  const side = (of: Side | null) =>
    of ? [[mono(of.text, { strong: !words })], [mono(of.note, { tone: "soft" })]] : NONE;
  return {
    change: [[soft(row.change)]],
    op: [[mono(row.name, { strong: true })]],
    axes: [
      row.axes.length > 0 ? row.axes.map((axis) => ({ axis, name: mesh?.axes[axis]?.name ?? "" })) : [soft(row.over)],
    ],
    source: [[mono(row.code)], [soft(row.note)]],
    before: side(row.before),
    after: side(row.after),
    difference: [[mono(row.difference, { strong: true, tone: row.change === "same" ? "soft" : undefined })]],
  };
}

const NONE = [[soft("none")]];
