/** The state of the Inspector on screen: what is listed, what the keyboard is at, what is opened. */

import { Layer } from "../card/canvas";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import { Tall } from "../card/tall";
import type { WidgetModel } from "../card/widget";
import type { Holder } from "../core/document.gen";
import { type Devices, deviceMarks, type Holding, layoutDevices } from "../draw/devices";
import { decodeNamespace, NamespaceModel } from "./model/namespace";
import { type Filter, listed, outstanding } from "./model/words";

const BEGINNING = {
  model: null as NamespaceModel | null,
  filter: "all" as Filter,
  search: "",
  /** Name of the line that the keyboard is at; null before there is one. */
  at: null as string | null,
  /** Name of the line whose view is open; null for none. */
  open: null as string | null,
  /** What Python answered to the last question. */
  answer: null as Answer | null,
  following: false,
};
type Fields = typeof BEGINNING;

/** A view of what a name holds, as in a saved page; or why there is none. */
export interface Answer {
  n: number;
  name: string;
  front_end?: string;
  state?: Readonly<Record<string, unknown>>;
  error?: string;
}

/** Everything that the card is drawn from. */
export interface Shown {
  model: NamespaceModel;
  rows: readonly Holder[];
  /** Null where no array is on any device. */
  mesh: Devices | null;
  /** Whether the devices stand beside the list instead of above it. */
  beside: boolean;
}

export const WIDE = 700;
const TIGHT = 420;
/** From this width on the devices stand beside the list, in so many pixels. */
const BESIDE = 860;
const SIDE = 344;
const PAD = 16;

