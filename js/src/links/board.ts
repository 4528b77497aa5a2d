/** Device orders on their links as a part of a card: what is looked at, and the picture. */

import { Layer } from "../card/canvas";
import { memo } from "../card/store";
import type { Links } from "../core/document.gen";
import type { Theme } from "../draw/paint/theme";
import type { LinksFields } from "./fields";
import { crossingText, OrderModel, planeOf, sentenceOf } from "./model/links";
import { type Layout, layoutOf, linksMarks, placeAt, rowAt, type Shown } from "./scene/card";

/** The card that it is in. */
interface Host {
  doc(): Links | null;
  fields(): LinksFields;
  readonly now: { readonly theme: Theme | null; readonly width: number };
  change(patch: Partial<LinksFields>): void;
}

export interface ShownBoard {
  doc: Links;
  shown: Shown;
  layout: Layout;
}

export class Board {
  readonly layer = new Layer();
  readonly #models = memo((doc: Links) => doc.orders.map((order) => new OrderModel(order)));
  readonly #shown = memo(
    (models: readonly OrderModel[], at: number, plane: number, focus: number): Shown => ({ models, at, plane, focus }),
  );
  readonly #layout = memo(layoutOf);

  /** `tallest` is the most height of a plane; not given, that of a card of its own. */
  constructor(
    private readonly host: Host,
    private readonly tallest?: number,
  ) {}

  get now(): LinksFields {
    return this.host.fields();
  }

  get width(): number {
    return this.host.now.width;
  }

  /** Refuses what cannot be drawn. */
  check(doc: Links): void {
    this.#models(doc);
  }

  shown(): ShownBoard | null {
    const doc = this.host.doc();
    const { theme, width } = this.host.now;
    if (!doc || !theme || width === 0) return null;
    const { order, plane, focus, over } = this.now;
    const models = this.#models(doc);
    const at = Math.min(order, models.length - 1);
    const shown = this.#shown(models, at, plane ?? planeOf(models[at]), over >= 0 ? over : focus);
    return { doc, shown, layout: this.#layout(shown, width, this.tallest) };
  }

  /** Keys that do nothing: there is no other order, or no other plane. */
  idle(): readonly string[] {
    const models = this.shown()?.shown.models ?? [];
    return [...(models.length > 1 ? [] : ["← →"]), ...(models.some((m) => m.chips[2] > 1) ? [] : ["[ ]"])];
  }

  paint(): boolean {
    const found = this.shown();
    const { theme } = this.host.now;
    if (!found || !theme) return false;
    const { layout, shown } = found;
    const { lit } = this.now;
    this.layer.paint([layout, shown, lit], layout, theme, () => linksMarks(layout, shown, lit));
    return true;
  }

  /** What is said of the link or the row that is pointed at; else of the link that carries most. */
  said(): string {
    const { shown } = this.shown() ?? {};
    const { lit, over, focus } = this.now;
    const model = shown?.models[lit?.order ?? shown.at];
    if (!model) return "";
    if (lit) return sentenceOf(model, lit.link);
    const crossing = model.order.crossings[over >= 0 ? over : focus];
    if (crossing) return crossingText(crossing);
    return model.most ? sentenceOf(model, model.most, true) : "No link carries anything";
  }

  /** The next plane, round and round. */
  turn(by: number): void {
    const { shown } = this.shown() ?? {};
    const planes = Math.max(...(shown?.models ?? []).map((model) => model.chips[2]));
    this.host.change({ plane: ((shown?.plane ?? 0) + by + planes) % planes, lit: null });
  }

  /** One crossing after another, then all. */
  alone(): void {
    const count = this.shown()?.shown.models[this.now.order]?.order.crossings.length ?? 0;
    this.host.change({ focus: this.now.focus + 1 < count ? this.now.focus + 1 : -1 });
  }

  focus(crossing: number): void {
    this.host.change({ focus: crossing });
  }

  look(plane: number): void {
    this.host.change({ plane, lit: null });
  }

  point(x: number, y: number): void {
    const found = this.shown();
    if (!found) return;
    const lit = placeAt(found.layout, found.shown.plane, x, y);
    const over = rowAt(found.layout, x, y);
    const { lit: before, over: last } = this.now;
    const same =
      lit?.order === before?.order && lit?.link.axis === before?.link.axis && lit?.link.chip === before?.link.chip;
    if (!same || over !== last) this.host.change({ lit, over });
  }

  /** A row that is chosen stays alone; chosen again, all are shown. */
  choose(x: number, y: number): void {
    const found = this.shown();
    const row = found ? rowAt(found.layout, x, y) : -1;
    if (row >= 0) this.focus(this.now.focus === row ? -1 : row);
    this.point(x, y);
  }

  leave(): void {
    const { lit, over } = this.now;
    if (lit || over >= 0) this.host.change({ lit: null, over: -1 });
  }
}
