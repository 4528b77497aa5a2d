/** The state of words on screen. */
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import { type Words, wordsOf } from "./model/text";

const BEGINNING = { text: "", kind: "" };
type Fields = typeof BEGINNING;

export class TextState extends CardState<Fields> {
  readonly #words = memo(wordsOf);

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["_text"]);
  }

  name(): string {
    const { name, first } = this.words();
    return `${name}: ${first}`;
  }

  protected override read(document: unknown): void {
    this.set({ kind: String(Object(document).kind) });
  }

  protected override follow(): void {
    this.set({ text: String(this.widget.get("_text") ?? "") });
  }

  protected override paint(): boolean {
    return this.now.text !== "";
  }

  words(): Words {
    return this.#words(this.now.text, this.now.kind);
  }
}
