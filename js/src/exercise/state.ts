/** The state of a sheet of exercises: the one on screen, what is filled in, and what Python made of it. */

import { copyText } from "../card/copy";
import { CardState } from "../card/state";
import type { WidgetModel } from "../card/widget";
import type { Exercises, Question } from "../core/document.gen";
import { readSpec, specCode } from "../core/spec/spec";
import { SpecEditor } from "../playground/public";
import { type Draft, decodeExercises, draftOf, isComplete } from "./model/exercise";
import type { Starts } from "./model/timeline";

const BEGINNING = {
  sheet: null as Exercises | null,
  current: 0,
  /** What is filled in, by the name of the exercise; what is not there is the last answer. */
  drafts: {} as Readonly<Record<string, Draft>>,
  /** Where the tasks of a timeline were put, by the name of the exercise. */
  places: {} as Readonly<Record<string, Starts>>,
  /** Whether Python has not dealt with the last request yet. */
  waiting: false,
  /** Said beside the button that copies. */
  copied: "",
  /** How often something has changed in an editor. */
  moves: 0,
};
type Fields = typeof BEGINNING;

interface Request {
  do: string;
  question: number;
  answer?: Draft;
}

export class ExerciseState extends CardState<Fields> {
  /** By the name of the exercise. */
  readonly #editors = new Map<string, SpecEditor>();
  /** Requests that wait for the answer to the one before: hosts keep only the last value of a trait. */
  readonly #queue: Request[] = [];
  /** The last that was sent. */
  #sent: Request | null = null;

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["current", "_heard"]);
  }

  name(): string {
    const { sheet } = this.now;
    const [only, another] = sheet?.questions ?? [];
    return another || !only ? `exercises ${sheet?.name ?? ""}`.trim() : `exercise ${only.name}`;
  }

  question(): Question | null {
    const { sheet, current } = this.now;
    return sheet?.questions[current] ?? null;
  }

  /** What edits the spec that a question asks for; null where it asks for something else. */
  editor(question: Question): SpecEditor | null {
    const [doc, field] = [question.playground, question.fields[0]];
    if (!doc || !field) return null;
    const known = this.#editors.get(question.name);
    if (known) return known;
    const draft = { ...doc.draft, ...readSpec(this.draft(question)[field.name] ?? "") };
    const editor = new SpecEditor(doc, () => this.fill(field.name, specCode(editor.kept())), {
      drafts: [draft],
      at: 0,
    });
    editor.watch(() => this.set({ moves: this.now.moves + 1 }));
    this.#editors.set(question.name, editor);
    return editor;
  }

  /** What is filled in. */
  draft(question: Question): Draft {
    return this.now.drafts[question.name] ?? draftOf(question);
  }

  /** Whether what is filled in is what was judged last. */
  judged(question: Question): boolean {
    if (!question.feedback || question.feedback.verdict === "malformed") return false;
    const [draft, last] = [this.draft(question), draftOf(question)];
    return question.fields.every((f) => (draft[f.name] ?? "").trim() === (last[f.name] ?? "").trim());
  }

  fill(field: string, text: string): void {
    const question = this.question();
    if (!question) return;
    const draft = { ...this.draft(question), [field]: text };
    this.set({ drafts: { ...this.now.drafts, [question.name]: draft }, copied: "" });
  }

  /** Puts the tasks of a timeline elsewhere. */
  place(starts: Starts): void {
    const question = this.question();
    if (question) this.set({ places: { ...this.now.places, [question.name]: starts } });
  }

  /** Clears the fields. Attempts and hints stay. */
  clear(): void {
    const question = this.question();
    if (!question) return;
    const empty = Object.fromEntries(question.fields.map((f) => [f.name, ""]));
    this.#editors.delete(question.name);
    const { [question.name]: _, ...places } = this.now.places;
    this.set({ drafts: { ...this.now.drafts, [question.name]: empty }, places, copied: "" });
  }

  mayCheck(): boolean {
    const question = this.question();
    return !this.saved && question !== null && isComplete(question, this.draft(question));
  }

  check(): void {
    const question = this.question();
    if (question && this.mayCheck()) this.#ask({ do: "answer", answer: this.draft(question) });
  }

  hint(): void {
    if (!this.saved) this.#ask({ do: "hint" });
  }

  go(to: number): void {
    if (!this.now.sheet?.questions[to]) return;
    this.set({ current: to, copied: "" });
    this.share({ current: to });
  }

  /** To the next question that is not passed, from the first on again. */
  nextOpen(): void {
    const { sheet, current } = this.now;
    const open = sheet?.questions.flatMap(({ passed }, i) => (passed ? [] : [i])) ?? [];
    this.go(open.find((i) => i > current) ?? open[0] ?? current);
  }

  copy(text: string): void {
    copyText(text, (copied) => this.set({ copied }));
  }

  protected override paint(): boolean {
    this.frame.dataset.swStep = String(this.now.current);
    return true;
  }

  protected read(document: unknown): void {
    const sheet = decodeExercises(document);
    // An editor that nobody has touched shows the last answer, which may have come from a cell.
    for (const name of this.#editors.keys()) if (!(name in this.now.drafts)) this.#editors.delete(name);
    this.set({ sheet });
  }

  protected override follow(): void {
    const last = (this.now.sheet?.questions.length ?? 1) - 1;
    const current = Math.max(0, Math.min(last, Math.trunc(Number(this.widget.get("current"))) || 0));
    this.set({ current, waiting: this.#asked() > Number(this.widget.get("_heard") ?? 0) });
    // Document and `_heard` come in one message, in any order: this is after both.
    if (!this.now.waiting) queueMicrotask(() => this.#settle());
    this.#send();
  }

  /** What was judged is in the fields as Python writes it, unless something else was filled in meanwhile. */
  #settle(): void {
    const sent = this.#sent;
    this.#sent = null;
    const question = sent?.answer && this.now.sheet?.questions[sent.question];
    if (!question || question.feedback?.verdict === "malformed") return;
    if (this.now.drafts[question.name] !== sent.answer) return;
    this.set({ drafts: { ...this.now.drafts, [question.name]: draftOf(question) } });
  }

  #ask(what: { do: string; answer?: Draft }): void {
    this.#queue.push({ question: this.now.current, ...what });
    this.#send();
  }

  #send(): void {
    const next = this.now.waiting ? undefined : this.#queue.shift();
    if (!next) return;
    this.#sent = next;
    this.set({ waiting: true });
    this.share({ _asked: { n: this.#asked() + 1, ...next } });
  }

  /** Number of the last request. */
  #asked(): number {
    return (this.widget.get("_asked") as { n?: number } | undefined)?.n ?? 0;
  }
}
