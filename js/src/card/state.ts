/**
 * The state of a card: what all views have in common. It reads the document, follows the traits of the model and shares
 * them, knows width and theme, paints after every render, and cleans up after itself.
 */
import { type Theme, theme as themeOf } from "../draw/paint/theme";
import { asError, Store } from "./store";
import { type Look, pageTheme } from "./theme";
import type { WidgetModel } from "./widget";

/** Fields of every card, beside a view's own. */
export interface CardFields {
  /** Counts documents: a failure ends with the document that caused it. */
  generation: number;
  /** Why the card cannot be drawn. */
  broken: Error | null;
  /** Width inside the border, in pixels; 0 until the card has been measured. */
  width: number;
  theme: Theme | null;
  /** Whether the card is printed. */
  paper: boolean;
}

/** Narrower cards are cut off. */
const LEAST = 260;
/** Width of a card on A4, in pixels of CSS, with nothing beside it. */
const SHEET = 680;

export abstract class CardState<Fields extends object> extends Store<Fields & CardFields> {
  /** Whether this is a saved page, which has no kernel to ask. */
  readonly saved: boolean;
  readonly #ends: (() => void)[] = [];
  #sharing = false;

  /** `traits` are those that Python may change beside the document: `follow` is called when one does. */
  constructor(
    protected readonly widget: WidgetModel,
    readonly frame: HTMLElement,
    fields: Fields,
    private readonly traits: readonly string[],
  ) {
    super({ ...fields, generation: 0, broken: null, width: 0, theme: null, paper: false });
    this.saved = widget.get("_static") === true;
  }

  /** Reads the model and listens to it. Not in the constructor: a view's own fields do not exist there yet. */
  start(): void {
    const listen = (trait: string, call: () => void) => {
      this.widget.on(`change:${trait}`, call);
      this.until(() => this.widget.off(`change:${trait}`, call));
    };
    const load = () => {
      try {
        this.read(this.widget.get("_document"));
        this.#put({ broken: null, generation: this.now.generation + 1 });
        this.follow(null);
      } catch (error) {
        this.fail(error);
      }
    };
    listen("_document", load);
    for (const trait of this.traits) {
      listen(trait, () => {
        // The view already knows what it has shared itself.
        if (!this.#sharing) this.follow(trait);
      });
    }
    load();
  }

  /** What the card is called where landmarks are listed. */
  abstract name(): string;

  /** Takes a new document; throws if it cannot be drawn. */
  protected abstract read(document: unknown): void;

  /** Takes a trait from Python; null: all of them, because the document has changed. */
  protected follow(_trait: string | null): void {}

  /** Paints what is not painted yet; returns whether a new picture is complete. */
  protected paint(): boolean {
    return true;
  }

  resize(outer: number): void {
    this.#put({ width: Math.max(LEAST, outer - 2), theme: this.now.theme ?? this.#pageTheme() });
  }

  #pageTheme(): Theme {
    return pageTheme(this.frame, (this.widget.get("_look") ?? {}) as Partial<Look>);
  }

  retheme(): void {
    if (this.frame.isConnected && this.now.width > 0 && !this.now.paper) this.#put({ theme: this.#pageTheme() });
  }

  /** Called before (or after) printing: as wide as it is on a sheet of A4, in light colours. */
  print(on: boolean): void {
    const { style } = document.documentElement;
    const { width } = style;
    // What is around a card on the page keeps its room on paper.
    if (on) style.width = `${SHEET + 34}px`;
    this.resize(Math.min(on ? SHEET + 2 : Number.POSITIVE_INFINITY, this.frame.clientWidth));
    style.width = width;
    this.#put({ paper: on, ...(on && { theme: themeOf("light") }) });
    this.retheme();
  }

  /** Called after the tree has been rendered: paints, and signals that the picture is ready. */
  rendered(): void {
    try {
      if (this.now.broken || this.paint())
        this.frame.dataset.swReady = String(Number(this.frame.dataset.swReady ?? 0) + 1);
    } catch (error) {
      this.fail(error);
    }
  }

  /** The error to show in place of the view. */
  failure(): Error | null {
    return this.now.broken;
  }

  fail(thrown: unknown): void {
    this.#put({ broken: asError(thrown) });
  }

  /** Shares with Python the values that differ from Python's. */
  protected share(values: Readonly<Record<string, unknown>>): void {
    const news = Object.entries(values).filter(([trait, value]) => this.widget.get(trait) !== value);
    // Each `set` notifies listeners while the other traits still have their old values.
    this.#sharing = true;
    for (const [trait, value] of news) this.widget.set(trait, value);
    this.#sharing = false;
    if (news.length > 0) this.widget.save_changes();
  }

  /** Registers what to do when the card is removed. */
  protected until(end: () => void): void {
    this.#ends.push(end);
  }

  dispose(): void {
    for (const end of this.#ends) end();
  }

  #put(patch: Partial<CardFields>): void {
    this.set(patch as Partial<Fields & CardFields>);
  }
}
