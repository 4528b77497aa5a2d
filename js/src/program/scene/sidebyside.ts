/** Compiled programs side by side as one scene: their totals on one scale. */

import { bytes, duration } from "../../core/text";
import { type Band, rule, stack } from "../../draw/bands";
import { BOLD, type Box, label, type Mark, MONO, PAD, type Scene, shift } from "../../draw/marks";
import { fit } from "../../draw/measure";
import type { ProgramModel } from "../model/program";
import { callBytes, callTime, foundText, memoryTotal } from "../model/words";
import { barMarks, type ProgramPicture, programScene } from "./card";

const LINE = 44;
/** Below this width a program is a card of its own. */
const NARROW = 700;
const BAR = 90;
/** Between the totals and the program that is open. */
const GAP = 10;

export function programsScene(models: readonly ProgramModel[], width: number): Scene {
  const body = stack([headBand(models, width), ...models.map((m) => rowBand(m, models, width))]);
  const frame = { kind: "rect", x: 0.5, y: 0.5, w: width - 1, h: body.height - 1, r: 8 } as const;
  return {
    width,
    height: body.height,
    marks: [{ ...frame, fill: "bg", stroke: { color: "line", width: 1 } }, ...body.marks],
  };
}

/** The same, with the program that is open below. */
export function openedScene(models: readonly ProgramModel[], opened: ProgramModel, picture: ProgramPicture): Scene {
  const totals = programsScene(models, picture.width);
  const one = programScene(opened, picture);
  const top = totals.height + GAP;
  return { ...one, height: top + one.height, marks: [...totals.marks, ...shift(one.marks, 0, top)] };
}

/** Columns from the program's name on: number, bytes, estimate, measured, memory. */
function columnsOf(width: number) {
  const from = Math.max(180, width * 0.22);
  const each = (width - from - PAD) / 5.4;
  return [from, from + 0.9 * each, from + 1.9 * each, from + 3.1 * each, from + 4.3 * each] as const;
}

const HEADS = ["collectives", "sent/device", "estimate per call", "measured per call", "memory/device"];

function headBand(models: readonly ProgramModel[], width: number): Band {
  const used = [...new Set(models.map((m) => m.doc.interconnects[m.doc.interconnect] ?? ""))].filter((s) => s !== "");
  const title = models.length > 1 ? `${models.length} programs side by side` : "1 program";
  const note = used.length > 0 ? `Estimates for ${used.join(", ")} (scaling-book roofline).` : "";
  const marks: Mark[] = [
    label(PAD, 26, title, 15, "ink", { weight: 600 }),
    label(PAD, 46, fit(note, width - 2 * PAD, 12), 12, "muted"),
  ];
  if (width < NARROW) return { marks: [...marks, rule(0, 57, width)], height: 58 };
  const heads = columnsOf(width).map((x, i) => label(x, 72, HEADS[i] ?? "", 12, "muted"));
  return { marks: [...marks, label(PAD, 72, "program", 12, "muted"), ...heads, rule(0, 83, width)], height: 84 };
}

function rowBand(m: ProgramModel, all: readonly ProgramModel[], width: number): Band {
  const { timing } = m.doc;
  const total = (of: ProgramModel) => of.totals(of.doc.interconnect).reduce((sum, t) => sum + t.seconds, 0);
  const longest = Math.max(1e-12, ...all.map(total));
  const slowest = Math.max(1e-12, ...all.map((of) => of.doc.timing?.seconds ?? 0));
  const most = Math.max(1, ...all.map((of) => memoryTotal(of.doc) ?? 0));
  const memory = memoryTotal(m.doc);
  const cells: readonly ((x: number, y: number) => Mark[])[] = [
    (x, y) => [label(x, y, foundText(m), 12, "ink", MONO)],
    (x, y) => [label(x, y, callBytes(m), 12, "ink", MONO)],
    (x, y) => {
      let at = x;
      const bars = m.totals(m.doc.interconnect).flatMap((t) => {
        const box: Box = { x: at, y: y - 10, w: (BAR * t.seconds) / longest, h: 12 };
        at += box.w;
        return barMarks(m, t.axes, box);
      });
      return [...bars, label(x + BAR + 6, y, callTime(m, m.doc.interconnect), 12, "ink", MONO)];
    },
    (x, y) => plain(x, y, timing && timing.seconds / slowest, timing ? duration(timing.seconds) : "–"),
    (x, y) => plain(x, y, memory === null ? null : memory / most, memory === null ? "not known" : bytes(memory)),
  ];
  const name = label(PAD, 27, fit(m.doc.name, columnsOf(width)[0] - PAD - 10, 13, true), 13, "ink", BOLD);
  if (width >= NARROW) {
    const marks = columnsOf(width).flatMap((x, i) => cells[i]?.(x, 27) ?? []);
    return { marks: [name, ...marks, rule(0, LINE - 1, width)], height: LINE };
  }
  const marks = cells.flatMap((cell, i) => [
    label(PAD, 50 + 20 * i, HEADS[i] ?? "", 12, "muted"),
    ...cell(PAD + 130, 50 + 20 * i),
  ]);
  const whole = label(PAD, 27, fit(m.doc.name, width - 2 * PAD, 13, true), 13, "ink", BOLD);
  return { marks: [whole, ...marks, rule(0, 145, width)], height: 146 };
}

function plain(x: number, y: number, part: number | null, text: string): Mark[] {
  const words = label(part === null ? x : x + BAR + 6, y, text, 12, part === null ? "muted" : "ink", MONO);
  return part === null
    ? [words]
    : [{ kind: "rect", x, y: y - 10, w: Math.max(1, BAR * part), h: 12, fill: "muted" }, words];
}
