/** Compiled programs side by side as one scene: their totals on one scale. */

import { headOf } from "../../core/columns";
import { PROGRAMS } from "../../core/columns.gen";
import { type Band, headsBand, rule, stack } from "../../draw/bands";
import { BOLD, type Box, label, type Mark, MONO, PAD, type Scene, shift } from "../../draw/marks";
import { fit } from "../../draw/measure";
import type { ProgramModel } from "../model/program";
import { type ProgramCells, sideBySide } from "../model/words";
import { barMarks, type ProgramPicture, programScene } from "./card";

const LINE = 44;
/** Below this width a program is a card of its own. */
const NARROW = 700;
const BAR = 90;
/** Between the totals and the program that is open. */
const GAP = 10;

export function programsScene(models: readonly ProgramModel[], width: number): Scene {
  const { cells, longest } = sideBySide(models);
  const body = stack([...headBands(models, width), ...cells.map((line) => rowBand(line, longest, width))]);
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

/** Where the columns begin, the program's name first. */
function placesOf(width: number) {
  const from = Math.max(180, width * 0.22);
  const each = (width - from - PAD) / 5.4;
  const at = (part: number) => [from + part * each] as const;
  return { name: [PAD], found: at(0), sent: at(0.9), estimate: at(1.9), measured: at(3.1), memory: at(4.3) } as const;
}

function headBands(models: readonly ProgramModel[], width: number): Band[] {
  const used = [...new Set(models.map((m) => m.doc.interconnects[m.doc.interconnect] ?? ""))].filter((s) => s !== "");
  const title = models.length > 1 ? `${models.length} programs side by side` : "1 program";
  const note = used.length > 0 ? `Estimates for ${used.join(", ")} (scaling-book roofline).` : "";
  const marks: Mark[] = [
    label(PAD, 26, title, 15, "ink", { weight: 600 }),
    label(PAD, 46, fit(note, width - 2 * PAD, 12), 12, "muted"),
  ];
  if (width < NARROW) return [{ marks: [...marks, rule(0, 57, width)], height: 58 }];
  return [{ marks, height: 51 }, headsBand(PROGRAMS, placesOf(width), width)];
}

function rowBand({ model, parts, ...line }: ProgramCells, longest: number, width: number): Band {
  const { name: _, ...places } = placesOf(width);
  const cells: Readonly<Record<keyof typeof places, (x: number, y: number) => Mark[]>> = {
    found: (x, y) => [label(x, y, line.found, 12, "ink", MONO)],
    sent: (x, y) => [label(x, y, line.sent, 12, "ink", MONO)],
    estimate: (x, y) => {
      let at = x;
      const bars = model.totals(model.doc.interconnect).flatMap((t) => {
        const box: Box = { x: at, y: y - 10, w: (BAR * t.seconds) / longest, h: 12 };
        at += box.w;
        return barMarks(model, t.axes, box);
      });
      return [...bars, label(x + BAR + 6, y, line.estimate, 12, "ink", MONO)];
    },
    measured: (x, y) => (line.measured ? bar(x, y, parts.measured, line.measured) : none(x, y, "–")),
    memory: (x, y) => (line.memory ? bar(x, y, parts.memory, line.memory) : none(x, y, "not known")),
  };
  const wide = width >= NARROW;
  const room = wide ? places.found[0] - PAD - 10 : width - 2 * PAD;
  const name = label(PAD, 27, fit(model.doc.name, room, 13, true), 13, "ink", BOLD);
  const keys = Object.keys(places) as (keyof typeof places)[];
  if (wide) {
    const marks = keys.flatMap((key) => cells[key](places[key][0], 27));
    return { marks: [name, ...marks, rule(0, LINE - 1, width)], height: LINE };
  }
  const marks = keys.flatMap((key, i) => [
    label(PAD, 50 + 20 * i, headOf(PROGRAMS, key), 12, "muted"),
    ...cells[key](PAD + 130, 50 + 20 * i),
  ]);
  return { marks: [name, ...marks, rule(0, 145, width)], height: 146 };
}

function bar(x: number, y: number, part: number, text: string): Mark[] {
  const words = label(x + BAR + 6, y, text, 12, "ink", MONO);
  return [{ kind: "rect", x, y: y - 10, w: Math.max(1, BAR * part), h: 12, fill: "muted" }, words];
}

function none(x: number, y: number, text: string): Mark[] {
  return [label(x, y, text, 12, "muted", MONO)];
}
