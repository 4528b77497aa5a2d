/** Compiled programs side by side as one scene: their totals on one scale. */

import type { Cells } from "../../core/cells";
import { PROGRAMS } from "../../core/columns.gen";
import { type Band, headsBand, rule, saysBand, stack } from "../../draw/bands";
import { cellMarks } from "../../draw/cells";
import { label, type Mark, PAD, type Scene, shift } from "../../draw/marks";
import { fit } from "../../draw/measure";
import { sideBySide } from "../model/cells";
import type { ProgramModel } from "../model/program";
import { verdictOfAll } from "../model/words";
import { type ProgramPicture, programScene } from "./card";

const LINE = 44;
/** Below this width a program is a card of its own. */
const NARROW = 700;
const BAR = 90;
/** Between the totals and the program that is open. */
const GAP = 10;

export function programsScene(models: readonly ProgramModel[], width: number): Scene {
  const body = stack([...headBands(models, width), ...sideBySide(models).map((cells) => rowBand(cells, width))]);
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

/** Where the columns stand, the program's name first. */
function spotsOf(width: number) {
  const from = Math.max(180, width * 0.22);
  const each = (width - from - PAD) / 5.4;
  const at = (part: number, end: number) =>
    ({ x: from + part * each, end: from + end * each, y: [27], bar: [BAR, 12] }) as const;
  return {
    name: { x: PAD, end: from - 10, y: [27], size: 13 },
    found: at(0, 0.9),
    sent: at(0.9, 1.9),
    estimate: at(1.9, 3.1),
    measured: at(3.1, 4.3),
    memory: at(4.3, 5.4),
  } as const;
}

function headBands(models: readonly ProgramModel[], width: number): Band[] {
  const used = [...new Set(models.map((m) => m.doc.interconnects[m.doc.interconnect] ?? ""))].filter((s) => s !== "");
  const title = models.length > 1 ? `${models.length} programs side by side` : "1 program";
  const note = used.length > 0 ? `Estimates for ${used.join(", ")} (scaling-book roofline).` : "";
  const marks: Mark[] = [
    label(PAD, 26, title, 15, "ink", { weight: 600 }),
    label(PAD, 46, fit(note, width - 2 * PAD, 12), 12, "muted"),
  ];
  const said = verdictOfAll(models);
  const head = [{ marks, height: 54 }, ...(said ? [saysBand(said, [], width)] : [])];
  if (width < NARROW) return [...head, { marks: [rule(0, 3, width)], height: 4 }];
  return [...head, headsBand(PROGRAMS, spotsOf(width), width)];
}

function rowBand(cells: Cells<typeof PROGRAMS>, width: number): Band {
  const spots = spotsOf(width);
  if (width >= NARROW) {
    const marks = PROGRAMS.flatMap(({ key }) => cellMarks(cells[key], spots[key]));
    return { marks: [...marks, rule(0, LINE - 1, width)], height: LINE };
  }
  const [, ...numbers] = PROGRAMS;
  const marks = numbers.flatMap(({ key, head }, i) => [
    label(PAD, 50 + 20 * i, head, 12, "muted"),
    ...cellMarks(cells[key], { x: PAD + 130, end: width - PAD, y: [50 + 20 * i], bar: [BAR, 12] }),
  ]);
  const name = cellMarks(cells.name, { ...spots.name, end: width - PAD });
  return { marks: [...name, ...marks, rule(0, 145, width)], height: 146 };
}
