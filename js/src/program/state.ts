/** The state of compiled programs on screen: what is open, listed, chosen and pointed at, and the clock while it plays. */

import { type Attempts, isWaiting } from "../card/Attempts";
import { Layer } from "../card/canvas";
import { Clock, jumps, motionless } from "../card/clock";
import { loaded } from "../card/loaded";
import { keepInView } from "../card/scroll";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Algorithm } from "../collective/model/algorithm";
import type { Scheme } from "../core/color";
import type { HloCollective, Remedy } from "../core/document.gen";
import { PAD } from "../draw/marks";
import { AT_FIRST as ON_LINKS } from "../links/model/public";
import { type Group, groupsOf, SORTS, type Sort } from "./model/groups";
import { type Decoded, decodePrograms, ProgramModel } from "./model/program";
import { phaseAfter, playTime } from "./model/rounds";
import {
  AT_FIRST,
  type MemoryFields,
  type Opened,
  type OverlapFields,
  type Pages,
  type PagesModule,
  START,
} from "./pages";
import { collectiveMarks } from "./scene/collective";
import { type Stage, stageOf } from "./scene/collective/stage";
import { CollectiveView } from "./scene/collective/view";
import { type Lanes, laneMarks, layoutLanes } from "./scene/lanes";

/** Lines that are added to a long table at a time. */
export const MORE = 200;

const NONE_HELD = { width: 0, height: 0 };

const BEGINNING = {
  decoded: null as Decoded | null,
  /** Side by side: the program that is open. */
  opened: null as number | null,
  /** Index of the collective that was chosen; null for the first that is listed. */
  selection: null as number | null,
  axis: null as string | null,
  sort: "time" as Sort,
  search: "",
  interconnect: 0,
  /** Line of the table that the keyboard is at, and how many lines are in the page. */
  cursor: 0,
  limit: MORE,
  /** The group that stands out. */
  group: 0,
  /** Mesh position that is looked at. */
  device: null as number | null,
  /** Whether the keyboard is at the devices. */
  keyboard: false,
  /** A mesh axis that is pointed at. */
  lit: null as number | null,
  physical: false,
  algorithm: "meaning" as Algorithm,
  phase: 0,
  playing: false,
  page: "collectives" as Page,
  /** Height of a card of this width before its page was turned: a lower page leaves it as high. */
  held: NONE_HELD,
  /** By page and index of a program: the document as Python sent it, or why it is not known. */
  pages: {} as Readonly<Record<string, { trouble?: unknown }>>,
  /** What draws the pages other than the collectives, once it is there. */
  parts: null as Pages | null,
  memory: START as MemoryFields,
  overlap: AT_FIRST as OverlapFields,
  links: ON_LINKS,
  /** By index of a program: how far Python is with ways to lower its peak, and what it found. */
  remedies: {} as Readonly<Record<string, Tried>>,
  /** Number of the last request for them. */
  tried: 0,
  /** The collective that Python was asked about last: why it is there. */
  wanted: {} as { at?: number; collective?: number },
  /** Of the chains that say so, the one that is shown. */
  asked: 0,
  /** Whether Python is measuring, and why it could not. */
  waiting: false,
  trouble: "",
};
type Fields = typeof BEGINNING;

/** What other ways to write a program are to lower. */
export type Lowers = "peak" | "communication";

/** Ways to lower it: how many of them were compiled, what lowers it, or why that is not known. */
type Tried = Attempts<Remedy>;

export const PAGES = ["collectives", "overlap", "memory", "links"] as const;
export type Page = (typeof PAGES)[number];

/** Why a collective is there. */
export interface Asked {
  /** What Python said: chains, or why they are not known. */
  sent: { trouble?: unknown } | undefined;
  waiting: boolean;
  /** Index of the chain that is shown. */
  asked: number;
}

/** Everything that the card of one program is drawn from. */
export interface Shown {
  model: ProgramModel;
  rows: readonly Group[];
  /** Index of the collective on the mesh. */
  index: number | null;
  c: HloCollective | null;
  view: CollectiveView;
  /** The call as a timeline; null where nothing of it takes time. */
  lanes: Lanes | null;
}

