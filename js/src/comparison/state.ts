/** The state of a comparison: what is open, searched for and chosen, and what of a long table is in the page. */

import { keepInView } from "../card/scroll";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Comparison } from "../core/document.gen";
import type { Box } from "../draw/marks";
import type { Theme } from "../draw/paint/theme";
import { Chunks, type Range } from "./chunks";
import { type Choices, ComparisonModel, decodeComparison, known } from "./model/comparison";
import { type Filter, type Line, linesOf, openAtFirst, treeOf } from "./model/lines";
import { Pictures, type SmallPicture } from "./pictures";

/** A tile of a small picture that is pointed at, and where the picture stands in the card. */
export interface Pointed {
  picture: SmallPicture;
  /** Name of the value that is placed so. */
  name: string;
  tile: number;
  at: Box;
}

interface Fields {
  doc: Comparison | null;
  choices: Choices;
  open: ReadonlySet<number>;
  search: string;
  filter: Filter;
  /** Index of the line that the keyboard is at. */
  cursor: number;
  /** The row whose details are open. */
  selection: number | null;
  /** The row that is pointed at. */
  hovered: number | null;
  pointed: Pointed | null;
  /** Chunks of lines that are in the page. */
  live: Range;
}

/** Below this width a row is a card. */
const NARROW = 618;

export class ComparisonState extends CardState<Fields> {
  readonly model = memo((doc: Comparison, choices: Choices) => new ComparisonModel(doc, choices));
  readonly #tree = memo(treeOf);
  readonly #lines = memo((model: ComparisonModel, open: ReadonlySet<number>, search: string, filter: Filter) =>
    linesOf(model, this.#tree(model), { open, search, filter }),
  );
  readonly #chunks = memo((lines: readonly Line[], narrow: boolean) => new Chunks(lines, heights(narrow)));
  readonly #pictures = memo((theme: Theme) => new Pictures(theme));
  /** The line that is to be scrolled into view when it is in the page. */
  #wanted: string | null = null;

  constructor(widget: WidgetModel, frame: HTMLElement) {
    const fields: Fields = {
      doc: null,
      choices: {},
      open: new Set(),
      search: "",
      filter: "all",
      cursor: 0,
      selection: null,
      hovered: null,
      pointed: null,
      live: [0, 0],
    };
    super(widget, frame, fields, ["choices", "selection"]);
  }

  name(): string {
    return `types and shardings of ${this.now.doc?.name || "a program"}`;
  }

  shown(): { model: ComparisonModel; lines: readonly Line[]; chunks: Chunks; pictures: Pictures } | null {
    const { doc, choices, open, search, filter, width, theme } = this.now;
    if (!doc || !theme || width === 0) return null;
    const model = this.model(doc, choices);
    const lines = this.#lines(model, open, search, filter);
    return { model, lines, chunks: this.#chunks(lines, width < NARROW), pictures: this.#pictures(theme) };
  }

  /** Rows that make the operands of the one that is pointed at, or open. */
  feeding(): readonly number[] {
    const { hovered, selection } = this.now;
    const row = hovered ?? selection;
    return row === null ? [] : (this.shown()?.model.inputs(row) ?? []);
  }

  /** The whole table is printed, not only what is near the view. */
  override print(on: boolean): void {
    super.print(on);
    const chunks = this.shown()?.chunks;
    if (on && chunks) this.set({ live: [0, chunks.count] });
    else this.#window();
  }

  override resize(outer: number): void {
    super.resize(outer);
    this.#window();
  }

  /** Shows other lines, from their top on. */
  list(patch: Partial<Pick<Fields, "search" | "filter">>): void {
    this.set({ ...patch, cursor: 0, pointed: null });
    const table = this.#table();
    if (table) table.scrollTop = 0;
    this.#window();
  }

  toggle(scope: number): void {
    const { open, cursor } = this.now;
    const at = this.shown()?.lines[cursor]?.key;
    const next = new Set(open);
    if (!next.delete(scope)) next.add(scope);
    this.set({ open: next, pointed: null });
    const moved = this.shown()?.lines.findIndex((l) => l.key === at) ?? -1;
    if (moved >= 0) this.set({ cursor: moved });
    this.#window();
  }

  openAll(yes: boolean): void {
    this.set({ open: new Set(yes ? this.now.doc?.scopes.keys() : []), cursor: 0, pointed: null });
    this.#window();
  }

  /** Moves the keyboard's cursor to a line, and the line into view. */
  move(to: number): void {
    const shown = this.shown();
    if (!shown || shown.lines.length === 0) return;
    const cursor = Math.max(0, Math.min(shown.lines.length - 1, to));
    this.set({ cursor });
    this.#reveal(shown.chunks, cursor);
  }

  select(row: number | null): void {
    this.set({ selection: row });
    this.share({ selection: row });
  }

  /** Whether the rows below a fix are known, or can be asked for. */
  canChoose(row: number, choice: number): boolean {
    const { doc, choices } = this.now;
    return doc !== null && (!this.saved || known(doc, choices, row, choice));
  }

  choose(row: number, choice: number): void {
    const choices = { ...this.now.choices, [row]: choice };
    this.set({ choices });
    this.share({ choices });
  }

  scrolled(): void {
    this.#window();
  }

  /** Measures the heights of what is new in the page. */
  protected override paint(): boolean {
    const table = this.#table();
    const shown = this.shown();
    if (table && shown) {
      for (const el of table.querySelectorAll<HTMLElement>("[data-chunk]")) {
        const chunk = Number(el.dataset.chunk);
        if (!shown.chunks.known(chunk)) shown.chunks.measure(chunk, el.offsetHeight);
      }
      this.#scrollToWanted();
    }
    return true;
  }

  #table(): HTMLElement | null {
    return this.frame.shadowRoot?.querySelector<HTMLElement>(".table") ?? null;
  }

