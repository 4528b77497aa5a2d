/** The state of a playground: the editor, its picture, and what the model shares with Python. */

import type { Placement, SpecDraft } from "../../model/document.gen";
import { decodePlayground, isDraft } from "../../model/playground";
import { ViewState } from "../array/state";
import { asError, Store } from "../card/store";
import type { WidgetModel } from "../card/widget";
import { type Edits, SpecEditor } from "./editor";
import { Feed } from "./feed";

/** What came of *Apply*. */
export interface Applied {
  type: string;
  error: string;
  said: string;
}

interface Fields {
  editor: SpecEditor | null;
  broken: Error | null;
  generation: number;
  applied: Applied | null;
  /** Whether Python has not answered the last *Apply* yet. */
  waiting: boolean;
  /** Said beside the button that copies. */
  copied: string;
}

export class PlaygroundState extends Store<Fields> {
  readonly picture: ViewState;
  /** Whether there is no kernel to ask. */
  readonly still: boolean;
  readonly #feed = new Feed();
  readonly #widget: WidgetModel;
  readonly #undo: (() => void)[] = [];
  #placement: Placement | null = null;
  #stopEditor = () => {};

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super({ editor: null, broken: null, generation: 0, applied: null, waiting: false, copied: "" });
    this.#widget = widget;
    this.still = widget.get("_static") === true;
    this.picture = new ViewState(this.#feed, frame);
    this.#listen("_document", () => this.#load());
    this.#listen("_edits", () => this.#receive());
    this.#listen("_applied", () => this.#hear());
    this.#load();
    this.#hear();
  }

  /** Calls back when the tree is another one; returns what ends that. */
  override watch(changed: () => void): () => void {
    const stops = [super.watch(changed), this.picture.watch(changed)];
    const follow = () => {
      this.#stopEditor();
      this.#stopEditor =
        this.now.editor?.watch(() => {
          this.#draw();
          changed();
        }) ?? (() => {});
    };
    follow();
    stops.push(super.watch(follow));
    return () => {
      for (const stop of stops) stop();
      this.#stopEditor();
    };
  }

  apply(): void {
    if (this.still || this.now.waiting) return;
    this.set({ waiting: true, applied: null });
    this.#share("_asked", Number(this.#widget.get("_asked") ?? 0) + 1);
  }

  copy(text: string): void {
    const say = (copied: string) => () => this.set({ copied });
    navigator.clipboard.writeText(text).then(say("Copied."), say("Copying is not allowed here: select the text."));
  }

  dispose(): void {
    for (const undo of this.#undo) undo();
    this.picture.dispose();
  }

  #load(): void {
    try {
      const doc = decodePlayground(this.#widget.get("_document"));
      const editor = new SpecEditor(
        doc,
        (edits) => {
          this.set({ applied: null, copied: "" });
          this.#share("_edits", edits);
        },
        this.#edits() ?? { drafts: [doc.draft], at: 0 },
      );
      this.set({ editor, broken: null, generation: this.now.generation + 1 });
      this.#draw();
    } catch (error) {
      this.set({ broken: asError(error) });
    }
  }

  #receive(): void {
    const edits = this.#edits();
    if (edits) this.now.editor?.load(edits);
  }

  #edits(): Edits | null {
    const given = this.#widget.get("_edits") as Partial<Edits> | undefined;
    const { drafts, at } = given ?? {};
    if (!Array.isArray(drafts) || !drafts.every(isDraft) || typeof at !== "number" || !drafts[at]) return null;
    return { drafts: drafts as SpecDraft[], at };
  }

  #hear(): void {
    const applied = this.#widget.get("_applied") as Partial<Applied> | undefined;
    const known = typeof applied?.type === "string" ? (applied as Applied) : null;
    this.set({ applied: known, waiting: false });
  }

  #draw(): void {
    const placement = this.now.editor?.placement() ?? null;
    if (placement === null || placement === this.#placement) return;
    this.#placement = placement;
    this.#feed.put(placement);
    // An edit is shown at once: what moves is the chip in the hand.
    this.picture.set({ before: null });
  }

  #share(name: string, value: unknown): void {
    this.#widget.set(name, value);
    this.#widget.save_changes();
  }

  #listen(name: string, callback: () => void): void {
    this.#widget.on(`change:${name}`, callback);
    this.#undo.push(() => this.#widget.off(`change:${name}`, callback));
  }
}
