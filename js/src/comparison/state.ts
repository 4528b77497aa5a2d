/** The state of a comparison: what is open, searched for and chosen, and what of a long table is in the page. */

import { type Attempts, isWaiting } from "../card/Attempts";
import { firstLine, keepInView, scrollToTop } from "../card/scroll";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import { Tall } from "../card/tall";
import type { WidgetModel } from "../card/widget";
import type { Alternative, Comparison, Row } from "../core/document.gen";
import { AXIS_DASH, type Box } from "../draw/marks";
import type { Theme } from "../draw/paint/theme";
import { Chunks, type Range } from "./chunks";
import { type Choices, ComparisonModel, decodeComparison, known } from "./model/comparison";
import { type Way, waysOf } from "./model/gutter";
import { type Filter, findingsOf, type Line, linesOf, openAtFirst, rowsOf, treeOf } from "./model/lines";
import { askedOf, type WhyAnswer } from "./model/why";
import { Pictures, type SmallPicture } from "./pictures";

/** A tile of a small picture that is pointed at, and where the picture stands in the card. */
export interface Pointed {
  picture: SmallPicture;
  /** Name of the value that is placed so. */
  name: string;
  tile: number;
  at: Box;
}

/** The program as it would be otherwise. */
const NOT_ASKED = {
  /** By the index of a reason: how far Python is, and what it found. */
  found: {} as Readonly<Record<string, Attempts<Otherwise>>>,
  /** The last request for that. */
  tried: {} as { n?: number; reason?: number },
  /** The two programs that are compared: the request, and the reason that they are of; null for none. */
  compared: null as { n: number; reason: number } | null,
  /** The difference that Python sent last. */
  sent: {} as Sent,
};
export type InsteadFields = typeof NOT_ASKED;

const BEGINNING = {
  doc: null as Comparison | null,
  choices: {} as Choices,
  open: new Set<number>() as ReadonlySet<number>,
  /** First rows of lines whose rows are shown one by one. */
  apart: new Set<number>() as ReadonlySet<number>,
  /** First rows of lines that are as typed, and shown one by one; undefined: all are. */
  spread: new Set<number>() as ReadonlySet<number> | undefined,
  /** The rows before the last choice of a fix; null where none was chosen. */
  before: null as readonly Row[] | null,
  search: "",
  filter: "all" as Filter,
  /** Index of the line that the keyboard is at. */
  cursor: 0,
  /** Which of what is to be looked at was walked to last. */
  walked: 0,
  /** The row whose details are open. */
  selection: null as number | null,
  /** Which of its splits is asked about: a number that only grows. */
  asked: 0,
  /** Which value of its chain is lit; null for none. */
  at: null as number | null,
  /** The row that is pointed at. */
  hovered: null as number | null,
  pointed: null as Pointed | null,
  instead: NOT_ASKED,
  /** Chunks of lines that are in the page. */
  live: [0, 0] as Range,
};
type Fields = typeof BEGINNING;

/** A program that was compiled otherwise, without the program. */
export type Otherwise = Omit<Alternative, "program">;

/** A difference of two programs, in a view of its own. */
interface Sent {
  n?: number;
  front_end?: string;
  state?: Record<string, unknown>;
  error?: string;
}

/** Below this width a row is a card. */
const NARROW = 618;

