/** The state of one view: what the model shares with Python, what is hovered and pinned, and what follows from both. */
import { batch, computed, effect, signal, untracked } from "@preact/signals-core";
import type { WidgetModel } from "../host/model";
import { pageTheme } from "../host/theme";
import type { Placement, Values } from "../model/document.gen";
import { PlacementModel } from "../model/placement";
import { type Highlight, highlightOf, type Selection, sameLit, selectionOf } from "../model/selection";
import { summarize } from "../model/summary";
import { tipOf } from "../model/tip";
import { BlockView } from "../model/values";
import { decodeBytes, decodeDocument } from "../model/wire";
import type { Theme } from "../paint/theme";
import { type Choice, roles, WHOLE } from "../scene/faces";
import { type Layout, layoutBody } from "../scene/layout";
import type { Shown } from "../scene/morph";
import { type ColorBy, type Paints, paintsOf } from "../scene/paints";

/** The two panels of a picture. */
export type Which = "array" | "mesh";

/** Arrays up to this size have the values of all their shards asked for at once. */
const SMALL = 256 * 1024;
/** Devices asked for in one go. */
const MOST_WANTED = 64;

export class ViewState {
  readonly model = signal<PlacementModel | null>(null);
  /** Counts documents: a failure ends with the document that caused it. */
  readonly generation = signal(0);
  /** A document that cannot be drawn. */
  readonly broken = signal<Error | null>(null);
  readonly width = signal(0);
  readonly theme = signal<Theme | null>(null);
  readonly colorBy = signal<ColorBy>("position");
  readonly choice = signal<Choice>(WHOLE);
  readonly hover = signal<Highlight | null>(null);
  readonly pinned = signal<Highlight | null>(null);
  /** Where the pointer or the keyboard came from: the panel whose box the tooltip stands at. */
  readonly origin = signal<Which>("array");
  /** Whether the footer asks for a device id to go to. */
  readonly goTo = signal(false);
  readonly blocks = signal<ReadonlyMap<number, BlockView>>(new Map());
  readonly valuesNote = signal("");
  /** Said to screen readers. */
  readonly announced = signal("");
  /** The picture before the last change, while the change is shown. */
  readonly before = signal<Shown | null>(null);

  readonly lit = computed(() => this.hover.value ?? this.pinned.value);
  readonly layout = computed<Layout | null>(() => {
    const model = this.model.value;
    return model && this.width.value > 0 ? layoutBody(model, this.choice.value, this.width.value, true) : null;
  });
  readonly paints = computed<Paints | null>(() => {
    const model = this.model.value;
    const theme = this.theme.value;
    if (!model || !theme) return null;
    return paintsOf(model, theme.scheme, this.colorBy.value, this.blocks.value);
  });
  readonly shown = computed<Shown | null>(() => {
    const [model, layout, paints] = [this.model.value, this.layout.value, this.paints.value];
    return model && layout && paints ? { model, layout, paints } : null;
  });
  readonly summary = computed(() => (this.model.value ? summarize(this.model.value) : null));
  readonly tip = computed(() => {
    const model = this.model.value;
    const lit = this.lit.value;
    if (!model || !lit) return null;
    const id = model.ids[lit.positions[0] ?? -1];
    const block = id === undefined ? null : (this.blocks.value.get(id) ?? null);
    const wait = this.#static
      ? "values were not saved"
      : this.#asked.has(id ?? -1)
        ? this.valuesNote.value || "reading values …"
        : "";
    return tipOf(model, lit, block, wait);
  });

  readonly #widget: WidgetModel;
  readonly #frame: HTMLElement;
  readonly #static: boolean;
  readonly #asked = new Set<number>();
  readonly #undo: (() => void)[] = [];

  constructor(widget: WidgetModel, frame: HTMLElement) {
    this.#widget = widget;
    this.#frame = frame;
    this.#static = widget.get("_static") === true;
    this.#listen("_document", () => this.#load());
    this.#listen("_values", () => this.#receive());
    this.#listen("selection", () => this.#select());
    this.#listen("color_by", () => this.#look());
    this.#listen("row_dim", () => this.#look());
    this.#listen("column_dim", () => this.#look());
    this.#look();
    this.#load();
    this.#undo.push(effect(() => this.#want()));
  }

