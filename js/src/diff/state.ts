/** The state of a difference on screen: its order, the row whose code is shown, whether what is the same is listed. */
import { Layer } from "../card/canvas";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { TraceDiff } from "../core/document.gen";
import type { Scene } from "../draw/marks";
import { type Diff, ORDERS, type Order, type Row } from "./model/diff";
import { type DiffDocument, decodeDiff, diffOf } from "./model/kinds";
import { chosenOf, decodeSteps, nameOf } from "./model/steps";
import { stepHeight, stepScene } from "./scene/steps";
import { type Table, tableScene } from "./scene/table";
import { totalsScene } from "./scene/totals";

const BEGINNING = {
  doc: null as DiffDocument | null,
  /** In place of it, of two traces. */
  traces: null as TraceDiff | null,
  /** Index of the row in the document; -1 for the first of the table. */
  selection: -1,
  sort: "time" as Order,
  /** Whether what is the same is listed too. */
  unfolded: false,
};
type Fields = typeof BEGINNING;

export interface Shown {
  readonly diff: Diff;
  readonly table: Table;
  readonly totals: ReturnType<typeof totalsScene>;
  /** The row whose code is shown; null where there is none. */
  readonly row: Row | null;
}

export class DiffState extends CardState<Fields> {
  readonly table = new Layer();
  readonly totals = new Layer();
  /** What devices hold. */
  readonly held = new Layer();
  readonly #diff = memo(diffOf);
  readonly #rows = memo((diff: Diff, unfolded: boolean) => (unfolded ? [...diff.rows, ...diff.same] : diff.rows));
  readonly #table = memo(tableScene);
  readonly #totals = memo(totalsScene);
  readonly #step = memo(stepScene);

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["selection", "sort"]);
  }

  name(): string {
    const { doc, traces, sort } = this.now;
    if (traces) return `${nameOf(traces)}: ${traces.verdict}`;
    if (!doc) return "difference";
    const { name, verdict } = this.#diff(doc, sort);
    return `${name}: ${verdict}`;
  }

  protected override read(document: unknown): void {
    const traces = Object(document).kind === "trace diff" ? decodeSteps(document) : null;
    this.set({ doc: traces ? null : decodeDiff(document), traces, selection: -1 });
  }

  protected override follow(): void {
    const [selection, sort] = [this.widget.get("selection"), this.widget.get("sort")];
    if (typeof selection === "number") this.set({ selection });
    const order = ORDERS.find((one) => one === sort);
    if (order) this.set({ sort: order });
  }

  shown(): Shown | null {
    const { doc, theme, width, sort, unfolded, selection } = this.now;
    if (!doc || !theme || width === 0) return null;
    const diff = this.#diff(doc, sort);
    const rows = this.#rows(diff, unfolded);
    const row = rows.find(({ index }) => index === selection) ?? rows[0] ?? null;
    return { diff, table: this.#table(diff, rows, width, row?.index ?? -1), totals: this.#totals(diff, width), row };
  }

  /** Of two traces: what devices hold at the step that is chosen. */
  steps(): Scene | null {
    const { traces, theme, width, selection } = this.now;
    if (!traces || !theme || width === 0) return null;
    return this.#step(traces.steps[chosenOf(traces, selection)], traces.mesh, width, theme.scheme);
  }

  /** Room for what devices hold at any step, so that nothing moves from one to another. */
  room(): number {
    const { traces, width } = this.now;
    return Math.max(0, ...(traces?.steps ?? []).map((step) => stepHeight(step, width)));
  }

  protected override paint(): boolean {
    const shown = this.shown();
    const { theme } = this.now;
    const steps = this.steps();
    if (steps && theme) this.held.paint([steps], steps, theme, () => steps.marks);
    if (!shown || !theme) return steps !== null;
    const { table, totals } = shown;
    this.totals.paint([totals], totals, theme, () => totals.marks);
    this.table.paint([table], table, theme, () => table.marks);
    return true;
  }

  select(selection: number | null): void {
    if (selection === null) return;
    this.set({ selection });
    this.share({ selection });
  }

  sort(sort: Order): void {
    this.set({ sort });
    this.share({ sort });
  }

  /** To another row of the table, or another step. */
  move(by: number): void {
    const { traces, selection } = this.now;
    if (traces) this.select(Math.max(0, Math.min(traces.steps.length - 1, chosenOf(traces, selection) + by)));
    const shown = this.shown();
    if (!shown) return;
    // Several rows may be of one change.
    const all = [...new Set(shown.table.rows.map(({ index }) => index))];
    const at = all.indexOf(shown.row?.index ?? -1);
    this.select(all[Math.max(0, Math.min(all.length - 1, at + by))] ?? null);
  }

  /** To the next step that differs, from the last to the first. */
  next(): void {
    const { traces, selection } = this.now;
    if (!traces) return;
    const parted = [...traces.steps.keys()].filter((k) => (traces.steps[k]?.parted ?? 0) > 0);
    this.select(parted.find((k) => k > chosenOf(traces, selection)) ?? parted[0] ?? null);
  }
}
