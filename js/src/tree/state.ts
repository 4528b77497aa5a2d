/** The state of a tree on screen: what is open, listed and pointed at, and the rules that are tried. */

import { Layer } from "../card/canvas";
import { firstLine, scrollToTop } from "../card/scroll";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import { Tall } from "../card/tall";
import type { WidgetModel } from "../card/widget";
import type { Format } from "../core/format";
import type { Device } from "../core/mesh";
import { type Devices, deviceMarks, layoutDevices } from "../draw/devices";
import { bringIntoView, isInView } from "./inview";
import { codeOfRules } from "./model/code";
import { equalLeaves } from "./model/leaf";
import { type Listing, type Row, rowsOf, SORTS, type Sort } from "./model/rows";
import { applyRules, type Offer, offersFor, patternOf, readRules, type WhatIf, withRule } from "./model/rules";
import { decodeModel, type Finding, ownBytes, TreeModel } from "./model/tree";
import { type Figures, figuresOf, numberOf } from "./model/words";
import { barMarks, type DeviceBar, layoutBar } from "./scene/bar";
import { layoutTreemap, type Treemap, treemapMarks } from "./scene/treemap";

/** Height of the map beside the table: with head, what-if and foot a card stays below 640 px. */
const MAP = 86;
/** Lines that a tree opens by itself: about as many as are in view. */
const ROOM = 13;

/** What an open leaf shows, by the name of the view in its bundle: the array, or a spec to try. */
export type LeafPage = "array" | "leaf";

/** Leaves that are named to screen readers. */
const LISTED = 5;

const BEGINNING = {
  tree: null as TreeModel | null,
  sort: "tree" as Sort,
  flat: false,
  search: "",
  axis: null as string | null,
  /** Which reason to look was gone to last; null for none. */
  finding: null as number | null,
  /** Index of the device that is looked at; null for the one that holds most. */
  device: null as number | null,
  open: new Map<number, boolean>() as ReadonlyMap<number, boolean>,
  /** The node that the keyboard is at. */
  node: 0,
  /** Leaf that is open beside the table, or below it where there is no room; null for none. */
  array: null as number | null,
  leafPage: "array" as LeafPage,
  /** Rules as text, one per line. */
  rules: "",
  /** How far the table is scrolled; null on paper, where all of it stands. */
  top: 0 as number | null,
  /** Whether copying the code worked, in words. */
  copied: "",
};
type Fields = typeof BEGINNING;

/** Everything that the card is drawn from. */
export interface Shown {
  tree: TreeModel;
  rows: readonly Row[];
  /** How bytes are written: all in one unit. */
  figures: Figures;
  bar: DeviceBar;
  device: number;
  map: Treemap;
  mesh: Devices;
  whatIf: WhatIf;
}

/** Below these widths a column is left out, the panel stands under the table, and a line is two. */
export const WIDE = 920;
export const STACKED = 860;
export const NARROW = 560;
const PAD = 16;