  resize(width: number): void {
    batch(() => {
      this.width.value = Math.max(240, width - 2 * CARD_PAD - 2);
      if (!this.theme.value) this.theme.value = pageTheme(this.#frame);
    });
  }

  retheme(): void {
    if (this.#frame.isConnected && this.width.peek() > 0) this.theme.value = pageTheme(this.#frame);
  }

  /** Says to whoever waits for it that a picture stands complete. */
  drawn(): void {
    this.#frame.dataset.swReady = String(Number(this.#frame.dataset.swReady ?? 0) + 1);
  }

  dispose(): void {
    for (const undo of this.#undo) undo();
  }

  setColor(color: ColorBy): void {
    this.#share("color_by", color);
    this.colorBy.value = color;
  }

  setDims(rowDim: number | null, columnDim: number | null): void {
    this.#share("row_dim", rowDim);
    this.#share("column_dim", columnDim);
    this.choice.value = { ...WHOLE, rowDim, columnDim };
  }

  /** Pins what is lit, or lets go of it if it is pinned already. */
  pin(lit: Highlight | null, origin: Which | null = null): void {
    const model = this.model.peek();
    if (!model) return;
    if (origin) this.origin.value = origin;
    this.pinned.value = sameLit(this.pinned.peek(), lit) ? null : lit;
    this.#share("selection", selectionOf(model, this.pinned.peek()));
  }

  /** Lights a tile with its devices, an axis, or nothing. */
  light(lit: Highlight | null, origin: Which | null = null): void {
    batch(() => {
      if (origin) this.origin.value = origin;
      if (!sameLit(this.hover.peek(), lit)) this.hover.value = lit;
    });
  }

  /** Shows fewer parts of the rows and columns, about what is lit: all, then 16, then 4. */
  zoom(closer: boolean): void {
    const model = this.model.peek();
    if (!model || model.doc.shape === null) return;
    const choice = this.choice.peek();
    const { row, column } = roles(model.rank, choice);
    const parts = this.lit.peek()?.tile != null ? model.parts(this.lit.peek()?.tile ?? 0) : [];
    const now = choice.window ? Math.max(choice.window[0][1], choice.window[1][1]) : Number.POSITIVE_INFINITY;
    const next = closer ? (now > 16 ? 16 : 4) : now < 16 ? 16 : Number.POSITIVE_INFINITY;
    const stretch = (dim: number | null): readonly [number, number] => {
      const n = dim === null ? 1 : (model.grid[dim] ?? 1);
      const count = Math.min(n, next);
      const center = dim === null ? 0 : (parts[dim] ?? 0);
      return [Math.max(0, Math.min(n - count, center - Math.floor(count / 2))), count];
    };
    this.choice.value = {
      ...choice,
      window: next === Number.POSITIVE_INFINITY ? null : [stretch(row), stretch(column)],
    };
  }

  #load(): void {
    const old = this.shown.peek();
    try {
      const model = new PlacementModel(decodeDocument(this.#widget.get("_document")));
      batch(() => {
        this.broken.value = null;
        this.before.value = old;
        this.generation.value++;
        this.model.value = model;
        this.choice.value = { ...this.choice.peek(), facet: [0, 0], window: null };
        this.hover.value = null;
        this.blocks.value = new Map();
        this.#asked.clear();
        this.#select();
        this.#receive();
      });
    } catch (error) {
      this.broken.value = error instanceof Error ? error : new Error(String(error));
    }
  }

  #receive(): void {
    const values = decodeBytes(this.#widget.get("_values")) as Values | null;
    const saved = (this.model.peek()?.doc as Placement | undefined)?.values ?? null;
    batch(() => {
      if (!values && !saved) {
        // The array was replaced by one in the same place: what was read of the old one is stale.
        this.#asked.clear();
        this.blocks.value = new Map();
      }
      const all = new Map(this.blocks.peek());
      for (const b of [...(saved?.blocks ?? []), ...(values?.blocks ?? [])]) all.set(b.device_id, new BlockView(b));
      this.blocks.value = all;
      this.valuesNote.value = values?.note ?? saved?.note ?? "";
    });
  }

  #select(): void {
    const model = this.model.peek();
    if (model) this.pinned.value = highlightOf(model, (this.#widget.get("selection") ?? null) as Selection | null);
  }

  #look(): void {
    batch(() => {
      this.colorBy.value = (this.#widget.get("color_by") ?? "position") as ColorBy;
      const rowDim = (this.#widget.get("row_dim") ?? null) as number | null;
      const columnDim = (this.#widget.get("column_dim") ?? null) as number | null;
      const choice = this.choice.peek();
      if (choice.rowDim !== rowDim || choice.columnDim !== columnDim)
        this.choice.value = { ...WHOLE, rowDim, columnDim };
    });
  }

  /** Asks Python for the values that are about to be shown and were not asked for yet. */
  #want(): void {
    const model = this.model.value;
    const lit = this.lit.value;
    const all = this.colorBy.value === "values";
    this.blocks.value;
    if (!model || this.#static || model.doc.state !== "live" || (!lit && !all)) return;
    untracked(() => {
      const wanted = new Set<number>();
      const add = (position: number | undefined) => {
        if (position === undefined || wanted.size >= MOST_WANTED || !model.addressable(position)) return;
        const id = model.ids[position] ?? 0;
        if (!this.#asked.has(id)) wanted.add(id);
      };
      if (lit) add(lit.positions[0]);
      if (all || model.bytes <= SMALL) {
        const seen = new Set<number>();
        model.tileAt.forEach((tile, p) => {
          if (seen.has(tile) || !model.addressable(p)) return;
          seen.add(tile);
          add(p);
        });
      }
      if (wanted.size === 0) return;
      for (const id of wanted) this.#asked.add(id);
      this.#share("_want", [...wanted]);
    });
  }

  #share(name: string, value: unknown): void {
    this.#widget.set(name, value);
    this.#widget.save_changes();
  }

  #listen(name: string, callback: () => void): void {
    this.#widget.on(`change:${name}`, callback);
    this.#undo.push(() => this.#widget.off(`change:${name}`, callback));
  }
}

/** Inner padding of the card. */
export const CARD_PAD = 16;
