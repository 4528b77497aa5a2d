/** The state of an MPMD array on screen: the panels, and the group that is looked at. */

import { Layer } from "../card/canvas";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import { PAD } from "../draw/marks";
import { decodeMpmd, MpmdModel, whereText } from "./model/mpmd";
import { type GroupPanels, groupMarks, layoutGroups } from "./scene/mpmd";

interface Fields {
  model: MpmdModel | null;
  /** The group that is looked at. */
  group: number | null;
  /** Index of the panel that is pointed at. */
  hover: number | null;
}

export interface Shown {
  model: MpmdModel;
  layout: GroupPanels;
  /** Index of the panel that is looked at. */
  at: number | null;
}

export class MpmdState extends CardState<Fields> {
  readonly layer = new Layer();
  readonly #layout = memo(layoutGroups);

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, { model: null, group: null, hover: null }, ["selection"]);
  }

  name(): string {
    const { model } = this.now;
    return model ? `array ${model.doc.name} ${model.doc.type} ${whereText(model)}` : "array on groups";
  }

  protected override read(document: unknown): void {
    this.set({ model: new MpmdModel(decodeMpmd(document)), group: null, hover: null });
  }

  protected override follow(): void {
    const selection = this.widget.get("selection") as { group?: unknown } | null;
    this.set({ group: typeof selection?.group === "number" ? selection.group : null });
  }

  shown(): Shown | null {
    const { model, theme, width, group } = this.now;
    if (!model || !theme || width === 0) return null;
    const layout = this.#layout(model, width - 2 * PAD);
    return { model, layout, at: group === null ? null : model.foldOf(group) };
  }

  protected override paint(): boolean {
    const shown = this.shown();
    const { theme, hover } = this.now;
    if (!shown || !theme) return false;
    const { model, layout, at } = shown;
    return this.layer.paint([layout, at, hover], layout, theme, () =>
      groupMarks(model, layout, theme.scheme, at, hover),
    );
  }

  /** Looks at a panel; null at none. */
  look(panel: number | null): void {
    const group = panel === null ? null : (this.now.model?.folds[panel]?.groups[0] ?? null);
    this.set({ group });
    this.share({ selection: group === null ? null : { group } });
  }

  /** To the next group that holds the array, from the first on again. */
  next(): void {
    const { model, group } = this.now;
    if (!model) return;
    const at = model.folds.findIndex(({ groups }) => group !== null && groups.includes(group));
    const held = model.folds.flatMap(({ groups }, i) => (groups.some((g) => model.holding.includes(g)) ? [i] : []));
    this.look(held.find((i) => i > at) ?? held[0] ?? null);
  }

  /** To the next panel, or the one before. */
  move(by: number): void {
    const shown = this.shown();
    if (!shown) return;
    const last = shown.layout.panels.length - 1;
    this.look(shown.at === null ? (by > 0 ? 0 : last) : Math.max(0, Math.min(last, shown.at + by)));
  }
}
