/** Which part of the way of an axis is beside each line of the table. */
import { type Line, rowsOf } from "./lines";
import type { WhyAnswer } from "./why";

/**
 * Of the axis, then of those that lost: the halves of the line that it runs beside, `a` the upper and `b` the lower one,
 * and what is in the middle, as in `b from|ab`. Empty for none.
 */
export type Way = string;

/** The way beside each line; none where it is all in one line. */
export function waysOf(lines: readonly Line[], why: WhyAnswer | null): readonly Way[] {
  const to = lines.findIndex(({ kind, row }) => kind === "row" && row === why?.reason.row);
  if (!why || to < 0) return [];
  const first = why.chain[0]?.reason.row ?? -1;
  const lanes = [[first], why.lost.map(({ reason }) => reason.row)].map((rows) =>
    lane(
      rows.map((row) => at(lines, row)).filter((from) => from >= 0 && from !== to),
      to,
      lines.length,
    ),
  );
  return lines.map((_, i) => lanes.map((of) => of[i] ?? "").join("|")).map((way) => (way === "|" ? "" : way));
}

/** The way beside what is open below a line. */
export function below(way: Way): Way {
  const lanes = way.split("|").map((lane) => (lane.split(" ")[0]?.endsWith("b") ? "ab" : ""));
  return lanes.some(Boolean) ? lanes.join("|") : "";
}

/** What is beside each line of what leads from some lines to another. */
function lane(from: readonly number[], to: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    const above = from.some((f) => (f < i && i <= to) || (to < i && i <= f));
    const below = from.some((f) => (f <= i && i < to) || (to <= i && i < f));
    if (!above && !below) return "";
    const mark = i === to ? " to" : from.includes(i) ? " from" : "";
    return `${above ? "a" : ""}${below ? "b" : ""}${mark}`;
  });
}

/** The line that a row is in. */
function at(lines: readonly Line[], row: number): number {
  return lines.findIndex((line) => rowsOf(line).includes(row));
}
