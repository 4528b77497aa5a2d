/** What is asked for, and what was answered: each field with its answer and its mark. */

import type { Field, Part, Question } from "../../core/document.gen";
import type { MeshModel } from "../../core/mesh";
import { type Band, stack } from "../../draw/bands";
import { type Color, label, type Mark, MONO, PAD, type TextMark, TINT } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { chosen, gridOf, markOf } from "../model/exercise";
import { coloured } from "./figures";
import { proseLines } from "./prose";

const SIZE = 13;
const LINE = 19;
const CELL = { w: 68, h: 30 };
/** Where nothing is filled in yet. */
const OPEN = 220;

export function fieldBand(question: Question, field: Field, mesh: MeshModel, width: number): Band {
  const text = question.answer.find((given) => given.field === field.name)?.text ?? "";
  const { feedback } = question;
  const part = feedback?.parts.find((p) => p.field === field.name);
  const mark =
    part && feedback
      ? label(0, 14, markOf(part, feedback), 12, part.right ? "ok" : "warn", { weight: 600 })
      : undefined;
  const room = width - 2 * PAD;
  return stack([headBand(field.label, mark), bodyBand(field, text, part, mesh, room), { marks: [], height: 10 }]);
}

function headBand(name: string, mark: TextMark | undefined): Band {
  const x = PAD + textWidth(name, 12) + 10;
  return { marks: [label(PAD, 14, name, 12, "muted"), ...(mark ? [{ ...mark, x }] : [])], height: 20 };
}

function bodyBand(field: Field, text: string, part: Part | undefined, mesh: MeshModel, room: number): Band {
  if (field.form === "choice") return choiceBand(field.options, text, room);
  if (field.form === "grid") return gridBand(gridOf(text, field.shape), part);
  const answer = field.form === "devices" ? chosen(text).join(", ") : text;
  return answerBand(answer, mesh, room);
}

function choiceBand(options: readonly string[], text: string, room: number): Band {
  const marks: Mark[] = [];
  let [x, y] = [0, 0];
  for (const option of options) {
    const w = textWidth(option, SIZE, true) + 42;
    if (x > 0 && x + w - 22 > room) [x, y] = [0, y + 24];
    const dot = { x: PAD + x, y: y + 4, w: 13, h: 13 };
    marks.push({ kind: "rect", ...dot, r: 6.5, fill: "bg", stroke: { color: "muted", width: 1 } });
    if (option === text) marks.push({ kind: "rect", x: dot.x + 3, y: dot.y + 3, w: 7, h: 7, r: 3.5, fill: "ink" });
    marks.push(label(PAD + x + 20, y + 15, option, SIZE, "ink", MONO));
    x += w;
  }
  return { marks, height: y + 24 };
}

function gridBand(rows: readonly (readonly string[])[], part: Part | undefined): Band {
  const across = rows[0]?.length ?? 0;
  const marks = rows.flatMap((row, r) =>
    row.flatMap((cell, c): Mark[] => {
      const box = { x: PAD + CELL.w * c, y: CELL.h * r, ...CELL };
      const right = part?.cells[r * across + c];
      const tone: Color | null = right === undefined ? null : right ? "ok" : "warn";
      return [
        ...(tone ? [{ kind: "rect", ...box, fill: tone, alpha: TINT } as const] : []),
        { kind: "rect", ...box, stroke: { color: "muted", width: 1 } },
        label(box.x + box.w - 8, box.y + 20, cell, SIZE, "ink", { ...MONO, anchor: "end" }),
        ...(tone ? [label(box.x + 6, box.y + 19, right ? "✓" : "✗", 11, tone)] : []),
      ];
    }),
  );
  return { marks, height: CELL.h * rows.length + 2 };
}

/** An answer in its frame; an empty one where there is none. */
function answerBand(text: string, mesh: MeshModel, room: number): Band {
  const lines = text.split("\n").flatMap((line) => proseLines(coloured(line, mesh), room - 20, SIZE, true));
  const widest = Math.max(...lines.map((line) => textWidth(line.map((s) => s.text).join(""), SIZE, true)));
  const box = { x: PAD, y: 0, w: Math.min(room, Math.max(OPEN, widest + 20)), h: LINE * lines.length + 12 };
  return {
    marks: [
      { kind: "rect", ...box, r: 6, stroke: { color: "muted", width: 1 } },
      ...lines.map((line, i) => label(PAD + 10, 20 + LINE * i, line, SIZE, "ink", MONO)),
    ],
    height: box.h + 2,
  };
}
