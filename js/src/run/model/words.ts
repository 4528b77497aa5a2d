/** What is said of a measured run. */
import { type Figures, figuresOf } from "../../core/columns";
import { MEASURED } from "../../core/columns.gen";
import type { MeasuredCollective, Operation, Run, Source } from "../../core/document.gen";
import { duration, percent, percents, rate } from "../../core/format";
import { type Badge, capital, count, some } from "../../core/text";
import type { Doing, RunModel } from "./run";

/** The share of waiting from which on it is pointed out. */
const MUCH = 0.05;

/** From so many times the median on, the mean seconds of a call are said, too. */
const APART = 1.1;

export function badgesOf({ shares, seconds, collectives, lanes }: Run): Badge[] {
  const call: Badge = {
    strong: duration(median(seconds)),
    text: "a call, median",
    tone: "plain",
    to: seconds.length > 1 ? "calls" : undefined,
  };
  // One device sends nothing and waits for nobody.
  if (lanes.length === 1 && collectives.length === 0) return [call];
  return [
    call,
    {
      strong: percent(shares.communication),
      text: "in collectives",
      tone: "plain",
      to: collectives.length > 0 ? "collectives" : undefined,
    },
    {
      strong: percent(shares.waiting),
      text: "waiting",
      tone: shares.waiting >= MUCH ? "warn" : "plain",
      to: shares.waiting > 0 ? "wait" : undefined,
    },
  ];
}

/** Where most of the waiting is, or what a call spends the most time on: the answer, in one sentence. */
export function answerOf(run: Run): string {
  const { shares, collectives, lanes, lines, seconds } = run;
  if (lanes.length === 0) return "The trace has no device events";
  const waits = [...collectives].sort((a, b) => b.call_wait_s - a.call_wait_s)[0];
  if (shares.waiting >= MUCH && waits && waits.call_wait_s > 0) {
    const line = waits.source ? `, in ${lineOf(run, waits.source)}` : "";
    return `${percent(shares.waiting)} of the time is waiting for others: most ${overText(waits)}${line}`;
  }
  const took = tookText(seconds);
  const costly = [...lines, ...collectives].sort((a, b) => b.call_s - a.call_s)[0];
  if (!costly) return took;
  const line = costly.source ? lineOf(run, costly.source) : "";
  const what = "kind" in costly ? `${costly.kind} ${overText(costly)}${line && ` in ${line}`}` : line;
  const share = costly.call_s / mean(seconds);
  if (shares.idle > share)
    return `${percent(shares.idle)} of ${took} has no event on a device; ${what} takes ${percent(share)}`;
  return `${capital(what)} takes ${percent(share)} of ${took}`;
}

/** Seconds of a call: the median, or the mean, which shares are of, where a few calls took much longer. */
function tookText(seconds: readonly number[]): string {
  const [middle, all] = [median(seconds), mean(seconds)];
  if (all <= APART * middle) return `${duration(middle)} per call`;
  return `${duration(all)} per call (median ${duration(middle)})`;
}

/** A line, with its file where there are several. */
function lineOf(run: Run, { file, line }: Source): string {
  return severalFiles(run) ? `line ${line} of ${file}` : `line ${line}`;
}

/** A line where there is little room, with its file where there are several: `layers.py:97`. */
export function placeOf(run: Run, { file, line }: Source, word = ""): string {
  return severalFiles(run) ? `${file}:${line}` : `${word}${line}`;
}

