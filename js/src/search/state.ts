/** The state of a search on screen: the candidate that is looked at, and how candidates are listed. */

import { Layer } from "../card/canvas";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Search } from "../core/document.gen";
import type { Running } from "./model/search";
import { answerOf, decodeSearch, type Order, SearchModel } from "./model/search";
import { type Chart, chartMarks, chartOf, selectedMarks } from "./scene/chart";
import { type Table, tableMarks, tableOf, WINDOW } from "./scene/table";

const BEGINNING = {
  doc: null as Search | null,
  /** Its place in the document; -1 for the best. */
  candidate: -1,
  order: "time" as Order,
  /** Whether only what fits is listed. */
  fitting: false,
  /** What became of copying. */
  said: "",
  running: "" as Running,
  /** How far the table is scrolled, to a whole window. */
  top: 0,
  /** The view of the candidate that was asked for; null for none. */
  opened: null as Opened | null,
};
type Fields = typeof BEGINNING;

export interface Opened {
  /** The number of the request. */
  n: number;
  front_end?: string;
  state?: Record<string, unknown>;
  error?: string;
}

export type What = "program" | "diff" | "model";

export interface Shown {
  model: SearchModel;
  chart: Chart;
  table: Table;
  selected: number;
}

/** From this width on the chart stands beside the details. */
export const BESIDE = 858;
export const CHART = 430;

export class SearchState extends CardState<Fields> {
  readonly chart = new Layer();
  readonly ring = new Layer();
  readonly table = new Layer();
  #asked = 0;
  readonly #model = memo((doc: Search) => new SearchModel(doc));
  readonly #chart = memo(chartOf);
  readonly #rows = memo((model: SearchModel, order: Order, fitting: boolean) => model.listed(order, fitting));
  readonly #table = memo(tableOf);

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["candidate", "running", "_opened"]);
  }

  name(): string {
    const { doc } = this.now;
    return doc ? `search: ${answerOf(this.#model(doc)).join(" ")}` : "search";
  }

  protected override read(document: unknown): void {
    const { candidate } = this.now;
    const doc = decodeSearch(document);
    this.set({ doc, candidate: candidate < doc.candidates.length ? candidate : -1 });
  }

  protected override follow(): void {
    const candidate = this.widget.get("candidate");
    if (typeof candidate === "number") this.set({ candidate });
    const answer = this.widget.get("_opened") as Opened | null | undefined;
    this.set({
      running: (this.widget.get("running") ?? "") as Running,
      opened: answer && answer.n === this.#asked ? answer : this.now.opened,
    });
  }

  shown(): Shown | null {
    const { doc, theme, width, order, fitting, candidate } = this.now;
    if (!doc || !theme || width === 0) return null;
    const model = this.#model(doc);
    const rows = this.#rows(model, order, fitting);
    return {
      model,
      chart: this.#chart(model, width >= BESIDE ? CHART : width),
      table: this.#table(model, width, rows),
      selected: model.rows[candidate] ? candidate : (model.best?.index ?? 0),
    };
  }

  protected override paint(): boolean {
    const shown = this.shown();
    const { theme } = this.now;
    if (!shown || !theme) return false;
    const { chart, table, selected } = shown;
    this.chart.paint([chart], chart, theme, () => chartMarks(chart));
    this.ring.paint([chart, selected], chart, theme, () => selectedMarks(chart, selected));
    const { top } = this.now;
    const size = { width: table.width, height: Math.min(table.height, WINDOW) };
    this.table.paint([table, selected, top], size, theme, () => tableMarks(table, selected, top));
    return true;
  }

  select(candidate: number | null): void {
    if (candidate === null) return;
    this.set({ candidate });
    this.share({ candidate });
  }

  /** Asks Python: to stop, to go on, for a view of the candidate. */
  ask(todo: "stop" | "go on" | "open", what: What = "program"): void {
    if (this.saved) return;
    this.#asked += 1;
    if (todo === "open") this.set({ opened: { n: this.#asked } });
    this.share({ _asked: { n: this.#asked, do: todo, what } });
  }

  /** Follows the list; each half of a window is painted once. */
  scrolled(top: number): void {
    this.set({ top: Math.floor(top / (WINDOW / 2)) * (WINDOW / 2) });
  }

  /** To another line of the table. */
  move(by: number): void {
    const shown = this.shown();
    if (!shown) return;
    const { rows } = shown.table;
    const at = rows.findIndex((row) => row.index === shown.selected);
    this.select(rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.index ?? null);
  }
}
