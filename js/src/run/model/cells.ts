/** The cells of a measured run: of its collectives, and of its lines where it has none. */
import { axesOf, type Cells, mono, soft } from "../../core/cells";
import { figuresOf, headOf } from "../../core/columns";
import { COMPUTED_LINES, MEASURED } from "../../core/columns.gen";
import type { MeasuredCollective, Run, Source } from "../../core/document.gen";
import type { RunModel } from "./run";
import { codeText, placeOf, type RunFigures } from "./words";

/** Mesh axes and source stand with the collective. */
export type RunCells = Omit<Cells<typeof MEASURED>, "axes" | "spread" | "source">;

export function cellsOf({ mesh }: RunModel, c: MeasuredCollective, figures: RunFigures): RunCells {
  const ran = c.times > 0;
  const rate = ran && c.bytes_per_second > 0 ? figures.rate(c.bytes_per_second) : "";
  return {
    op: [
      [mono(c.kind, { strong: true }), ...axesOf(mesh, c.axes), soft(c.irregular ? "irregular groups" : "")],
      [soft(`${codeText(c)}${c.backward ? " · backward" : ""}`, { title: titleOf(c.source) })],
    ],
    sent: [[mono(figures.sent(c.bytes_per_device), { title: rate && `${headOf(MEASURED, "rate")}: ${rate}` })]],
    time: [[mono(ran ? figures.time(c.median_s) : "did not run", { strong: ran })]],
    wait: [
      [mono(ran ? figures.wait(c.wait_s) : "")],
      [mono(ran ? figures.wait(c.wait_high_s) : "", { tone: "soft", title: "90th percentile" })],
    ],
    estimate: [[mono(c.estimate_s > 0 ? figures.estimate(c.estimate_s) : "", { tone: "soft" })]],
    rate: [[mono(rate)]],
  };
}

/** The lines that devices computed for: the longest has a whole bar. */
export function linesCells(run: Run): Cells<typeof COMPUTED_LINES>[] {
  const { lines } = run;
  const figures = figuresOf(
    COMPUTED_LINES,
    lines.map(({ call_s, share }) => ({ time: call_s, share })),
  );
  return lines.map(({ source, call_s, share }) => ({
    source: [
      [
        mono(placeOf(run, source, "line "), { strong: true }),
        soft(source.text, { mono: true, title: titleOf(source) }),
      ],
    ],
    time: [[mono(figures.time(call_s), { strong: true })]],
    share: [[{ times: [{ axes: [], share: share / (lines[0]?.share || 1) }] }, mono(figures.share(share))]],
  }));
}

function titleOf(source: Source | null): string {
  return source ? `${source.file}:${source.line}  ${source.text}` : "";
}
