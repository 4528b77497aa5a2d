/** What stands in the cells of the lines whose collectives take time. */
import { axesOf, type Cells, mono, soft } from "../../../core/cells";
import type { Figures } from "../../../core/columns";
import type { TRANSFERS } from "../../../core/columns.gen";
import { besideOf, type OverlapModel, type Row, whereOf } from "./overlap";

export function cellsOf(model: OverlapModel, row: Row, figures: Figures<typeof TRANSFERS>): Cells<typeof TRANSFERS> {
  const between = besideOf(row);
  const { measured: ran } = row;
  return {
    op: [[mono(row.ring || row.kind, { strong: true })]],
    axes: [row.axes.length > 0 ? axesOf(model.mesh, row.axes) : [mono("irregular", { tone: "soft" })]],
    source: [[mono(row.source?.text ?? "")], [soft(whereOf(row))]],
    between: [[between.startsWith("nothing") ? { text: between } : soft(between)]],
    whole: [[mono(figures.whole(row.seconds), { tone: "soft" })]],
    exposed: [[mono(figures.exposed(row.exposed), { strong: true })]],
    measured: ran ? [[mono(figures.measured(ran.seconds), { tone: "soft" })]] : [],
    measured_exposed: ran ? [[mono(figures.measured_exposed(ran.exposed))]] : [],
  };
}
