/** The cells of the tables of programs. */
import { axesOf, type Cells, mono, soft } from "../../core/cells";
import { figuresOf } from "../../core/columns";
import { type COLLECTIVES, PROGRAMS } from "../../core/columns.gen";
import type { HloCollective, Program } from "../../core/document.gen";
import { duration } from "../../core/format";
import type { GroupTotal, totalFigures } from "./groups";
import type { ProgramModel } from "./program";
import { atLeast, callSeconds, causeNotes, causeText, irregularText, whereText } from "./words";

/** A line for a group of equal collectives; `longest`: the time of a whole bar. */
export function cellsOf(
  model: ProgramModel,
  c: HloCollective,
  { seconds, runs, bytes: [least, most] }: GroupTotal,
  figures: ReturnType<typeof totalFigures>,
  longest: number,
): Cells<typeof COLLECTIVES> {
  const axes = axesOf(model.mesh, c.axes);
  const sent = figures.sent(most);
  // Bytes of every time; a group's may differ. A number is not parted from its unit.
  const range = [figures.sent(least), sent].map((text) => text.replace(" ", "\u00a0")).join(" – ");
  return {
    op: [
      [mono(c.kind, { strong: true })],
      c.asynchronous ? [soft("async", { title: "split into -start and -done: other work may run meanwhile" })] : [],
    ],
    axes: c.irregular
      ? [
          [mono("irregular", { tone: "soft", title: irregularText(c) })],
          [soft(c.within.length > 0 ? `within ${c.within.join(", ")}` : "")],
        ]
      : [axes],
    sent: [
      [
        model.sized
          ? mono(least === most ? sent : range, { title: c.arithmetic, short: `${least === most ? "" : "≤ "}${sent}` })
          : mono("?"),
      ],
    ],
    runs: [[mono(`×${runs ?? "?"}`, { strong: runs !== 1, title: whereText(model, c) })]],
    source: [
      [mono(causeText(c), { title: c.op })],
      [soft(`${causeNotes(model, c).join(" · ")}${c.remark && " ·"}`), { text: c.remark, strong: true, tone: "warn" }],
    ],
    time: [[{ times: [{ axes, share: seconds / longest }] }, mono(model.sized ? figures.time(seconds) : "?")]],
  };
}

/** Programs side by side: a line for each. */
export function sideBySide(models: readonly ProgramModel[]): Cells<typeof PROGRAMS>[] {
  const lines = models.map((model) => ({
    model,
    sent: model.collectives.reduce((sum, c) => sum + c.bytes_per_device * (c.times ?? 1), 0),
    estimate: callSeconds(model, model.doc.interconnect),
    measured: model.doc.timing?.seconds ?? null,
    memory: memoryTotal(model.doc),
  }));
  const figures = figuresOf(PROGRAMS, lines);
  const most = (key: "estimate" | "measured" | "memory") => Math.max(1e-12, ...lines.map((line) => line[key] ?? 0));
  const bar = (key: "measured" | "memory", n: number) => ({ times: [{ axes: [], share: n / most(key) }] });
  const unmeasured = lines.every((line) => line.measured === null) ? "–" : "not measured";
  return lines.map(({ model, sent, estimate, memory }) => {
    const { name, timing, interconnect } = model.doc;
    const { low, high, runs } = timing ?? { low: 0, high: 0, runs: 0 };
    const between = [low, high].map(duration);
    const parts = model.totals(interconnect).map(({ axes, seconds }) => ({
      axes: axesOf(model.mesh, axes),
      share: seconds / most("estimate"),
    }));
    return {
      name: [[mono(name, { strong: true })]],
      found: [[mono(model.readable ? String(model.collectives.length) : "?")]],
      sent: [[mono(atLeast(model, figures.sent(sent)))]],
      estimate: [[{ times: parts }, mono(atLeast(model, figures.estimate(estimate)))]],
      measured: timing
        ? [
            [
              bar("measured", timing.seconds),
              mono(figures.measured(timing.seconds), { title: `${between.join(" to ")}, median of ${runs}` }),
            ],
            [soft(`${between.join("–")}, n=${runs}`)],
          ]
        : [[soft(unmeasured)]],
      memory: [memory === null ? [soft("not known")] : [bar("memory", memory), mono(figures.memory(memory))]],
    };
  });
}

/** Bytes of memory on a device: what goes in, what comes out, what is needed between. */
function memoryTotal({ memory }: Program): number | null {
  return memory && memory.arguments + memory.outputs + memory.temporaries - memory.aliased;
}
