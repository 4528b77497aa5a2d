/** What differs as one scene, for the picture without a page. */
import { capital, count } from "../../core/text";
import { framed, headBand, rule, saysBand, stack } from "../../draw/bands";
import { label, PAD, type Scene } from "../../draw/marks";
import type { Diff } from "../model/diff";
import { tableScene } from "./table";
import { totalsScene } from "./totals";

/** Rows that are drawn; the rest is counted. */
const MOST = 16;

export function diffScene(diff: Diff, { width, selected }: { width: number; selected: number }): Scene {
  const rows = diff.rows.slice(0, MOST);
  const totals = totalsScene(diff, width);
  const table = tableScene(diff, rows, width, selected);
  const left = diff.rows.length - rows.length;
  const foot = [left > 0 ? `${count(left, "more difference")}.` : "", diff.sameText && `${diff.sameText}.`];
  const said = foot.filter(Boolean).join(" ");
  const about = [{ strong: "", text: diff.about, tone: "plain" }] as const;
  const card = stack([
    headBand(diff.name, diff.mesh ?? { axes: [] }, about, width),
    saysBand(capital(diff.verdict), diff.also ? [{ text: diff.also }] : [], width),
    { marks: [rule(0, 0, width)], height: 1 },
    ...(totals.height > 0 ? [totals, { marks: [rule(0, 0, width)], height: 1 }] : []),
    table,
    ...(said ? [{ marks: [label(PAD, 20, said, 12, "muted")], height: 34 }] : []),
  ]);
  return framed(width, Math.ceil(card.height), card.marks);
}