export class ModelState extends CardState<Fields> {
  readonly barLayer = new Layer();
  readonly mapLayer = new Layer();
  readonly meshLayer = new Layer();
  /** What is to be done once the card has another width. */
  #after: (() => void) | null = null;
  readonly #rows = memo(
    (
      tree: TreeModel,
      sort: Sort,
      flat: boolean,
      search: string,
      axis: string | null,
      device: number,
      open: ReadonlyMap<number, boolean>,
    ) => rowsOf(tree, { sort, flat, search, axis, device, open, room: ROOM }),
  );
  readonly #leaves = memo((tree: TreeModel, device: number) => rowsOf(tree, { ...ALL, device }));
  readonly #figures = memo(figuresOf);
  readonly #bar = memo(layoutBar);
  /** Without the unit, which is said once. */
  readonly #plain = memo(
    (write: Format): Format =>
      (n) =>
        numberOf(write(n)),
  );
  readonly #map = memo(layoutTreemap);
  readonly #mesh = memo(layoutDevices);
  readonly #own = memo(ownBytes);
  readonly #largest = memo((leaves: readonly Row[]) =>
    [...leaves].sort((a, b) => b.sums.here - a.sums.here).slice(0, LISTED),
  );
  readonly #offers = memo(offersFor);
  readonly #whatIf = memo((tree: TreeModel, rules: string) => applyRules(tree, readRules(rules)));

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["selection", "sort", "search", "rules"]);
  }

  name(): string {
    return `arrays of ${this.now.tree?.doc.name || "a tree"}`;
  }

  override print(on: boolean): void {
    super.print(on);
    this.set({ top: on ? null : 0 });
  }

  /** The line that is seen first stays the first; of a table that nobody scrolled the current line stays in view. */
  override resize(outer: number): void {
    const { width } = this.now;
    const list = this.frame.shadowRoot?.querySelector(".tree");
    const first = list ? firstLine(list, ".row") : null;
    const current = list?.querySelector<HTMLElement>(".lines > i");
    const seen = list && current && isInView(current, list.scrollTop, this.#high);
    super.resize(outer);
    if (!list || this.now.width === width) return;
    this.#after ??= () => {
      if (first && (this.#touched || !seen)) scrollToTop(list, first);
      else if (seen) bringIntoView(current);
    };
  }

  protected override read(document: unknown): void {
    const tree = new TreeModel(decodeModel(document));
    this.set({ tree, open: new Map(), node: 0, array: null, device: null, top: 0, finding: null });
    this.#touched = false;
    if (tree.findings.length > 0) this.#find(0);
  }

  protected override follow(): void {
    const sort = this.widget.get("sort");
    const selection = this.widget.get("selection");
    this.set({
      sort: SORTS.find((s) => s === sort) ?? "tree",
      search: String(this.widget.get("search") ?? ""),
      rules: String(this.widget.get("rules") ?? ""),
    });
    if (typeof selection === "string") this.#reveal(selection);
  }

  /** What is drawn; null before there is something to draw. */
  shown(): Shown | null {
    const { tree, theme, width, sort, flat, search, axis, open, rules } = this.now;
    if (!tree || !theme || width === 0) return null;
    const device = this.now.device ?? tree.fullest;
    const leaves = this.#leaves(tree, device);
    const room = this.panelWidth();
    const rows = this.#rows(tree, sort, flat, search, axis, device, open);
    const figures = this.#figures(tree, leaves);
    return {
      tree,
      rows,
      figures,
      bar: this.#bar(tree, width - 2 * PAD),
      device,
      map: this.#map(tree, leaves, room, width < STACKED ? 190 : MAP),
      mesh: this.#mesh(tree, room, this.#plain(figures.here)),
      whatIf: this.#whatIf(tree, rules),
    };
  }

  /** All leaves that are on the device, equal ones as one. */
  leaves(): readonly Row[] {
    const { tree, device } = this.now;
    return tree ? this.#leaves(tree, device ?? tree.fullest) : [];
  }

  /** The leaves that take most of the device. */
  largest(): readonly Row[] {
    return this.#largest(this.leaves());
  }

  /** Rules that flags suggest. */
  offers(): readonly Offer[] {
    const { tree, rules } = this.now;
    return tree ? this.#offers(tree, rules) : [];
  }

  /** Width of the map and of the mesh. */
  panelWidth(): number {
    const { width } = this.now;
    if (width < NARROW) return width - 2 * PAD;
    if (width < STACKED) return (width - 3 * PAD) / 2;
    // A spec to edit needs more than a map.
    const [least, most, part] =
      this.now.array !== null && this.now.leafPage === "leaf" ? [400, 520, 0.4] : [320, 440, 0.34];
    return Math.round(Math.max(least, Math.min(most, part * width))) - 2 * PAD;
  }

  readonly #tall = new Tall();
  /** Height of the table: at another width it is another one before the card is drawn again. */
  #high = 0;
  /** Whether somebody looked through the table. */
  #touched = false;

  touched(): void {
    this.#touched = true;
  }

  protected override paint(): boolean {
    const shown = this.shown();
    const { theme } = this.now;
    if (!shown || !theme) return false;
    this.#after?.();
    this.#after = null;
    const table = this.frame.shadowRoot?.querySelector<HTMLElement>(".tree");
    if (table) {
      this.#tall.keep(table, this.now.width, this.now.paper, this.now.generation);
      this.#high = table.clientHeight;
    }
    const { tree, map, mesh, device, figures, bar } = shown;
    const write = figures.here;
    const lit = this.lit();
    const picked = this.finding();
    const inputs = [picked, figures];
    const long = this.barLayer.paint([bar, ...inputs], bar, theme, () => barMarks(tree, bar, picked, figures));
    const painted = this.mapLayer.paint([map, lit, ...inputs], map, theme, () =>
      treemapMarks(tree, map, lit, picked, write),
    );
    const own = this.#own(tree);
    // Among devices that are alike none is highlighted by default.
    const chosen = tree.alike && this.now.device === null ? null : device;
    const other = this.meshLayer.paint([mesh, chosen], mesh, theme, () =>
      deviceMarks(tree, mesh, own, chosen, this.#plain(write)),
    );
    return long || painted || other;
  }

  readonly #lit = memo((tree: TreeModel, node: number) => {
    const all = new Set<number>();
    for (let at = node; at < (tree.end[node] ?? 0); at++) all.add(at);
    return tree.depth[node] === 0 && !tree.isLeaf(node) ? new Set<number>() : all;
  });

  /** Nodes whose tiles stand out: the one that the keyboard is at, and those below. */
  lit(): ReadonlySet<number> {
    const { tree, node } = this.now;
    return tree ? this.#lit(tree, node) : new Set();
  }

  list(change: Partial<Pick<Fields, "sort" | "flat" | "search" | "axis">>): void {
    this.set({ ...change, top: 0 });
    const first = this.shown()?.rows[0];
    if (first && !this.shown()?.rows.some((row) => row.node === this.now.node)) this.set({ node: first.node });
    this.share({ sort: this.now.sort, search: this.now.search });
  }

  /** Sorts by something; as in the tree at the second time. */
  sortBy(sort: Sort): void {
    this.list({ sort: this.now.sort === sort ? "tree" : sort });
  }

  /** Moves the keyboard to a line. */
  move(line: number): void {
    const rows = this.shown()?.rows ?? [];
    const row = rows[Math.max(0, Math.min(rows.length - 1, line))];
    if (row) this.point(row);
  }

  point(row: Row): void {
    this.set({ node: row.node });
    this.share({ selection: this.#pathOf(row) });
  }

  /** Line of the table that the keyboard is at. */
  line(): number {
    return Math.max(0, this.shown()?.rows.findIndex((row) => row.node === this.now.node) ?? 0);
  }

  /** Opens or closes a node. */
  toggle(row: Row, open = !row.open): void {
    if (row.leaf !== null || row.open === open) return;
    this.set({ open: new Map(this.now.open).set(row.node, open), node: row.node });
  }

  /** To the node above, or closes this one. */
  left(): void {
    const rows = this.shown()?.rows ?? [];
    const at = this.line();
    const row = rows[at];
    if (row?.open) this.toggle(row, false);
    else this.move(rows.findLastIndex((above, i) => i < at && above.depth < (row?.depth ?? 0)));
  }

  /** Opens this one, or goes to the first below. */
  right(): void {
    const row = this.shown()?.rows[this.line()];
    if (row && row.leaf === null) row.open ? this.move(this.line() + 1) : this.toggle(row, true);
  }

  /** Opens a leaf beside the table or closes it, or opens a node. */
  enter(leafPage: LeafPage = "array"): void {
    const row = this.shown()?.rows[this.line()];
    if (!row) return;
    const { array, leafPage: shown } = this.now;
    if (row.leaf === null) this.toggle(row);
    else this.set({ array: array === row.leaf && shown === leafPage ? null : row.leaf, leafPage });
  }

  /** The module that draws an open leaf. */
  get leafSource(): string {
    return String(this.widget.get("_leaf") ?? "");
  }

  /** Theme and palette that the user chose. */
  get chosenLook(): unknown {
    return this.widget.get("_look");
  }

  /** Rules whose effects surely fit below them without scrolling. */
  get effectsInView(): number {
    return this.now.width < STACKED ? 0 : 3;
  }

  /** Rules that are in view at once: beside the map as many as there are, up to four, since the table gives way to them. */
  lines(rules: number): number {
    return this.now.width < STACKED ? 2 : Math.min(4, rules);
  }

  /** Makes a spec that was tried for a leaf a rule, for all leaves that are equal to it. */
  takeSpec(leaf: number, spec: string): void {
    if (this.now.tree) this.addRule(equalLeaves(this.now.tree, leaf), spec);
  }

  look(device: number | null): void {
    this.set({ device: device === this.now.device ? null : device });
  }

  deviceOf(index: number): Device | undefined {
    return this.now.tree?.devices[index];
  }

  write(rules: string): void {
    this.set({ rules, copied: "" });
    this.share({ rules });
  }

  /** Adds a rule for leaves below those that are there. */
  addRule(leaves: readonly number[], spec: string): void {
    const { tree, rules } = this.now;
    if (tree) this.write(withRule(rules, patternOf(tree, leaves), spec));
  }

  code(): string {
    return this.now.tree ? codeOfRules(readRules(this.now.rules), this.now.tree) : "";
  }

  #pathOf(row: Row): string | null {
    const { tree } = this.now;
    if (!tree) return null;
    return tree
      .pathTo(row.node)
      .map((key) => key.text)
      .join("");
  }

  /** Puts the keyboard at the node of a path, and opens what is above. */
  #reveal(path: string): void {
    const { tree } = this.now;
    const here = tree
      ?.pathTo(this.now.node)
      .map((key) => key.text)
      .join("");
    if (!tree || here === path) return;
    const leaf = tree.typeOf.findIndex((_, i) => tree.pathOf(i) === path);
    if (leaf >= 0) this.#show(tree.nodeOf[leaf] ?? 0);
  }

  /** Goes to the next reason to look, or the one before. */
  walk(by: number): void {
    const { tree, finding } = this.now;
    const count = tree?.findings.length ?? 0;
    if (count === 0) return;
    this.#find(((finding ?? (by > 0 ? -1 : 0)) + by + count) % count);
    this.#tell();
  }

  /** The reason to look that was gone to last. */
  finding(): Finding | null {
    const { tree, finding } = this.now;
    return tree?.findings[finding ?? -1] ?? null;
  }

  /** Goes to a reason to look. */
  goTo(at: Finding): void {
    this.#find(at.number - 1);
    this.#tell();
  }

  #tell(): void {
    const row = this.shown()?.rows[this.line()];
    if (row) this.share({ selection: this.#pathOf(row), search: "" });
  }

  /** Puts the keyboard at the leaf that a reason to look is named by. */
  #find(finding: number): void {
    const { tree } = this.now;
    const found = tree?.findings[finding];
    if (!tree || !found) return;
    this.set({ finding, search: "", axis: null, top: this.now.top === null ? null : 0 });
    this.#show(tree.shownFor(tree.nodeOf[tree.leafOf(found)] ?? 0));
  }

  /** Puts the keyboard at a leaf, and opens what is above. */
  #show(node: number): void {
    const { tree } = this.now;
    if (!tree) return;
    const open = new Map(this.now.open);
    for (let at = 0; at < node; at = tree.isLeaf(at) || (tree.end[at] ?? 0) <= node ? (tree.end[at] ?? node) : at + 1) {
      if ((tree.end[at] ?? 0) > node) open.set(at, true);
    }
    this.set({ open, node });
  }
}

/** Every leaf, equal ones as one. */
const ALL: Omit<Listing, "device"> = {
  sort: "tree",
  flat: true,
  search: "",
  axis: null,
  open: new Map(),
};
