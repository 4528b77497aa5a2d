/** The memory page of a program: the step that is looked at, the line and the buffer that stand out, the limit. */

import { Layer } from "../../card/canvas";
import { keepInView } from "../../card/scroll";
import { memo } from "../../card/store";
import type { Memory } from "../../core/document.gen";
import { PAD } from "../../draw/marks";
import type { Theme } from "../../draw/paint/theme";
import type { ProgramModel } from "../model/program";
import type { MemoryFields } from "../pages";
import { decodeMemory, MemoryModel, type Row, type WorkedLine } from "./model/memory";
import { stepSentence } from "./model/words";
import { type Bounds, boundsOf, chartMarks, cursorMarks } from "./scene/chart";
import { layoutOf, type MemoryLayout } from "./scene/layout";
import { LINE, lineMarks } from "./scene/lines";

/** The card that the page is a part of. */
export interface Host {
  readonly saved: boolean;
  readonly now: { readonly memory: MemoryFields; readonly width: number; readonly theme: Theme | null };
  set(patch: { memory: MemoryFields }): void;
  find(selector: string): HTMLElement | null;
  model(): ProgramModel | null;
  /** What Python sent of a page of the open program: a document, or why there is none. */
  sent(page: "memory"): { trouble?: unknown } | undefined;
}

/** Everything that the page is drawn from. */
export interface ShownMemory {
  model: MemoryModel;
  layout: MemoryLayout;
  bounds: Bounds;
  step: number;
  rows: readonly Row[];
  lines: readonly WorkedLine[];
}

const GIB = 2 ** 30;
export const NONE = -1;
export const OWN = -2;

export class MemoryPage {
  /** Where the pointer went down. */
  grabbed: number | null = null;
  readonly chart = new Layer();
  readonly cursor = new Layer();
  readonly bands = new Layer();
  readonly #decoded = memo((wire: unknown): Memory | Error => {
    try {
      return decodeMemory(wire);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  });
  readonly #model = memo((doc: Memory, program: ProgramModel) => {
    const axes = new Map(program.collectives.map((c) => [c.name, c.axes]));
    return new MemoryModel(doc, axes);
  });
  readonly #layout = memo(layoutOf);
  readonly #bounds = memo(boundsOf);
  readonly #rows = memo((model: MemoryModel, step: number) => model.rows(step));

  constructor(private readonly host: Host) {}

  get now(): MemoryFields {
    return this.host.now.memory;
  }

  set(patch: Partial<MemoryFields>): void {
    this.host.set({ memory: { ...this.now, ...patch } });
  }

  /** What stands in place of the page: that it is being read, or why it is not known. */
  trouble(): string | null {
    const wire = this.host.sent("memory");
    if (wire === undefined) return this.host.saved ? "Its live buffers were not saved." : "reading live buffers …";
    if ("trouble" in wire) return String(wire.trouble);
    const decoded = this.#decoded(wire);
    return decoded instanceof Error ? decoded.message : null;
  }

  shown(): ShownMemory | null {
    const wire = this.host.sent("memory");
    const [program, { width }] = [this.host.model(), this.host.now];
    if (!wire || "trouble" in wire || !program || width === 0) return null;
    const doc = this.#decoded(wire);
    if (doc instanceof Error || doc.steps === 0) return null;
    const model = this.#model(doc, program);
    const step = this.now.at ?? model.peak;
    const layout = this.#layout(doc.steps, width - 2 * PAD);
    const bounds = this.#bounds(model, this.limit(model));
    return { model, layout, bounds, step, rows: this.#rows(model, step), lines: model.lines };
  }

  /** Bytes of the device that the program is held against; null for none. */
  limit(model: MemoryModel): number | null {
    const chip = this.now.chip ?? model.doc.chip ?? NONE;
    if (chip === OWN) return this.now.own > 0 ? this.now.own * GIB : null;
    return model.doc.chips[chip]?.bytes ?? null;
  }

  sentence(): string {
    const shown = this.shown();
    return shown ? stepSentence(shown.model, shown.step, shown.bounds.limit) : "";
  }

  paint(): void {
    const { theme } = this.host.now;
    const shown = this.shown();
    if (!theme || !shown) return;
    const { model, layout, bounds, step, rows, lines } = shown;
    const { span, row, line } = this.now;
    const { scheme } = theme;
    this.chart.paint([model, layout, bounds, scheme], layout, theme, () => chartMarks(model, layout, bounds, scheme));
    const chosen = rows.find((r) => r.key === row);
    this.cursor.paint([layout, step, span, chosen], layout, theme, () =>
      cursorMarks(layout, step, span, chosen ? [chosen.born, chosen.dies] : null),
    );
    const height = lines.length * LINE;
    this.bands.paint([model, layout, line], { width: layout.width, height }, theme, () =>
      lineMarks(model, lines, layout),
    );
  }

  /** Follows the pointer, unless a step is pinned. */
  look(at: number | null): void {
    if (!this.now.pinned) this.set({ at });
  }

  pin(at: number): void {
    this.set({ at, pinned: true, span: null });
  }

  /** Back to the peak. */
  release(): void {
    this.set({ at: null, pinned: false, span: null, row: null, line: null });
  }

  /** While the pointer draws: the stretch, and where most is alive in it. */
  draw(from: number, to: number): void {
    const model = this.shown()?.model;
    if (!model) return;
    const span = [Math.min(from, to), Math.max(from, to)] as const;
    this.set({ span, at: model.peakIn(...span), pinned: true });
  }

  move(by: number): void {
    const shown = this.shown();
    if (shown) this.pin(Math.max(0, Math.min(shown.model.steps - 1, shown.step + by)));
  }

  /** To where most is alive in the loop before or after. */
  loop(by: -1 | 1): void {
    const shown = this.shown();
    if (!shown) return;
    const { model, step } = shown;
    const starts = [...model.doc.loops].sort((a, b) => a.first - b.first);
    const next = by > 0 ? starts.find((l) => l.first > step) : starts.findLast((l) => l.last < step);
    if (next) this.pin(model.peakIn(next.first, next.last));
  }

  /** Lets another row stand out. */
  step(by: number): void {
    const rows = this.shown()?.rows.slice(0, this.now.rows) ?? [];
    const at = rows.findIndex((r) => r.key === this.now.row);
    const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + by))];
    if (!next) return;
    this.choose(next.key);
    queueMicrotask(() => keepInView(this.host.find(".alive .chosen"), 0, 22));
  }

  choose(row: string | null): void {
    this.set({ row: row === this.now.row ? null : row });
  }
}