export class InspectorState extends CardState<Fields> {
  readonly meshLayer = new Layer();
  readonly #tall = new Tall();
  /** The number of the last question. */
  #asked = 0;
  readonly #rows = memo(listed);
  readonly #mesh = memo(layoutDevices);
  readonly #side = memo(layoutDevices);
  readonly #holding = memo((model: NamespaceModel): Holding | null =>
    model.mesh
      ? { ...{ mesh: model.mesh, devices: model.devices, held: model.held, freed: model.freed }, limit: model.limit }
      : null,
  );

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["selection", "search", "following", "_opened"]);
  }

  name(): string {
    return "arrays of this session";
  }

  protected override read(document: unknown): void {
    const model = new NamespaceModel(decodeNamespace(document));
    const there = (name: string | null) => model.doc.holders.some((holder) => holder.name === name);
    const at = there(this.now.at) ? this.now.at : (model.doc.holders[0]?.name ?? null);
    this.set({ model, at });
    const open = model.doc.holders.find((holder) => holder.name === this.now.open);
    // The open view shows the previous arrays: it is requested again when they have changed.
    if (!open || open.change === "gone") this.set({ open: null, answer: null });
    else if (open.change !== "") this.#ask("open", open.name);
  }

  protected override follow(): void {
    const selection = this.widget.get("selection");
    const answer = this.widget.get("_opened") as Answer | null | undefined;
    this.set({
      search: String(this.widget.get("search") ?? ""),
      following: this.widget.get("following") === true,
      answer: answer && answer.n === this.#asked ? answer : this.now.answer,
    });
    if (typeof selection === "string") this.set({ at: selection });
  }

  /** What is drawn; null before there is something to draw. */
  shown(): Shown | null {
    const { model, theme, width, filter, search } = this.now;
    if (!model || !theme || width === 0) return null;
    const holding = this.#holding(model);
    const rows = this.#rows(model, filter, search);
    if (!holding) return { model, rows, mesh: null, beside: false };
    const above = this.#mesh(holding, this.meshWidth(), model.write);
    const beside = width >= BESIDE && this.#side(holding, SIDE - 2 * PAD, model.write);
    // Beside the list where that shows as much: devices one by one, or in groups.
    const fits = beside !== false && !beside.grid === !above.grid;
    return { model, rows, mesh: fits ? beside : above, beside: fits };
  }

  /** Width of the picture of the devices. */
  meshWidth(): number {
    // Panels of a third axis stand beside one another where they can: the list below needs the height.
    const panels = (this.now.model?.mesh?.meshShape.length ?? 0) > 2;
    return Math.min(this.now.width, panels ? 1200 : 760) - 2 * PAD;
  }

  protected override paint(): boolean {
    const shown = this.shown();
    const { theme } = this.now;
    if (!shown || !theme) return false;
    const { model, mesh } = shown;
    const names = this.frame.shadowRoot?.querySelector<HTMLElement>(".names");
    if (names) this.#tall.keep(names, this.now.width, model, this.now.paper);
    const holding = this.#holding(model);
    if (!holding || !mesh) return true;
    const chosen = outstanding(model);
    return this.meshLayer.paint([mesh, model], mesh, theme, () =>
      deviceMarks(holding, mesh, model.own, chosen, model.write),
    );
  }

  /** Whether there is a kernel that can be asked for a view. */
  get live(): boolean {
    return !this.saved;
  }

  list(change: Partial<Pick<Fields, "filter" | "search">>): void {
    this.set(change);
    const rows = this.shown()?.rows ?? [];
    if (!rows.some((row) => row.name === this.now.at)) this.set({ at: rows[0]?.name ?? null });
    this.share({ search: this.now.search });
  }

  /** What a badge of the head shows: what is to be looked at alone, or all again; the next name with copies. */
  go(to: string): void {
    if (to === "flagged") this.list({ filter: this.now.filter === "flagged" ? "all" : "flagged" });
    else this.#nextCopied();
  }

  #nextCopied(): void {
    const { model, at } = this.now;
    const copied = model?.doc.holders.filter((holder) => model.copiedOver(holder).length > 0) ?? [];
    const next = copied[(copied.findIndex(({ name }) => name === at) + 1) % copied.length];
    if (!next) return;
    if (!this.shown()?.rows.includes(next)) this.list({ filter: "all", search: "" });
    this.point(next.name);
  }

  /** Line that the keyboard is at. */
  line(): number {
    return Math.max(0, this.shown()?.rows.findIndex((row) => row.name === this.now.at) ?? 0);
  }

  /** Moves the keyboard to a line. */
  move(line: number): void {
    const rows = this.shown()?.rows ?? [];
    const row = rows[Math.max(0, Math.min(rows.length - 1, line))];
    if (row) this.point(row.name);
  }

  /** The way through names with something to look at, the costliest first. */
  walk(): { at: number; of: number; go: (by: 1 | -1) => void } {
    const { model, at } = this.now;
    const looks = (model?.doc.holders ?? []).filter((h) => h.flags > 0).sort((a, b) => b.cost - a.cost);
    const here = looks.findIndex(({ name }) => name === at);
    const go = (by: 1 | -1) => {
      const to = looks[Math.max(0, Math.min(looks.length - 1, here + by))];
      if (to && !this.shown()?.rows.includes(to)) this.list({ filter: "all", search: "" });
      if (to) this.point(to.name);
    };
    // In the narrowest cells the sentence has the line to itself; the key is there still.
    return { at: here, of: this.now.width < TIGHT ? 0 : looks.length, go };
  }

  point(name: string): void {
    this.set({ at: name });
    this.share({ selection: name });
  }

  /** Opens the view of a line below it, or closes it. */
  toggle(name = this.now.at): void {
    const holder = this.now.model?.doc.holders.find((h) => h.name === name);
    if (!holder || name === null || holder.change === "gone") return;
    if (this.now.open === name) {
      this.set({ open: null, answer: null });
      return;
    }
    this.set({ open: name, answer: null });
    this.point(name);
    if (this.live && name !== "") this.#ask("open", name);
  }

  refresh(): void {
    this.#ask("look", "");
  }

  #ask(what: "look" | "open", name: string): void {
    if (!this.live) return;
    // Another page may have asked as well: numbers continue from the last of all.
    const last = this.widget.get("_asked") as { n?: number } | undefined;
    this.#asked = Math.max(this.#asked, last?.n ?? 0) + 1;
    this.share({ _asked: { n: this.#asked, do: what, name } });
  }
}
