/** The state of trees side by side: what is listed, and the line that the keyboard is at. */

import { CardState } from "../../card/state";
import { memo } from "../../card/store";
import type { WidgetModel } from "../../card/widget";
import {
  COMPARED_SORTS,
  type Compared,
  ComparedModel,
  type ComparedSort,
  decodeModelComparison,
  listCompared,
} from "./model/compared";

interface Fields {
  model: ComparedModel | null;
  sort: ComparedSort;
  search: string;
  differs: boolean;
  /** Path of the line that the keyboard is at. */
  at: string;
  /** Lines that are in the page at most. */
  most: number;
}

/** More lines than these come on request. */
const MANY = 200;

export class ComparedState extends CardState<Fields> {
  readonly #lines = memo(listCompared);

  constructor(widget: WidgetModel, frame: HTMLElement) {
    const fields: Fields = { model: null, sort: "tree", search: "", differs: false, at: "", most: MANY };
    super(widget, frame, fields, ["selection", "sort", "search", "differs"]);
  }

  name(): string {
    return `${this.now.model?.doc.trees.map((tree) => tree.name).join(", ") ?? "trees"} side by side`;
  }

  /** All lines are printed. */
  override print(on: boolean): void {
    super.print(on);
    this.set({ most: on ? Number.POSITIVE_INFINITY : MANY });
  }

  protected override read(document: unknown): void {
    const model = new ComparedModel(decodeModelComparison(document));
    this.set({ model, at: model.lines[0]?.path ?? "", most: MANY });
  }

  protected override follow(): void {
    const sort = this.widget.get("sort");
    const selection = this.widget.get("selection");
    if (typeof selection === "string") this.set({ at: selection });
    this.set({
      sort: COMPARED_SORTS.find((s) => s === sort) ?? "tree",
      search: String(this.widget.get("search") ?? ""),
      differs: this.widget.get("differs") === true,
    });
  }

  /** The lines that are listed. */
  lines(): readonly Compared[] {
    const { model, sort, search, differs } = this.now;
    return model ? this.#lines(model, sort, search, differs) : [];
  }

  /** Index of the line that the keyboard is at. */
  line(): number {
    return Math.max(
      0,
      this.lines().findIndex((line) => line.path === this.now.at),
    );
  }

  move(index: number): void {
    const lines = this.lines();
    const line = lines[Math.max(0, Math.min(lines.length, this.now.most, index + 1) - 1)];
    if (!line) return;
    this.set({ at: line.path });
    this.share({ selection: line.path });
  }

  /** To the next line, from the first on again, in which a tree has this of the first. */
  next(status: string): void {
    const lines = this.lines();
    const found = lines.flatMap(({ cells }, i) => (cells.slice(1).some((cell) => cell.status === status) ? [i] : []));
    const to = found.find((i) => i > this.line()) ?? found[0];
    if (to === undefined) return;
    while (to >= this.now.most) this.more();
    this.move(to);
  }

  list(change: Partial<Pick<Fields, "sort" | "search" | "differs">>): void {
    this.set({ ...change, most: MANY });
    const { sort, search, differs } = this.now;
    this.share({ sort, search, differs });
  }

  more(): void {
    this.set({ most: this.now.most + MANY });
  }
}