export class ComparisonState extends CardState<Fields> {
  readonly model = memo((doc: Comparison, choices: Choices) => new ComparisonModel(doc, choices));
  readonly #tree = memo(treeOf);
  readonly #lines = memo(
    (
      model: ComparisonModel,
      open: ReadonlySet<number>,
      apart: ReadonlySet<number>,
      spread: ReadonlySet<number> | undefined,
      search: string,
      filter: Filter,
    ) => linesOf(model, this.#tree(model), { open, apart, spread, search, filter }),
  );
  readonly #findings = memo(findingsOf);
  readonly #asked = memo(askedOf);
  readonly #ways = memo(waysOf);
  readonly #changed = memo(changes);
  readonly #chunks = memo((lines: readonly Line[], narrow: boolean) => new Chunks(lines, heights(narrow)));
  readonly #pictures = memo((theme: Theme) => new Pictures(theme));
  /** The line that is to be scrolled into view when it is in the page. */
  #wanted: string | null = null;
  readonly #tall = new Tall();
  /** The element of the line that is seen first in a table that is scrolled: lines are high otherwise once its width changes. */
  #first: string | null = null;
  /** Whether it is to stand at the top. */
  #top = false;
  /** The row that a fix was chosen for last. */
  #fixed = -1;
  /** Whether a row was just opened. */
  #opened = false;
  /** Whether a difference was asked for, and is to be seen when it is there. */
  #comparing = false;
  /** Whether the table is to be opened at what is to be looked at first. */
  #opening = false;
  /** What it was opened with: while it has that, and nobody touches it, it opens anew at another width. */
  #beginning: { lines: readonly Line[]; cursor: number; selection: number | null } | null = null;

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["choices", "selection", "_instead", "_try", "_opened"]);
  }

  name(): string {
    return `types and shardings of ${this.now.doc?.name || "a program"}`;
  }

  shown(): { model: ComparisonModel; lines: readonly Line[]; chunks: Chunks; pictures: Pictures } | null {
    const { doc, choices, open, apart, spread, search, filter, width, theme } = this.now;
    if (!doc || !theme || width === 0) return null;
    const model = this.model(doc, choices);
    const lines = this.#lines(model, open, apart, spread, search, filter);
    return { model, lines, chunks: this.#chunks(lines, width < NARROW), pictures: this.#pictures(theme) };
  }

  /** Rows that make the operands of the one that is pointed at, or open. */
  feeding(): readonly number[] {
    const { hovered, selection } = this.now;
    const row = hovered ?? selection;
    const lit = this.lit();
    if (lit !== null) return [lit];
    return row === null ? [] : (this.shown()?.model.inputs(row) ?? []);
  }

  /** The whole table is printed, not only what is near the view. */
  override print(on: boolean): void {
    super.print(on);
    const chunks = this.shown()?.chunks;
    if (on && chunks) this.set({ live: [0, chunks.count] });
    else this.#window();
  }

  /** The line that is seen first stays the first; a table that nobody looked through opens anew. */
  override resize(outer: number): void {
    const { width } = this.now;
    super.resize(outer);
    const chunks = this.shown()?.chunks;
    const anew = this.now.width !== width;
    this.#opening ||= anew && this.#untouched();
    const at =
      chunks && anew && !this.#opening && this.#wanted === null
        ? chunks.lines.findIndex(({ key }) => `line-${key}` === this.#first)
        : -1;
    if (chunks && at >= 0) {
      this.#top = true;
      this.#wanted = chunks.lines[at]?.key ?? null;
      this.set({ live: chunks.near(chunks.top(chunks.chunkOf(at))) });
    } else this.#window();
  }

  /** Shows other lines, from their top on. */
  list(patch: Partial<Pick<Fields, "search" | "filter">>): void {
    this.set({ ...patch, cursor: 0, pointed: null });
    const table = this.#table();
    if (table) table.scrollTop = 0;
    this.#window();
  }

  /** Shows the rows of a line one by one, or as one line again. */
  part(first: number): void {
    const apart = new Set(this.now.apart);
    if (!apart.delete(first)) apart.add(first);
    this.set({ apart, pointed: null });
    this.#window();
  }

  /** Rows that the last choice of a fix changed. */
  changed(): ReadonlySet<number> {
    const { before } = this.now;
    const model = this.shown()?.model;
    return model && before ? this.#changed(before, model.rows) : NONE;
  }

  /** How many they are. */
  news(): number {
    return this.changed().size;
  }

  /** Shows lines that are as typed one by one, or as one line again. */
  spread(first: number): void {
    const spread = new Set(this.now.spread);
    if (!spread.delete(first)) spread.add(first);
    this.set({ spread, pointed: null });
    this.#window();
  }

  /** The way through what is to be looked at: after a fix, through what it changed. */
  walk(): { at: number; of: number; go: (by: 1 | -1) => void } | null {
    const shown = this.shown();
    if (!shown) return null;
    const changed = this.changed();
    const rows = changed.size > 0 ? [...changed] : this.#findings(shown.model);
    const line = shown.lines[this.now.cursor];
    const here = line?.kind === "row" ? line.members : line && line.kind !== "fold" ? [line.row] : [];
    const last = rows.length - 1;
    const found = rows.findIndex((row) => here.includes(row));
    // Whoever looks at something else meanwhile goes on from there.
    const at = found < 0 ? Math.min(last, this.now.walked) : found;
    const go = (by: 1 | -1) => {
      const walked = Math.max(0, Math.min(last, at + by));
      const row = rows[walked];
      this.set({ walked });
      if (row !== undefined) this.#show(row, true);
    };
    return rows.length > 0 ? { at, of: rows.length, go } : null;
  }

  /** What a badge of the head shows: its rows alone, all again, or the first row that a fix changed. */
  go(to: string): void {
    const [first] = this.changed();
    if (to !== "news") this.list({ filter: this.now.filter === to ? "all" : (to as Filter) });
    else if (first !== undefined) this.#show(first, true);
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
    const open = new Set(yes ? this.now.doc?.scopes.keys() : []);
    this.set({ open, spread: yes ? undefined : NONE, cursor: 0, pointed: null });
    this.#window();
  }

  /** Moves the keyboard's cursor to a line, and the line into view. */
  line(): number {
    return this.now.cursor;
  }

  move(to: number): void {
    const shown = this.shown();
    if (!shown || shown.lines.length === 0) return;
    const cursor = Math.max(0, Math.min(shown.lines.length - 1, to));
    this.set({ cursor });
    this.#reveal(shown.chunks, cursor);
  }

  select(row: number | null): void {
    this.set({ selection: row, asked: 0, at: null });
    this.share({ selection: row });
    this.#opened = row !== null;
  }

  /** Asks why of another split of the open row. */
  ask(asked: number): void {
    this.set({ asked, at: null });
  }

  /** Lights the value before or after along the chain, and its row. */
  along(by: number): void {
    const { length = 0 } = this.why()?.chain ?? [];
    if (length > 1) this.set({ at: Math.max(0, Math.min(length - 1, (this.now.at ?? length - 1) + by)) });
  }

  /** The row of the value that is lit; null for none. */
  lit(): number | null {
    return this.now.at === null ? null : (this.why()?.chain[this.now.at]?.reason.row ?? null);
  }

  /** Why the open row is as it is. */
  why(): WhyAnswer | null {
    const { selection, asked } = this.now;
    const model = this.shown()?.model;
    return model && selection !== null ? this.#asked(model, selection, asked).why : null;
  }

  /** The way of the axis that is asked about, beside each line, and its ink. */
  ways(): { ways: readonly Way[]; ink: number } {
    const [why, shown] = [this.why(), this.shown()];
    const axis = shown?.model.mesh.axisOf(why?.reason.axis ?? "") ?? 0;
    return { ways: this.#ways(shown?.lines ?? [], why), ink: axis % AXIS_DASH.length };
  }

  /** What is known of the program as it would be otherwise, and whether Python is asked. */
  instead(reason: number): { last: Attempts<Otherwise> | null; waiting: boolean } {
    const { found, tried } = this.now.instead;
    const last = found[reason] ?? null;
    return { last, waiting: tried.reason === reason && isWaiting(last, tried.n ?? 0) };
  }

  askInstead(reason: number): void {
    const { instead } = this.now;
    const tried = { n: (instead.tried.n ?? 0) + 1, reason };
    this.set({ instead: { ...instead, tried } });
    this.share({ _try: tried });
  }

  /** The difference to the program as it is that a saved page has. */
  #kept(reason: number, at: number): Sent | null {
    const kept = this.widget.get("_compared") as Record<string, unknown> | undefined;
    const [front_end, state] = [kept?.front_end, kept?.[`${reason} ${at}`]];
    return front_end && state ? ({ front_end, state } as Sent) : null;
  }

  /** Whether there is a difference to the program as it is, or Python to be asked. */
  canCompare(reason: number, at: number): boolean {
    return !this.saved || this.#kept(reason, at) !== null;
  }

  /** Asks Python for the difference to the program as it is. */
  compare(reason: number, at: number): void {
    const { instead } = this.now;
    const n = Math.max(instead.sent.n ?? 0, instead.compared?.n ?? 0) + 1;
    this.#comparing = true;
    const kept = this.saved && this.#kept(reason, at);
    if (kept) {
      this.set({ instead: { ...instead, compared: { n, reason }, sent: { ...kept, n } } });
      return;
    }
    this.set({ instead: { ...instead, compared: { n, reason } } });
    this.share({ _beside: { n, reason, at } });
  }

  /** Closes the difference. */
  closeDifference(): void {
    this.set({ instead: { ...this.now.instead, compared: null } });
  }

  /** Opens a row, wherever it is. */
  open(row: number): void {
    this.select(row);
    this.#show(row);
  }

  /** Whether the rows below a fix are known, or can be asked for. */
  canChoose(row: number, choice: number): boolean {
    const { doc, choices } = this.now;
    return doc !== null && (!this.saved || known(doc, choices, row, choice));
  }

  choose(row: number, choice: number): void {
    const choices = { ...this.now.choices, [row]: choice };
    this.#fixed = row;
    this.set({ choices, before: this.shown()?.model.rows ?? null });
    this.share({ choices });
    this.#showNews();
  }

  /** Somebody looks through the table. */
  touched(): void {
    this.#beginning = null;
  }

  scrolled(): void {
    this.#look();
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
      this.#tall.keep(table, this.now.width, this.now.paper, this.now.doc?.name);
      this.#scrollToWanted();
      this.#scrollToOpened();
      this.#scrollToDifference(table);
      this.#openAtFirst();
      this.#look();
    }
    return true;
  }

  /** Remembers the line that is seen first, or whose details are. */
  #look(): void {
    const table = this.#table();
    const first = table && firstLine(table, "[id^=line-], .details");
    this.#first = first?.id || first?.previousElementSibling?.id || null;
  }

  /** Whether the table is as it was opened. */
  #untouched(): boolean {
    const { cursor, selection } = this.now;
    const was = this.#beginning;
    return was?.lines === this.shown()?.lines && was?.cursor === cursor && was.selection === selection;
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

  #reveal(chunks: Chunks, line: number, top = false): void {
    this.#top = top;
    this.#wanted = chunks.lines[line]?.key ?? null;
    const chunk = chunks.chunkOf(line);
    const [a, b] = this.now.live;
    if (chunk >= a && chunk < b) this.#scrollToWanted();
    else this.set({ live: chunks.near(chunks.top(chunk)) });
  }

  /** Scrolls the answer of the row that was opened last into view, with the row above it. */
  #scrollToOpened(): void {
    const details = this.#opened ? this.frame.shadowRoot?.querySelector(".details") : null;
    if (!details) return;
    this.#opened = false;
    keepInView(details.querySelector(".why"), details.previousElementSibling?.clientHeight);
  }

  #scrollToDifference(table: HTMLElement): void {
    const opened = this.#comparing ? table.querySelector(".opened:has(> div)") : null;
    if (!opened) return;
    this.#comparing = false;
    scrollToTop(table, opened);
  }

  #scrollToWanted(): void {
    const el = this.#wanted === null ? null : this.frame.shadowRoot?.getElementById(`line-${this.#wanted}`);
    if (!el) return;
    this.#wanted = null;
    const table = this.#table();
    if (this.#top && table) scrollToTop(table, el);
    else keepInView(el);
  }

  protected read(document: unknown): void {
    const doc = decodeComparison(document);
    const before = this.now.doc;
    const choices = (this.widget.get("choices") ?? {}) as Choices;
    const model = this.model(doc, choices);
    // The same program with another choice: what was open stays open.
    const same = before?.scopes.length === doc.scopes.length && before.name === doc.name;
    const open = openAtFirst(model, this.#tree(model));
    const anew = { open, apart: NONE, spread: NONE, before: null, cursor: 0, walked: 0 };
    this.set({ doc, choices, pointed: null, hovered: null, ...(same ? {} : anew) });
    if (same) this.#showNews();
    else this.#opening = true;
  }

  /** Moves to the first row that a choice changed, below the one that was chosen for where there is one. */
  #showNews(): void {
    const changed = [...this.changed()];
    const first = changed.find((row) => row > this.#fixed) ?? changed[0];
    if (first !== undefined) this.#show(first, true);
  }

  /** Opens at the selected row, else at the first to look at. */
  #openAtFirst(): void {
    const shown = this.shown();
    if (!this.#opening || !shown || !this.#table()) return;
    this.#opening = false;
    const { selection } = this.now;
    const first = selection ?? this.#findings(shown.model)[0];
    if (first !== undefined) this.#show(first, selection === null);
    const { chunks, lines } = this.shown() ?? shown;
    const { cursor } = this.now;
    // What is open below a selected row has room.
    if (selection !== null) this.#reveal(chunks, cursor, true);
    this.#beginning = { lines, cursor, selection };
  }

  protected override follow(): void {
    const choices = (this.widget.get("choices") ?? {}) as Choices;
    const rows = this.now.doc?.rows.length ?? 0;
    const given = this.widget.get("selection");
    // A document in place of a longer one may come before its selection does.
    const selection = typeof given === "number" && given < rows ? given : null;
    const news = selection !== this.now.selection;
    this.set({
      choices,
      selection,
      instead: {
        ...this.now.instead,
        found: (this.widget.get("_instead") ?? {}) as InsteadFields["found"],
        tried: (this.widget.get("_try") ?? {}) as InsteadFields["tried"],
        sent: (this.widget.get("_opened") ?? {}) as Sent,
      },
    });
    if (news && selection !== null) this.#show(selection);
    this.#window();
  }

  /** Opens what a row stands in, and moves it into view, or to the top: in a wide card with the line above it. */
  #show(row: number, top = false): void {
    const { doc, choices, open, width } = this.now;
    if (!doc) return;
    const around = this.model(doc, choices).trail(row);
    if (around.some((e) => !open.has(e))) this.set({ open: new Set([...open, ...around]) });
    const folded = this.shown()?.lines.find((l) => l.kind === "same" && rowsOf(l).includes(row));
    if (folded) this.set({ spread: new Set([...(this.now.spread ?? []), folded.row]) });
    const within = this.shown()?.lines.find((l) => l.kind === "row" && l.members.includes(row));
    if (within?.kind === "row" && within.row !== row) this.set({ apart: new Set([...this.now.apart, within.head]) });
    const line = this.shown()?.lines.findIndex((l) => l.kind === "row" && l.members.includes(row)) ?? -1;
    if (line < 0) return;
    this.move(line);
    const chunks = this.shown()?.chunks;
    if (top && chunks) this.#reveal(chunks, width < NARROW ? line : Math.max(0, line - 1), true);
  }
}

const NONE: ReadonlySet<number> = new Set();

/** Rows that are other than they were. */
function changes(before: readonly Row[], now: readonly Row[]): ReadonlySet<number> {
  const text = ({ values, error, collectives }: Row) =>
    JSON.stringify([values.map((v) => [v.explicit?.text, v.concrete?.text, v.agreement]), error?.error, collectives]);
  return new Set(
    now.flatMap((row, k) => {
      const was = before[k];
      return was && was !== row && text(was) !== text(row) ? [k] : [];
    }),
  );
}

/** About how high a line is, before it is drawn. */
function heights(narrow: boolean): (line: Line) => number {
  const known = narrow
    ? { row: 150, stop: 300, collective: 110, fold: 40, same: 40 }
    : { row: 41, stop: 170, collective: 36, fold: 36, same: 36 };
  return (line) => known[line.kind];
}
