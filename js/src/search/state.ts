/** The state of a search on screen: the candidate that is looked at, and how candidates are listed. */

import { Layer } from "../card/canvas";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Search } from "../core/document.gen";
import type { Running } from "./model/search";
import { answerOf, decodeSearch, ORDERS, type Order, SearchModel } from "./model/search";
import { type Chart, chartMarks, chartOf, selectedMarks } from "./scene/chart";
import { rowMarks, STEP, type Table, tableMarks, tableOf, WINDOW } from "./scene/table";

const BEGINNING = {
  doc: null as Search | null,
  /** Its place in the document; -1 for the best. */
  candidate: -1,
  order: "time" as Order,
  /** Whether only what fits is listed. */
  fitting: false,
  /** Bytes of memory that a chip would have, where the wall was moved; null for those that it has. */
  less: null as number | null,
  /** Title of the candidate that the reader asked for to be compiled. */
  next: "",
  /** Seconds for which the one that is compiled is compiled already. */
  seconds: 0,
  /** What became of copying: the code, or what is offered. */
  said: "",
  offered: "",
  running: "" as Running,
  /** The mesh axis, and the candidate of the chart, that is pointed at; null for none. */
  axis: null as number | null,
  near: null as number | null,
  /** What a narrow card shows below the chart. */
  tab: "candidates" as Tab,
  /** How far the table is scrolled, in whole steps. */
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

export type Tab = "candidates" | "specs" | "code";

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
/** Places of the wall: parts of a chip's memory. */
export const WALLS = 64;

export class SearchState extends CardState<Fields> {
  readonly chart = new Layer();
  readonly ring = new Layer();
  readonly table = new Layer();
  /** The row that is looked at, over the table: to move it paints no other. */
  readonly row = new Layer();
  #asked = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #model = memo((doc: Search, less: number | null, next: string) => new SearchModel(doc, less, next));
  /** With the memory that chips have. */
  readonly #real = memo((doc: Search) => new SearchModel(doc));
  readonly #chart = memo(chartOf);
  readonly #rows = memo((model: SearchModel, order: Order, fitting: boolean) => model.listed(order, fitting));
  readonly #table = memo(tableOf);

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["candidate", "running", "_opened"]);
    this.until(() => clearInterval(this.#timer));
  }

  name(): string {
    const { doc } = this.now;
    return doc ? `search: ${answerOf(this.#real(doc)).join(" ")}` : "search";
  }

  protected override read(document: unknown): void {
    const { candidate } = this.now;
    const doc = decodeSearch(document);
    this.set({ doc, candidate: candidate < doc.candidates.length ? candidate : -1, seconds: 0 });
    clearInterval(this.#timer);
    if (doc.compiling < 0 || this.saved) return;
    const since = performance.now();
    this.#timer = setInterval(() => this.set({ seconds: (performance.now() - since) / 1000 }), 1000);
  }

  protected override follow(): void {
    const candidate = this.widget.get("candidate");
    if (typeof candidate === "number") this.set({ candidate });
    const answer = this.widget.get("_opened") as Opened | null | undefined;
    const running = (this.widget.get("running") ?? "") as Running;
    this.set({
      running,
      next: running === "running" ? this.now.next : "",
      opened: answer && answer.n === this.#asked ? answer : this.now.opened,
    });
  }

  shown(): Shown | null {
    const { doc, theme, width, order, fitting, candidate, less, next } = this.now;
    if (!doc || !theme || width === 0) return null;
    const model = this.#model(doc, less, next);
    const rows = this.#rows(model, order, fitting);
    return {
      model,
      chart: this.#chart(model, width >= BESIDE ? CHART : width),
      table: this.#table(model, width, rows),
      // Moving the wall does not choose another.
      selected: model.rows[candidate] ? candidate : (this.#real(doc).best?.index ?? 0),
    };
  }

  protected override paint(): boolean {
    const shown = this.shown();
    const { theme } = this.now;
    if (!shown || !theme) return false;
    const { model, chart, table, selected } = shown;
    this.chart.paint([chart], chart, theme, () => chartMarks(chart));
    this.ring.paint([chart, selected], chart, theme, () => selectedMarks(chart, selected));
    const { top, axis, seconds } = this.now;
    const { width } = table;
    const look = { axis, seconds };
    this.table.paint([table, top, axis, seconds], { width, height: Math.min(table.height, WINDOW) }, theme, () =>
      tableMarks(table, null, top, look),
    );
    const row = model.rows[selected];
    this.row.paint([table, row, axis, seconds], { width, height: table.line }, theme, () =>
      row ? rowMarks(table, row, true, look) : [],
    );
    return true;
  }

  select(candidate: number | null): void {
    if (candidate === null) return;
    this.set({ candidate });
    this.share({ candidate });
  }

  /** Asks Python: to stop, to go on, for a view of the candidate, for the search that is offered. */
  ask(todo: "stop" | "go on" | "compile" | "open" | "search", what: What | number = "program"): void {
    if (this.saved) return;
    this.#asked += 1;
    if (todo === "open") this.set({ opened: { n: this.#asked } });
    if (todo === "compile") {
      const shown = this.shown();
      const row = shown?.model.rows[shown.selected];
      if (!row || row.compiled || row.compiling || row.next || row.candidate.failure) return;
      this.set({ next: row.title });
      // Python compiles the one that is looked at, also where that is the best so far.
      this.select(row.index);
    }
    this.share({ _asked: { n: this.#asked, do: todo, what } });
  }

  /** Follows the list, step by step. */
  scrolled(top: number): void {
    this.set({ top: Math.floor(top / STEP) * STEP });
  }

  /** Moves the wall: what if a chip had less memory. All that it has ends that. */
  wall(bytes: number): void {
    const most = this.now.doc?.chip?.bytes;
    if (!most) return;
    const step = most / WALLS;
    const less = Math.max(1, Math.round(bytes / step)) * step;
    this.set({ less: less >= most ? null : less });
  }

  /** To the next order. */
  sort(): void {
    this.set({ order: ORDERS[(ORDERS.indexOf(this.now.order) + 1) % ORDERS.length] ?? "time" });
  }

  /** To the next candidate of the table that is compiled, from the first on again. */
  nextCompiled(): void {
    const shown = this.shown();
    const rows = shown?.table.rows ?? [];
    const at = rows.findIndex((row) => row.index === shown?.selected);
    const next = rows.find((row, i) => row.compiled && i > at) ?? rows.find((row) => row.compiled);
    this.select(next?.index ?? null);
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
