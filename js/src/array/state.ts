/** The state of a placement on screen: what is hovered and pinned, how it is coloured and cut, the values read so far. */

import { loaded } from "../card/loaded";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Values } from "../core/document.gen";
import { product } from "../core/mesh";
import { decodePlacement, PlacementModel } from "../core/placement";
import { BlockView } from "../core/values";
import { PAD } from "../draw/marks";
import type { Theme } from "../draw/paint/theme";
import { Layers } from "./layers";
import {
  type Highlight,
  highlightDevice,
  highlightOf,
  type Selection,
  sameLit,
  selectionOf,
  type Which,
} from "./model/selection";
import { summarize } from "./model/summary";
import { type Tip, tipOf } from "./model/tip";
import type { ArrayParts } from "./parts/parts";
import { type Choice, MANY, roles, WHOLE } from "./scene/faces";
import { HIGH, HIGHER, layoutBody } from "./scene/layout";
import type { Shown } from "./scene/morph";
import { type ColorBy, paintsOf } from "./scene/paints";

/** For arrays up to this size, the values of all shards are requested at once. */
const SMALL = 256 * 1024;
/** Maximum height of a card that is not narrow, with some room for what reaches over the edge of a panel. */
const HIGHEST = 624;
const WIDE = 860;
/** All of an array in view, from its first facet. */
const ALL: Pick<Choice, "facet" | "window"> = { facet: [0, 0], window: null };
/** Devices that are requested at once. */
const MOST_WANTED = 64;

interface Fields {
  model: PlacementModel | null;
  colorBy: ColorBy;
  choice: Choice;
  hover: Highlight | null;
  pinned: Highlight | null;
  /** Where the pointer or the keyboard came from: the panel whose box the tooltip stands at. */
  origin: Which;
  /** Whether the footer asks for a device id to go to. */
  goTo: boolean;
  /** Values read so far, by device id. */
  blocks: ReadonlyMap<number, BlockView>;
  valuesNote: string;
  /** Said to screen readers. */
  announced: string;
  /** The picture before the last change, while the change is shown. */
  before: Shown | null;
  /** What is needed after the first picture, once it has been loaded. */
  parts: ArrayParts | null;
  /** Maximum height of a panel: less where the head of the card takes more room. */
  high: number;
}

