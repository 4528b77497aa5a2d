/** What stands in the cells of the candidates. */
import { mono, soft } from "../../core/cells";
import type { Figures } from "../../core/columns";
import { CANDIDATES } from "../../core/columns.gen";
import { times } from "../../core/format";
import { basisOf, type Row, type SearchModel } from "./search";

/** Bars stand for compute, what is exposed and what is hidden. */
export const COLUMNS = [...CANDIDATES, { key: "ratio", head: "to now" }] as const;

export function cellsOf(
  model: SearchModel,
  row: Row,
  selected: boolean,
  figures: Figures<typeof COLUMNS>,
  seconds = 0,
) {
  const strong = selected || row.now;
  const ratio = model.ratio(row);
  const over = row.now ? "1" : ratio === null ? "" : times(ratio);
  return {
    candidate: [[{ text: row.now ? `now: ${row.title}` : row.title, strong }]],
    time: [[mono(figures.time(row.time), { strong, tone: row.compiled ? undefined : "soft" })]],
    ratio: [[mono(over, { strong, tone: "soft" })]],
    memory: [[mono(figures.memory(row.bytes), { strong })]],
    basis: [[soft(basisOf(row, seconds))]],
  };
}
