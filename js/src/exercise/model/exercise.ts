/** Exercises: decoding, and the line of Python that answers. */
import type { Exercises, Feedback, Field, Part, Question } from "../../core/document.gen";
import { decodeDocument } from "../../core/wire";
import { thresholdsOf, thresholdText } from "./moving";

/** What is filled in, by field; what is not there is empty. */
export type Draft = Readonly<Record<string, string>>;

export function decodeExercises(wire: unknown): Exercises {
  return decodeDocument(wire, "exercises", (doc) => {
    if (!Array.isArray(doc.questions) || doc.questions.length === 0) return "it has no questions";
    const bare = doc.questions.find((q) => !Array.isArray(q.fields) || q.fields.length === 0);
    return bare ? `the question ${JSON.stringify(bare.name)} has nothing to fill in` : null;
  });
}

/** How a verdict begins. */
export const VERDICTS: Readonly<Record<Feedback["verdict"], string>> = {
  right: "Right.",
  partly: "Partly right.",
  wrong: "Not yet.",
  malformed: "Not counted.",
};

/** The mark beside a field: a sign and its words, which agree with the verdict of the whole. */
export function markOf(part: Part, { verdict, parts }: Feedback): string {
  if (part.right) return "✓ right";
  const some = (p: Part) => p.right || p.cells.some((right) => right);
  return some(part) || (verdict === "partly" && !parts.some(some)) ? "◐ partly" : "✗ not yet";
}

/** The last answer, as a starting point; before the first what is moved lies where it begins. */
export function draftOf(question: Question): Draft {
  const begins = question.fields.flatMap((f) => {
    if (f.form === "order") return [[f.name, f.options.join(" ")]];
    return f.form === "threshold" ? [[f.name, thresholdText(thresholdsOf(f.sizes).at(-1) ?? 1)]] : [];
  });
  return { ...Object.fromEntries(begins), ...Object.fromEntries(question.answer.map((g) => [g.field, g.text])) };
}

/** The longest choice everywhere: the line of Python has room for it from the beginning. */
export function longestOf({ fields }: Question): Draft {
  const longest = (options: readonly string[]) => options.reduce((a, b) => (b.length > a.length ? b : a), "");
  return Object.fromEntries(fields.filter((f) => f.form === "choice").map((f) => [f.name, longest(f.options)]));
}

export function isComplete(question: Question, draft: Draft): boolean {
  return question.fields.every((f) => f.form === "code" || (draft[f.name] ?? "").replace(/[\s,;]/g, "") !== "");
}

/** Text in runs: what stands between backquotes is code. */
export function codeRuns(text: string): { text: string; code: boolean }[] {
  return text
    .split("`")
    .map((part, i) => ({ text: part, code: i % 2 === 1 }))
    .filter((run) => run.text !== "");
}

// ── The line of Python ──────────────────────────────────────────────────────────────────────────────────────────────

/** The line that answers in a cell, with what is filled in at its place; `…` for what is not. */
export function answerCode(question: Question, draft: Draft): string {
  const literals = question.fields.map((f) => literal(f, draft[f.name] ?? ""));
  const one = literals.length === 1 ? (literals[0] ?? "…") : `(${literals.join(", ")})`;
  return `${question.target}.answer = ${one}`;
}

function literal(field: Field, text: string): string {
  const value = text.trim();
  if (field.form === "code") return field.example;
  if (value === "") return "…";
  switch (field.form) {
    case "spec":
      // As text: the cell that it is pasted into need not have imported PartitionSpec under this name.
      return JSON.stringify(/^(?:P|PartitionSpec|jax)\b/.test(value) ? value : `P(${value})`);
    case "devices":
      return `{${chosen(value).join(", ")}}`;
    case "grid":
      return `[${gridOf(value, field.shape)
        .map((row) => `[${row.map((c) => c.trim() || "…").join(", ")}]`)
        .join(", ")}]`;
    default:
      return JSON.stringify(value);
  }
}

/** Device ids in a text. */
export function chosen(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

/** The cells of a grid's text, always of its shape. */
export function gridOf(text: string, shape: readonly number[]): string[][] {
  const rows = text.split("\n").map((row) => row.split(",").map((c) => c.trim()));
  const [down = 1, across = 1] = shape;
  return Array.from({ length: down }, (_, r) => Array.from({ length: across }, (_, c) => rows[r]?.[c] ?? ""));
}

/** The text of a grid with one cell changed. */
export function withCell(text: string, shape: readonly number[], row: number, column: number, value: string): string {
  const cells = gridOf(text, shape);
  const line = cells[row];
  if (line) line[column] = value.replace(/[,\n]/g, " ");
  return cells.map((r) => r.join(", ")).join("\n");
}
