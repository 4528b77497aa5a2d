/** The state of a playground: the editor, its picture, and what the model shares with Python. */

import type { ArrayState } from "../array/public";
import { copyText } from "../card/copy";
import { CardState } from "../card/state";
import type { WidgetModel } from "../card/widget";
import type { Placement, SpecDraft } from "../core/document.gen";
import { type Edits, SpecEditor } from "./editor";
import { Feed } from "./feed";
import { decodePlayground, isDraft } from "./model/playground";
import { WholeArrayState } from "./whole";

/** The result of *Apply*. */
export interface Applied {
  type: string;
  error: string;
  said: string;
  /** The draft of what was moved, where something is forbidden. */
  before?: SpecDraft;
}

/** Maximum height of a panel: the editor is above it. */
const HIGH = 268;
/** The same in narrower cards, where more is above it, and below. */
const LOWER = 250;
const LOW = 190;
/** Height of the second line of places that more axes may need. */
const LINE = 24;
/** Height of a bracket with its names. */
const BRACKET = 24;
/** Below this width a card is narrow; from this one on all of its badges stand beside its name. */
const NARROW = 560;
export const BESIDE = 860;

interface Fields {
  editor: SpecEditor | null;
  applied: Applied | null;
  /** Whether Python has not answered the last *Apply* yet. */
  waiting: boolean;
  /** Said beside the button that copies. */
  copied: string;
}

export class PlaygroundState extends CardState<Fields> {
  readonly picture: ArrayState;
  readonly #feed = new Feed(this.widget.get("_look"));
  #placement: Placement | null = null;
  #stopEditor = () => {};

  constructor(widget: WidgetModel, frame: HTMLElement) {
    const fields: Fields = { editor: null, applied: null, waiting: false, copied: "" };
    super(widget, frame, fields, ["_edits", "_applied"]);
    this.picture = new WholeArrayState(this.#feed, frame, HIGH);
    this.until(() => this.picture.dispose());
  }

  override start(): void {
    super.start();
    this.picture.start();
  }

  name(): string {
    return `spec of ${this.now.editor?.doc.name || "an array"}`;
  }

  override failure(): Error | null {
    return this.now.broken ?? this.picture.now.broken;
  }

  override resize(outer: number): void {
    super.resize(outer);
    this.#placement = null;
    this.#draw();
    this.picture.resize(outer);
  }

  override retheme(): void {
    super.retheme();
    this.picture.retheme();
  }

  override print(on: boolean): void {
    super.print(on);
    this.picture.print(on);
  }

  protected override paint(): boolean {
    this.picture.rendered();
    return false;
  }

  /** Calls back when the tree has changed; returns a function that stops that. */
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
    if (this.saved || this.now.waiting) return;
    this.set({ waiting: true, applied: null });
    this.share({ _asked: Number(this.widget.get("_asked") ?? 0) + 1 });
  }

  copy(text: string): void {
    copyText(text, (copied) => this.set({ copied }));
  }

  protected read(document: unknown): void {
    const doc = decodePlayground(document);
    const change = (edits: Edits) => {
      this.set({ applied: null, copied: "" });
      this.share({ _edits: edits });
    };
    const editor = new SpecEditor(doc, change, this.#edits() ?? { drafts: [doc.draft], at: 0 });
    this.set({ editor });
    this.#draw();
  }

  protected override follow(trait: string | null): void {
    const edits = trait === "_edits" ? this.#edits() : null;
    if (edits) this.now.editor?.load(edits);
    if (trait !== "_edits") this.#hear();
  }

  #edits(): Edits | null {
    const given = this.widget.get("_edits") as Partial<Edits> | undefined;
    const { drafts, at } = given ?? {};
    if (!Array.isArray(drafts) || !drafts.every(isDraft) || typeof at !== "number" || !drafts[at]) return null;
    return { drafts: drafts as SpecDraft[], at };
  }

  #hear(): void {
    const applied = this.widget.get("_applied") as Partial<Applied> | undefined;
    const known = typeof applied?.type === "string" ? (applied as Applied) : null;
    this.set({ applied: known, waiting: false });
    if (isDraft(known?.before)) this.now.editor?.set({ moved: known.before });
  }

  #draw(): void {
    const placement = this.now.editor?.placement() ?? null;
    if (placement === null || placement === this.#placement) return;
    this.#placement = placement;
    this.#feed.put(placement);
    const { width } = this.now;
    const { axes } = placement.mesh;
    const most = width < NARROW ? LOW : (width < BESIDE ? LOWER : HIGH) - (axes.length > 2 ? LINE : 0);
    // All axes may stand over one dimension, with a bracket each.
    const more = width < BESIDE ? BRACKET * Math.max(0, axes.length - 3) : 0;
    const high = most + more;
    // An edit is shown at once: what moves is the chip in the hand.
    this.picture.set({ before: null, high });
  }
}