  #window(): void {
    const chunks = this.shown()?.chunks;
    if (!chunks) return;
    const [first, last] = chunks.near(this.#table()?.scrollTop ?? 0);
    const [a, b] = this.now.live;
    if (first !== a || last !== b) this.set({ live: [first, last] });
  }

  #reveal(chunks: Chunks, line: number): void {
    this.#wanted = chunks.lines[line]?.key ?? null;
    const chunk = chunks.chunkOf(line);
    const [a, b] = this.now.live;
    if (chunk >= a && chunk < b) this.#scrollToWanted();
    else this.set({ live: chunks.near(chunks.top(chunk)) });
  }

  #scrollToWanted(): void {
    const el = this.#wanted === null ? null : this.frame.shadowRoot?.getElementById(`line-${this.#wanted}`);
    if (!el) return;
    this.#wanted = null;
    keepInView(el);
  }

  protected read(document: unknown): void {
    const doc = decodeComparison(document);
    const before = this.now.doc;
    const choices = (this.widget.get("choices") ?? {}) as Choices;
    const model = this.model(doc, choices);
    // The same program with another choice: what was open stays open.
    const same = before?.scopes.length === doc.scopes.length && before.name === doc.name;
    const folds = same ? {} : { open: openAtFirst(model, this.#tree(model)), cursor: 0 };
    this.set({ doc, choices, pointed: null, hovered: null, ...folds });
  }

  protected override follow(): void {
    const choices = (this.widget.get("choices") ?? {}) as Choices;
    const rows = this.now.doc?.rows.length ?? 0;
    const given = this.widget.get("selection");
    // A document in place of a longer one may come before its selection does.
    const selection = typeof given === "number" && given < rows ? given : null;
    const news = selection !== this.now.selection;
    this.set({ choices, selection });
    if (news && selection !== null) this.#show(selection);
    this.#window();
  }

  /** Opens what a row stands in, and moves it into view. */
  #show(row: number): void {
    const { doc, choices, open } = this.now;
    if (!doc) return;
    const around = this.model(doc, choices).trail(row);
    if (around.some((e) => !open.has(e))) this.set({ open: new Set([...open, ...around]) });
    const line = this.shown()?.lines.findIndex((l) => l.kind === "row" && l.row === row) ?? -1;
    if (line >= 0) this.move(line);
  }
}

/** About how high a line is, before it is drawn. */
function heights(narrow: boolean): (line: Line) => number {
  const known = narrow
    ? { row: 150, stop: 300, collective: 110, fold: 40 }
    : { row: 61, stop: 170, collective: 46, fold: 36 };
  return (line) => (line.kind === "row" && line.again && !narrow ? 50 : known[line.kind]);
}