export class ArrayState extends CardState<Fields> {
  readonly layers = new Layers(
    () => this.set({ before: null }),
    (thrown) => this.fail(thrown),
  );
  readonly #pinch = memo((parts: ArrayParts | null) => parts && new parts.Pinch((closer) => this.zoom(closer)));
  readonly #shown = memo(
    (
      model: PlacementModel | null,
      width: number,
      theme: Theme | null,
      choice: Choice,
      colorBy: ColorBy,
      blocks: Fields["blocks"],
      high: number,
    ): Shown | null => {
      if (!model || width <= 0 || !theme) return null;
      const paints = paintsOf(model, theme.scheme, colorBy, blocks);
      return { model, layout: this.#layout(model, choice, width, high, paints.cell), paints };
    },
  );
  readonly #layout = memo((model: PlacementModel, choice: Choice, width: number, high: number, cell: Choice["cell"]) =>
    layoutBody(model, { ...choice, cell }, width, true, high),
  );
  readonly #summary = memo((model: PlacementModel | null) => model && summarize(model));

  readonly #asked = new Set<number>();

  /** `high` is the maximum height of a panel, where the picture has more around it than a head and a foot. */
  constructor(
    widget: WidgetModel,
    frame: HTMLElement,
    private readonly high?: number,
  ) {
    const fields: Fields = {
      model: null,
      colorBy: "position",
      choice: WHOLE,
      hover: null,
      pinned: null,
      origin: "array",
      goTo: false,
      blocks: new Map(),
      valuesNote: "",
      announced: "",
      before: null,
      parts: null,
      high: high ?? HIGH,
    };
    super(widget, frame, fields, ["_parts", "_values", "selection", "color_by", "row_dim", "column_dim"]);
    this.until(this.watch(() => this.#want()));
    this.until(() => this.layers.dispose());
  }

  name(): string {
    const doc = this.now.model?.doc;
    return doc ? `${doc.shape === null ? "mesh" : "array"} ${doc.name} ${doc.type}` : "array";
  }

  /** Zooming with two fingers; null until it is loaded. */
  get pinch() {
    return this.#pinch(this.now.parts);
  }

  lit(): Highlight | null {
    return this.now.hover ?? this.now.pinned;
  }

  shown(): Shown | null {
    const { model, width, theme, choice, colorBy, blocks, high } = this.now;
    return this.#shown(model, width - 2 * PAD, theme, choice, colorBy, blocks, high);
  }

  summary() {
    return this.#summary(this.now.model);
  }

  tip(): Tip | null {
    const { model, blocks, valuesNote } = this.now;
    const lit = this.lit();
    if (!model || !lit) return null;
    const id = model.ids[lit.positions[0] ?? -1] ?? -1;
    const wait = this.saved ? "values were not saved" : valuesNote || "reading values …";
    return tipOf(model, lit, blocks.get(id) ?? null, wait);
  }

  protected override paint(): boolean {
    const { theme, before, parts } = this.now;
    const shown = this.shown();
    const picture = this.frame.shadowRoot?.querySelector<HTMLElement>(".picture");
    if (picture && !this.high) {
      const around = this.frame.offsetHeight - picture.offsetHeight;
      // Where a block is described below, the panels are as high as the card may be.
      const most = (this.now.model?.size ?? 0) < MANY ? HIGH : HIGHER;
      this.set({ high: this.now.width < WIDE ? most : Math.min(most, HIGHEST - around) });
      // Another height is drawn at once: this one would never be seen.
      if (shown !== this.shown()) return false;
    }
    return (
      shown !== null && theme !== null && this.layers.paint(shown, theme, before, this.lit(), this.now.pinned, parts)
    );
  }

  setColor(colorBy: ColorBy): void {
    this.share({ color_by: colorBy });
    this.set({ colorBy });
  }

  setDims(rowDim: number | null, columnDim: number | null): void {
    this.share({ row_dim: rowDim, column_dim: columnDim });
    this.set({ choice: { ...this.now.choice, ...ALL, rowDim, columnDim } });
  }

  /** Makes the panels of the mesh those of an axis. */
  setPanels(panels: number): void {
    this.set({ choice: { ...this.now.choice, panels } });
  }

  /** Goes to the same device of the panel before or after, along a mesh axis that has panels. */
  slice(by: number, axis = this.shown()?.layout.mesh.order[2] ?? -1): void {
    const { model } = this.now;
    if (!model) return;
    const at = this.lit()?.positions[0] ?? 0;
    const to = (model.digits(at)[axis] ?? 0) + by;
    if (to < 0 || to === model.meshShape[axis]) return;
    this.set({ hover: null, pinned: null });
    this.pin(highlightDevice(model, at + by * product(model.meshShape.slice(axis + 1))), "mesh");
  }

  /** Pins what is highlighted, or unpins it if it is pinned already. */
  pin(lit: Highlight | null, origin: Which | null = null): void {
    const { model } = this.now;
    if (!model) return;
    this.set({ origin: origin ?? this.now.origin, pinned: sameLit(this.now.pinned, lit) ? null : lit });
    this.share({ selection: selectionOf(model, this.now.pinned) });
  }

  /** Lights a tile with its devices, an axis, or nothing. */
  light(lit: Highlight | null, origin: Which | null = null): void {
    this.set({ origin: origin ?? this.now.origin, hover: sameLit(this.now.hover, lit) ? this.now.hover : lit });
  }

  /** Shows fewer parts of the rows and columns, about what is lit: all, then 16, then 4. */
  zoom(closer: boolean): void {
    const { model, choice } = this.now;
    if (!model || model.doc.shape === null) return;
    const { row, column } = roles(model, choice);
    const parts = model.parts(this.lit()?.tile ?? 0);
    const all = Math.max(...[row, column].map((dim) => model.grid[dim ?? -1] ?? 1));
    const now = choice.window ? Math.max(choice.window[0][1], choice.window[1][1]) : all;
    const next = closer ? (now > 16 ? 16 : 4) : now < 16 && all > 16 ? 16 : all;
    const stretch = (dim: number | null): readonly [number, number] => {
      const n = dim === null ? 1 : (model.grid[dim] ?? 1);
      const count = Math.min(n, next);
      const center = dim === null ? 0 : (parts[dim] ?? 0);
      return [Math.max(0, Math.min(n - count, center - Math.floor(count / 2))), count];
    };
    this.set({ choice: { ...choice, window: next === all ? null : [stretch(row), stretch(column)] } });
  }

  protected read(document: unknown): void {
    const model = new PlacementModel(decodePlacement(document));
    this.#asked.clear();
    this.set({
      model,
      before: this.shown(),
      choice: { ...this.now.choice, ...ALL },
      hover: null,
      blocks: new Map(),
    });
  }

  protected override follow(trait: string | null): void {
    const parts = this.widget.get("_parts") as string | undefined;
    // Without them a change is shown at once.
    if (parts && !this.now.parts)
      loaded<ArrayParts>(parts).then(
        (module) => this.set({ parts: module }),
        () => {},
      );
    if (trait === null || trait === "_values") this.#receive();
    if (trait === null || trait === "selection") this.#select();
    this.#look();
  }

  #receive(): void {
    const values = (this.widget.get("_values") ?? null) as Values | null;
    const saved = this.now.model?.doc.values ?? null;
    // Without values, the array was replaced by another: what was read of the old one is stale.
    const all = new Map(values ? this.now.blocks : []);
    if (!values) this.#asked.clear();
    for (const b of [...(saved?.blocks ?? []), ...(values?.blocks ?? [])]) all.set(b.device_id, new BlockView(b));
    this.set({ blocks: all, valuesNote: values?.note ?? saved?.note ?? "" });
  }

  #select(): void {
    const { model } = this.now;
    if (model) this.set({ pinned: highlightOf(model, (this.widget.get("selection") ?? null) as Selection | null) });
  }

  #look(): void {
    const rowDim = (this.widget.get("row_dim") ?? null) as number | null;
    const columnDim = (this.widget.get("column_dim") ?? null) as number | null;
    const { choice } = this.now;
    const same = choice.rowDim === rowDim && choice.columnDim === columnDim;
    this.set({
      colorBy: (this.widget.get("color_by") ?? "position") as ColorBy,
      choice: same ? choice : { ...choice, ...ALL, rowDim, columnDim },
    });
  }

  /** Asks Python for the values that are about to be shown and were not asked for yet. */
  #want(): void {
    const { model, colorBy } = this.now;
    const lit = this.lit();
    const all = colorBy === "values";
    if (!model || this.saved || model.doc.state !== "live" || (!lit && !all)) return;
    const before = this.#asked.size;
    const add = (position: number | undefined) => {
      if (position === undefined || this.#asked.size >= before + MOST_WANTED || !model.addressable(position)) return;
      this.#asked.add(model.ids[position] ?? 0);
    };
    add(lit?.positions[0]);
    if (all || model.bytes <= SMALL) {
      const seen = new Set<number>();
      model.tileAt.forEach((tile, p) => {
        if (seen.has(tile) || !model.addressable(p)) return;
        seen.add(tile);
        add(p);
      });
    }
    // With those that have not come: while Python is busy, only the last of several requests is sent.
    if (this.#asked.size > before) this.share({ _want: [...this.#asked].filter((id) => !this.now.blocks.has(id)) });
  }
}
