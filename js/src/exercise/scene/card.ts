/** Exercises as one scene, for the picture without a page: as they stand, with what was answered and what came of it. */
import type { Scheme } from "../../core/color";
import type { Exercises, Figure, Question } from "../../core/document.gen";
import { MeshModel } from "../../core/mesh";
import { refusalOf } from "../../core/spec/refusal";
import { readSpec } from "../../core/spec/spec";
import type { Badge } from "../../core/text";
import { count } from "../../core/text";
import { type Band, framed, headBand, rule, stack } from "../../draw/bands";
import { type Color, label, type Mark, PAD, type Scene, type Span, shift, TINT } from "../../draw/marks";
import { placementOf } from "../../playground/model/public";
import { chosen, codeRuns, VERDICTS } from "../model/exercise";
import { fieldBand } from "./fields";
import { coloured, figureBand, textBand } from "./figures";
import { proseLines } from "./prose";

export interface ExercisePicture {
  width: number;
  scheme: Scheme;
  /** Index of the exercise to draw; null for all of them. */
  current: number | null;
}

export function exerciseScene(sheet: Exercises, { width, scheme, current }: ExercisePicture): Scene {
  const bands = sheet.questions.flatMap((question, i) =>
    current === null || current === i ? [questionBand(sheet, i, question, width, scheme)] : [],
  );
  const body = stack([...bands, ...footBands(sheet, width)]);
  return framed(width, Math.ceil(body.height), body.marks);
}

function questionBand(sheet: Exercises, number: number, question: Question, width: number, scheme: Scheme): Band {
  const mesh = new MeshModel(question.mesh);
  const of = sheet.questions.length;
  const name = of > 1 ? `${number + 1} of ${of} · ${question.name}` : question.name;
  const devices = question.fields.filter((f) => f.form === "devices");
  const answers = question.answer.filter((given) => devices.some((f) => f.name === given.field));
  const ids = new Set(answers.flatMap((given) => chosen(given.text)));
  const figures = (all: readonly Figure[]) => all.map((f) => figureBand(f, mesh, ids, width, scheme));
  return stack([
    { marks: number > 0 ? [rule(0, 0, width)] : [], height: 0 },
    headBand(name, mesh, [stateOf(question)], width),
    proseBand(prose(question.prompt, mesh), 15, "ink", width),
    ...(question.goal ? [textBand(coloured(question.goal, mesh), width - 2 * PAD, 16)] : []),
    ...figures(question.figures),
    ...question.fields.map((field) => fieldBand(question, field, mesh, width)),
    ...saidBands(question, mesh, width),
    ...question.hints.map((hint) => proseBand(prose(`Hint: ${hint}`, mesh), 13, "muted", width)),
    ...figures(figuresAfter(question)),
    { marks: [], height: 6 },
  ]);
}

function stateOf({ passed, attempts }: Question): Badge {
  if (attempts === 0) return { tone: "plain", strong: "", text: "not answered yet" };
  return { tone: passed ? "ok" : "warn", strong: passed ? "passed," : "not yet,", text: count(attempts, "attempt") };
}

/** What the answer gives: the array by the spec that was answered, or what the feedback shows. */
function figuresAfter({ playground, answer, fields, feedback, figures }: Question): Figure[] {
  if (!playground) return feedback?.figure ? [feedback.figure] : [];
  const spec = readSpec(answer.find((given) => given.field === fields[0]?.name)?.text ?? "");
  const draft = { ...playground.draft, ...spec };
  if (refusalOf(draft, playground)) return [];
  const title = figures.length > 0 ? "your spec" : "";
  return [{ title, placement: placementOf(draft, playground), listing: null, types: [], tables: [] }];
}

/** The verdict in words, and JAX's own error. */
function saidBands({ feedback }: Question, mesh: MeshModel, width: number): Band[] {
  if (!feedback) return [];
  const head: Span = { text: `${VERDICTS[feedback.verdict]} `, weight: 700 };
  const words = [head, ...prose([feedback.message, feedback.question].filter((t) => t !== "").join(" "), mesh)];
  const tone = { right: "ok", partly: "warn", wrong: "warn", malformed: "muted" } as const;
  const raised: Span[] = [{ text: `${feedback.error} `, weight: 700 }, { text: feedback.said }];
  return [
    tinted(words, tone[feedback.verdict], width),
    ...(feedback.error ? [tinted(raised, "error", width)] : []),
    { marks: [], height: 8 },
  ];
}

/** Text on a ground of its own tone. */
function tinted(text: readonly Span[], tone: Color, width: number): Band {
  const words = proseBand(text, 13, tone, width - 2 * PAD);
  const ground: Mark = {
    kind: "rect",
    x: PAD,
    y: 2,
    w: width - 2 * PAD,
    h: words.height,
    r: 6,
    fill: tone,
    alpha: TINT,
  };
  return { marks: [ground, ...shift(words.marks, PAD - 4, 3)], height: words.height + 6 };
}

function proseBand(text: readonly Span[], size: number, color: Color, width: number): Band {
  const lines = proseLines(text, width - 2 * PAD, size);
  const high = Math.round(size * 1.45);
  const marks = lines.map((line, i) => label(PAD, high * (i + 1) - 4, line, size, color));
  return { marks, height: high * lines.length + 8 };
}

/** Text in which code stands between backquotes, which is bold here: a line has one face. */
function prose(text: string, mesh: MeshModel): Span[] {
  return codeRuns(text).flatMap((run) =>
    run.code ? coloured(run.text, mesh).map((span) => ({ ...span, weight: 700 })) : [{ text: run.text }],
  );
}

function footBands(sheet: Exercises, width: number): Band[] {
  if (sheet.name === "") return [];
  const passed = sheet.questions.filter((q) => q.passed).length;
  const who = sheet.student === "" ? "" : ` · ${sheet.student}`;
  const words = [{ text: sheet.name, weight: 700 }, { text: `${who} · ${passed} of ${sheet.questions.length} passed` }];
  const foot = proseBand(words, 12, "muted", width);
  return [{ marks: [rule(0, 0, width), ...shift(foot.marks, 0, 7)], height: foot.height + 8 }];
}