function severalFiles({ lines, collectives }: Run): boolean {
  return new Set([...lines, ...collectives].flatMap(({ source }) => source?.file ?? [])).size > 1;
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

export function targetText({ target, seconds }: Run): string {
  return `measured on ${target}, ${count(seconds.length, "call")}`;
}

export function lineText(o: Operation | MeasuredCollective | null): string {
  return o?.source ? `line ${o.source.line}` : "no source line";
}

/** The line with its code. */
export function codeText(o: Operation | MeasuredCollective | null): string {
  return o?.source?.text ? `${lineText(o)} · ${o.source.text}` : lineText(o);
}

export function overText(c: MeasuredCollective): string {
  return c.axes.length > 0 ? `over ${c.axes.join(", ")}` : "of irregular groups";
}

/** What a device does at a moment, as a sentence: what a screen reader says at the cursor. */
export function doingText(model: RunModel, { lane, event, what, waitsFor, since, left }: Doing): string {
  const device = `device ${model.mesh.ids[lane.position]}`;
  const [o, c] = [model.operation(lane, event), model.collective(lane, event)];
  if (what === "nothing" || !o) return `${device}: no event`;
  const at = model.iterations(lane, event);
  const iteration = at.length > 0 ? `, iteration ${at.join(", ")}` : "";
  const took = duration(model.seconds((lane.end[event] ?? 0) - (lane.start[event] ?? 0)));
  if (!c) return `${device}: ${o.name}, ${took}${iteration}; ${codeText(o)}`;
  const name = `${c.kind} ${overText(c)}`;
  if (what === "collective") return `${device}: ${name}, ${took}${iteration}; ${codeText(c)}`;
  const whom = waitsFor === null ? "" : ` for device ${model.mesh.ids[waitsFor]}`;
  const times = `${duration(model.seconds(since))} so far, ${duration(model.seconds(left))} more`;
  return `${device} waits${whom}, ${times}: ${name}${iteration}; ${codeText(c)}`;
}

/** What all devices do at a moment, in one line. */
export function summaryText(all: readonly Doing[]): string {
  const waiting = all.filter((d) => d.what === "wait");
  const busy = all.filter((d) => d.what === "compute").length;
  const moving = all.filter((d) => d.what === "collective").length;
  if (waiting.length > 0) {
    const whom = new Set(waiting.flatMap((d) => d.waitsFor ?? [])).size;
    return `${count(waiting.length, "device")} ${waiting.length === 1 ? "waits" : "wait"} for ${whom}`;
  }
  const parts = [
    busy > 0 ? `${count(busy, "device")} ${busy === 1 ? "computes" : "compute"}` : "",
    moving > 0 ? `${moving} in a collective` : "",
  ].filter(Boolean);
  return parts.join(", ") || "no device has an event";
}

/** How the bars of the collectives are read; empty where there are none. */
export function barsText({ doc, calls }: RunModel): string {
  if (doc.collectives.length === 0) return "";
  return `Bar: 10th to 90th percentile over ${count(doc.lanes.length, "device")} and ${count(calls, "call")}; thick mark: median; dashed mark: the estimate. Wait: median, then 90th percentile.`;
}

/** What stands below the table, sentence by sentence. */
export function notesOf({ doc }: RunModel): string[] {
  const notes: string[] = [];
  if (doc.interconnect && doc.collectives.length > 0)
    notes.push(`Estimates: bytes over ${doc.interconnect}${doc.peak > 0 ? `, ${rate(doc.peak)}` : ""}.`);
  if (doc.collectives.length > 0 && doc.lines.length > 0) notes.push(`Computes, by line: ${computesText(doc)}.`);
  if (doc.shares.hidden > 0) notes.push(`${percent(doc.shares.hidden)} of the communication is hidden behind compute.`);
  if (doc.unjoined.length > 0) {
    const names = some(
      doc.unjoined.map((u) => (u.why === "no source line" ? u.name : `${u.name} (${u.why})`)),
      3,
    );
    notes.push(`${percent(doc.joined)} of the device time has a source line; without one: ${names}.`);
  }
  for (const clock of doc.clocks) {
    if (clock.collectives > 0)
      notes.push(
        `The clock of process ${clock.process} was moved by ${duration(Math.abs(clock.offset_s))}; its times may still be ${duration(clock.skew_s)} off.`,
      );
  }
  if (doc.merged_events > 0) notes.push(`${doc.merged_events} short events are merged with their neighbours.`);
  return notes;
}

function computesText(run: Run): string {
  const { lines } = run;
  const write = percents(lines.slice(0, 3).map((line) => line.share));
  return some(
    lines.map((line) => `${placeOf(run, line.source)} (${write(line.share)})`),
    3,
  );
}

/** How the numbers of the collectives are written, column by column. */
export function runFigures({ collectives }: RunModel): RunFigures {
  return figuresOf(
    MEASURED,
    collectives.map((c) => ({
      sent: c.bytes_per_device,
      time: c.median_s,
      wait: [c.wait_s, c.wait_high_s],
      estimate: c.estimate_s,
      rate: c.bytes_per_second,
    })),
  );
}

export type RunFigures = Figures<typeof MEASURED>;
