/** The state of device orders on screen. */

import { CardState } from "../card/state";
import type { WidgetModel } from "../card/widget";
import type { Links } from "../core/document.gen";
import { Board } from "./board";
import { AT_FIRST, type LinksFields } from "./fields";
import { decodeLinks } from "./model/links";

const BEGINNING = { ...AT_FIRST, doc: null as Links | null };
type Fields = typeof BEGINNING;

export class LinksState extends CardState<Fields> {
  readonly board = new Board(this);

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["order"]);
  }

  name(): string {
    const { doc } = this.now;
    return doc ? `links: ${doc.answer}` : "links";
  }

  doc(): Links | null {
    return this.now.doc;
  }

  fields(): LinksFields {
    return this.now;
  }

  change(patch: Partial<LinksFields>): void {
    this.set(patch);
  }

  protected override read(document: unknown): void {
    const doc = decodeLinks(document);
    this.board.check(doc); // What cannot be drawn is said at once.
    this.set({ ...AT_FIRST, doc });
  }

  protected override follow(): void {
    const order = this.widget.get("order");
    if (typeof order === "number") this.set({ order, lit: null });
  }

  protected override paint(): boolean {
    return this.board.paint();
  }

  select(order: number): void {
    const count = this.now.doc?.orders.length ?? 1;
    const next = Math.max(0, Math.min(count - 1, order));
    this.set({ order: next, lit: null });
    this.share({ order: next });
  }
}