/** Fewer collectives need no search. */
export const FEW = 10;

/** Traits that Python may change. */
const TRAITS = [
  "selection",
  "axis",
  "sort",
  "opened",
  "page",
  "_pages",
  "_remedies",
  "_try",
  "_why",
  "_heard",
  "_trouble",
];
/** Below this width the mesh stands under the table, and below that one a line is a card. */
export const STACKED = 860;
export const NARROW = 640;
const RUNS = 10;

export class ProgramState extends CardState<Fields> {
  readonly layer = new Layer();
  readonly lanesLayer = new Layer();
  readonly #model = memo((decoded: Decoded, at: number) => {
    const doc = decoded.programs[at];
    return doc ? new ProgramModel(doc) : null;
  });
  readonly #rows = memo((model: ProgramModel, sort: Sort, axis: string | null, search: string, interconnect: number) =>
    groupsOf(model, { sort, axis, search, interconnect }),
  );
  readonly #stage = memo(stageOf);
  readonly #why = memo((sent: Asked["sent"], waiting: boolean, asked: number): Asked => ({ sent, waiting, asked }));
  readonly #lanes = memo(layoutLanes);
  readonly #view = memo(
    (
      model: ProgramModel,
      stage: Stage,
      c: HloCollective | null,
      scheme: Scheme,
      algorithm: Algorithm,
      phase: number,
      group: number,
      device: number | null,
      lit: number | null,
      still: boolean,
    ) => new CollectiveView(model, stage, c, { scheme, algorithm, phase, group, device, lit, still }),
  );
  readonly #clock = new Clock();
  #loading = false;
  /** Whether Python was asked here for other ways to write it, and has not answered yet. */
  #asked = false;

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, TRAITS);
    this.until(() => this.#clock.stop());
  }

  name(): string {
    const { decoded } = this.now;
    return `${this.now.page} of ${decoded?.programs.map((p) => p.name).join(", ") || "a compiled program"}`;
  }

  /** The open program; null where none is. */
  model(): ProgramModel | null {
    const { decoded, opened } = this.now;
    const at = decoded?.sideBySide ? opened : 0;
    return decoded && at !== null ? this.#model(decoded, at) : null;
  }

  shown(): Shown | null {
    const { theme, width, sort, axis, search, interconnect, selection, physical } = this.now;
    const model = this.model();
    if (!model || !theme || width === 0) return null;
    const rows = this.#rows(model, sort, axis, search, interconnect);
    const index = selection ?? rows[0]?.at ?? null;
    const c = index === null ? null : (model.collectives[index] ?? null);
    const stage = this.#stage(model, this.pictureWidth(), physical, c?.group_size ?? 1);
    const { algorithm, phase, group, device, lit } = this.now;
    const view = this.#view(
      ...([model, stage, c, theme.scheme, algorithm, phase, group, device, lit, motionless()] as const),
    );
    const lanes = this.#lanes(model, interconnect, width - 2 * PAD);
    return { model, rows, index, c, view, lanes };
  }

  pictureWidth(): number {
    const { width } = this.now;
    return Math.min(PANEL, width) - 2 * PAD;
  }

  /** All lines of the tables are printed, those of closed programs too. */
  override print(on: boolean): void {
    super.print(on);
    this.set({ limit: on ? Number.POSITIVE_INFINITY : MORE });
    const { overlap, memory } = this.now;
    const rows = (usual: number) => (on ? Number.POSITIVE_INFINITY : usual);
    this.set({ overlap: { ...overlap, rows: rows(AT_FIRST.rows) }, memory: { ...memory, rows: rows(START.rows) } });
  }

  /** An element of the card. */
  find(selector: string): HTMLElement | null {
    return this.frame.shadowRoot?.querySelector<HTMLElement>(selector) ?? null;
  }

  /** What Python sent of a page of the open program: a document, or why there is none. */
  sent(page: Page): { trouble?: unknown } | undefined {
    return this.now.pages[`${page} ${this.#at()}`];
  }

  /** What Python knows of other ways to write the open program, and whether it is asked. */
  remedies(lowers: Lowers): { tried: Tried | null; waiting: boolean } {
    const { remedies, tried } = this.now;
    const last = remedies[`${lowers} ${this.#at()}`] ?? null;
    const wanted = this.widget.get("_try") as { at?: number; lowers?: Lowers };
    const asked = tried > 0 && wanted.at === this.#at() && wanted.lowers === lowers;
    return { tried: last, waiting: asked && isWaiting(last, tried) };
  }

  /** Asks Python for other ways to write it. */
  tryRemedies(lowers: Lowers): void {
    const n = this.now.tried + 1;
    this.#asked = true;
    this.set({ tried: n });
    this.share({ _try: { n, at: this.#at(), lowers } });
  }

  /** What is known of why a collective is there. */
  why(index: number): Asked {
    const { wanted, asked, pages } = this.now;
    const sent = pages[`why ${this.#at()} ${index}`];
    return this.#why(sent, !sent && wanted.at === this.#at() && wanted.collective === index, asked);
  }

  /** Asks Python why a collective is there. */
  askWhy(index: number): void {
    const wanted = { n: this.#number("_why") + 1, at: this.#at(), collective: index };
    this.set({ asked: 0, wanted });
    this.share({ _why: wanted });
  }

  #at(): number {
    const { decoded, opened } = this.now;
    return decoded?.sideBySide ? (opened ?? 0) : 0;
  }

  /** The page that is turned to, once it is there; null for the collectives. */
  opened(): Opened | null {
    const { page, parts } = this.now;
    return page === "collectives" ? null : (parts?.[page] ?? null);
  }

  /** Keys in the card's foot that do nothing on the page that is turned to. */
  idle(): readonly string[] {
    if (this.now.page !== "collectives") return this.opened()?.idle?.() ?? [];
    const { model, view, c } = this.shown() ?? {};
    if (!model || !view || !c) return ["n", "↑ ↓", "Space", ", .", "a", "/", "g", "Esc"];
    return [
      ...(model.doc.findings.length > 0 ? [] : ["n"]),
      ...(view.plan ? [] : ["Space", ", ."]),
      ...(model.plans(c).length > 1 ? [] : ["a"]),
      ...(model.collectives.length > FEW ? [] : ["/"]),
    ];
  }

  #load(): void {
    if (this.#loading) return;
    this.#loading = true;
    loaded<PagesModule<ProgramState>>(this.widget.get("_parts") as string).then(
      (module) => this.set({ parts: module.default(this, this.frame.shadowRoot as ShadowRoot) }),
      (error) => this.fail(error),
    );
  }

  /** The pages of the open program: links are of chips with coordinates. */
  pages(): readonly Page[] {
    const coords = this.model()?.doc.mesh.coords ?? [];
    return PAGES.filter((page) => page !== "links" || coords.length > 0);
  }

  turnTo(page: Page): void {
    if (!this.pages().includes(page)) return;
    this.#pause();
    const height = this.find(".alone")?.offsetHeight ?? 0;
    this.set({ page, held: { width: this.now.width, height } });
    this.share({ page });
  }

  protected override paint(): boolean {
    const { theme, page } = this.now;
    if (page !== "collectives") {
      this.#load();
      this.opened()?.paint();
      this.#scrollToFound();
      return this.opened() !== null;
    }
    const { view, lanes, index = null, rows = [] } = this.shown() ?? {};
    if (view && theme) this.layer.paint([view], view.stage, theme, () => collectiveMarks(view));
    if (view && lanes && theme) {
      const group = rows.find((g) => index !== null && g.members.includes(index))?.members ?? [];
      this.lanesLayer.paint([lanes, index], lanes, theme, () => laneMarks(view.model, lanes, index, group));
    }
    this.frame.dataset.swPhase = String(this.now.phase);
    return true;
  }

  /** Scrolls what Python found into view, where it was asked here. */
  #scrollToFound(): void {
    const found = this.#asked ? this.find(".found") : null;
    if (!found) return;
    this.#asked = false;
    keepInView(found.parentElement);
  }

  /** Opens a program of several, or closes it. */
  open(at: number | null): void {
    this.#pause();
    const interconnect = at === null ? 0 : (this.now.decoded?.programs[at]?.interconnect ?? 0);
    const other = { opened: at, selection: null, axis: null, search: "", interconnect };
    this.set({
      ...other,
      ...AT_REST,
      held: NONE_HELD,
      cursor: 0,
      limit: MORE,
      physical: false,
      memory: START,
      overlap: AT_FIRST,
      links: ON_LINKS,
    });
    this.share({ opened: at, selection: null, axis: null });
  }

  select(index: number | null): void {
    this.#pause();
    const cursor = index === null ? this.now.cursor : Math.max(0, this.lineOf(index));
    this.set({ selection: index, cursor, asked: 0, ...AT_REST });
    this.share({ selection: index });
  }

  /** Index of the finding that is chosen; null for none. */
  finding(): number | null {
    const { selection } = this.now;
    const at = this.model()?.doc.findings.findIndex((f) => selection !== null && f.collectives.includes(selection));
    return at === undefined || at < 0 ? null : at;
  }

  /** Chooses the next finding, or the one before; all collectives are listed, so that it is among them. */
  walk(by: 1 | -1): void {
    const findings = this.model()?.doc.findings ?? [];
    const at = this.finding() ?? (by > 0 ? -1 : 0);
    const next = findings[(at + by + findings.length) % findings.length]?.collectives[0];
    if (next === undefined) return;
    if (this.lineOf(next) < 0) this.list({ axis: null, search: "" });
    this.select(next);
    this.move(this.lineOf(next));
  }

  /** Chooses the collective that takes longest, in the list of all. */
  toCostliest(): void {
    this.list({ sort: "time", axis: null, search: "" });
    this.select(this.shown()?.rows[0]?.at ?? null);
    this.move(0);
  }

  /** Shows other lines, from the top on. */
  list(patch: Partial<Pick<Fields, "axis" | "sort" | "search" | "interconnect">>): void {
    // What is on the mesh stays there while the table is sorted and searched.
    this.set({ ...patch, cursor: 0, limit: MORE, lit: null });
    const { axis, sort } = this.now;
    this.share({ axis, sort });
  }

  /** Sorts by a column; by the module's schedule at the second time. */
  sortBy(sort: Sort): void {
    this.list({ sort: this.now.sort === sort ? "order" : sort });
  }

  /** Moves the keyboard's cursor to a line of the table. */
  line(): number {
    return this.now.cursor;
  }

  move(to: number): void {
    const rows = this.shown()?.rows ?? [];
    const cursor = Math.max(0, Math.min(rows.length - 1, to));
    const limit = cursor >= this.now.limit ? Math.ceil((cursor + 1) / MORE) * MORE : this.now.limit;
    this.set({ cursor, limit });
    queueMicrotask(() => {
      keepInView(this.find(`#line-${rows[cursor]?.at}`));
    });
  }

  /** The line of the table that a collective is in; -1 where it is not listed. */
  lineOf(index: number): number {
    return this.shown()?.rows.findIndex((g) => g.members.includes(index)) ?? -1;
  }

  /** Looks at a device, and lets its group stand out. */
  look(device: number | null): void {
    const group = device === null ? null : this.shown()?.view.groupOf(device);
    this.set({ device, ...(group == null ? {} : { group }) });
  }

  setAlgorithm(algorithm: Algorithm): void {
    this.#pause();
    this.set({ algorithm, phase: 0 });
    if (!motionless()) this.toggle();
  }

  nextAlgorithm(): void {
    const { c, model } = this.shown() ?? {};
    const names = c && model ? model.plans(c).map((plan) => plan.algorithm) : [];
    const next = names[(names.indexOf(this.now.algorithm) + 1) % names.length];
    if (next) this.setAlgorithm(next);
  }

  scrub(phase: number): void {
    this.#pause();
    this.set({ phase: Math.max(0, Math.min(1, phase)) });
  }

  /** Shows the end of the round before or after. */
  hop(by: -1 | 1): void {
    const view = this.shown()?.view;
    if (!view?.plan) return;
    const begun = by < 0 && this.now.phase < 1 && view.progress > 0 ? 1 : 0;
    this.scrub(phaseAfter(view.plan.rounds.length, view.arrived + by + begun));
  }

  toggle(): void {
    if (this.now.playing) {
      this.#pause();
      return;
    }
    if (!this.shown()?.view.plan) return;
    this.set({ playing: true, lit: null, phase: this.now.phase >= 1 ? 0 : this.now.phase });
    this.#clock.play(
      motionless()
        ? jumps(STAND, () => this.#play((rounds) => phaseAfter(rounds, (this.shown()?.view.arrived ?? 0) + 1)))
        : (elapsed) => this.#play((rounds) => this.now.phase + elapsed / playTime(rounds)),
    );
  }

  /** Goes to the next moment; returns whether there is more to play. */
  #play(next: (rounds: number) => number): boolean {
    const rounds = this.shown()?.view.plan?.rounds.length;
    if (rounds === undefined) return false;
    const phase = Math.min(1, next(rounds));
    this.set({ phase, playing: phase < 1 });
    return phase < 1;
  }

  /** Whether what is measured stands beside an estimate: on the page of overlap, where that is known. */
  estimated(): boolean {
    const sent = this.now.page === "overlap" && this.sent("overlap");
    return Boolean(sent && !("trouble" in sent));
  }

  /** Asks Python to measure; beside an estimate, to profile the open program, for what its lines took. */
  measure(): void {
    const n = this.#number("_asked") + 1;
    const profiled = this.estimated() ? { profiled: this.#at() } : {};
    this.set({ waiting: true, trouble: "" });
    this.share({ _asked: { n, runs: RUNS, ...profiled } });
  }

  #pause(): void {
    this.#clock.stop();
    this.set({ playing: false });
  }

  protected read(document: unknown): void {
    const decoded = decodePrograms(document);
    const first = this.now.decoded === null;
    const interconnect = decoded.programs[this.now.opened ?? 0]?.interconnect ?? 0;
    this.#pause();
    this.set({ decoded, held: NONE_HELD, ...(first ? { interconnect } : {}) });
  }

  protected override follow(): void {
    const { decoded } = this.now;
    if (!decoded) return;
    const opened = index(this.widget.get("opened"), decoded.programs.length);
    const at = decoded.sideBySide ? opened : 0;
    const doc = at === null ? null : decoded.programs[at];
    const selection = index(this.widget.get("selection"), doc?.collectives.length ?? 0);
    const given = this.widget.get("axis");
    const axis = doc?.mesh.axes.some((a) => a.name === given) ? String(given) : null;
    const sort = SORTS.find((s) => s === this.widget.get("sort")) ?? "time";
    const other = selection !== this.now.selection || opened !== this.now.opened;
    if (other) this.#pause();
    this.set({
      opened,
      selection,
      axis,
      sort,
      waiting: this.#number("_asked") > Number(this.widget.get("_heard") ?? 0),
      trouble: String(this.widget.get("_trouble") ?? ""),
      page: PAGES.find((p) => p === this.widget.get("page")) ?? "collectives",
      pages: (this.widget.get("_pages") ?? {}) as Fields["pages"],
      remedies: (this.widget.get("_remedies") ?? {}) as Fields["remedies"],
      tried: this.#number("_try"),
      wanted: (this.widget.get("_why") ?? {}) as Fields["wanted"],
      ...(other ? AT_REST : {}),
    });
    if (other && selection !== null) {
      const line = this.lineOf(selection);
      if (line >= 0) this.move(line);
    }
  }

  #number(name: string): number {
    return (this.widget.get(name) as { n?: number } | null | undefined)?.n ?? 0;
  }
}

/** Width of the mesh beside the table, the same in every cell: so is its height. */
const PANEL = 372;

/** A collective before it is played. */
const AT_REST = { phase: 0, group: 0, device: null, lit: null } as const;
/** Milliseconds that a round is shown where the reader prefers reduced motion. */
const STAND = 900;

function index(value: unknown, count: number): number | null {
  return typeof value === "number" && value >= 0 && value < count ? value : null;
}
