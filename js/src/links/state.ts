/** The state of device orders on screen: the order, the plane and the mesh axis that are looked at, the link under the pointer. */

import { Layer } from "../card/canvas";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Links } from "../core/document.gen";
import { decodeLinks, type Link, OrderModel } from "./model/links";
import { type Layout, layoutOf, linksMarks, placeAt, type Shown } from "./scene/card";

const BEGINNING = {
  doc: null as Links | null,
  order: 0,
  plane: 0,
  /** The crossing that is shown alone; -1 for all. */
  focus: -1,
  lit: null as { order: number; link: Link } | null,
};
type Fields = typeof BEGINNING;

export class LinksState extends CardState<Fields> {
  readonly layer = new Layer();
  readonly #models = memo((doc: Links) => doc.orders.map((order) => new OrderModel(order)));
  readonly #shown = memo(
    (models: readonly OrderModel[], at: number, plane: number, focus: number): Shown => ({ models, at, plane, focus }),
  );
  readonly #layout = memo(layoutOf);

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["order"]);
  }

  name(): string {
    const { doc } = this.now;
    return doc ? `links: ${doc.answer}` : "links";
  }

  protected override read(document: unknown): void {
    const doc = decodeLinks(document);
    this.#models(doc); // What cannot be drawn is said at once.
    this.set({ doc, order: 0, plane: 0, focus: -1, lit: null });
  }

  protected override follow(): void {
    const order = this.widget.get("order");
    if (typeof order === "number") this.set({ order, lit: null });
  }

  shown(): { doc: Links; shown: Shown; layout: Layout } | null {
    const { doc, theme, width, order, plane, focus } = this.now;
    if (!doc || !theme || width === 0) return null;
    const shown = this.#shown(this.#models(doc), Math.min(order, doc.orders.length - 1), plane, focus);
    return { doc, shown, layout: this.#layout(shown, width) };
  }

  protected override paint(): boolean {
    const found = this.shown();
    const { theme, lit } = this.now;
    if (!found || !theme) return false;
    const { layout, shown } = found;
    this.layer.paint([layout, shown, lit], layout, theme, () => linksMarks(layout, shown, lit));
    return true;
  }

  select(order: number): void {
    const count = this.now.doc?.orders.length ?? 1;
    const next = Math.max(0, Math.min(count - 1, order));
    this.set({ order: next, lit: null });
    this.share({ order: next });
  }

  /** The next plane, round and round. */
  turn(by: number): void {
    const planes = Math.max(...(this.shown()?.shown.models ?? []).map((model) => model.chips[2]));
    this.set({ plane: (this.now.plane + by + planes) % planes, lit: null });
  }

  /** One mesh axis after another, then all. */
  alone(): void {
    const count = this.shown()?.shown.models[this.now.order]?.order.crossings.length ?? 0;
    this.set({ focus: this.now.focus + 1 < count ? this.now.focus + 1 : -1 });
  }

  point(x: number, y: number): void {
    const found = this.shown();
    if (!found) return;
    const lit = placeAt(found.layout, this.now.plane, x, y);
    const before = this.now.lit;
    const same =
      lit?.order === before?.order && lit?.link.axis === before?.link.axis && lit?.link.chip === before?.link.chip;
    if (!same) this.set({ lit });
  }
}
