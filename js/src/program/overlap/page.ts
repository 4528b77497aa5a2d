/** The page of a program's overlap: what Python sent of it, the line that is looked at, and its pictures. */
import { Layer } from "../../card/canvas";
import { keepInView } from "../../card/scroll";
import { memo } from "../../card/store";
import type { Overlap } from "../../core/document.gen";
import type { Theme } from "../../draw/paint/theme";
import type { OverlapFields } from "../pages";
import { decodeOverlap, OverlapModel, sentenceOf } from "./model/overlap";
import { ceilingMarks, ceilingsHeight } from "./scene/ceilings";
import { rooflineHeight, rooflineMarks } from "./scene/roofline";
import { type Table, tableMarks, tableOf } from "./scene/table";
import { chosenMarks, type Time, timeMarks, timeOf } from "./scene/time";

/** The card that the page is in. */
interface Host {
  readonly now: { overlap: OverlapFields; theme: Theme | null; width: number };
  readonly saved: boolean;
  set(patch: { overlap: OverlapFields }): void;
  find(selector: string): HTMLElement | null;
  sent(page: "overlap"): { trouble?: unknown } | undefined;
}

export interface ShownOverlap {
  model: OverlapModel;
  time: Time;
  table: Table;
  line: number;
  below: OverlapFields["below"];
}

export class OverlapPage {
  readonly ceilings = new Layer();
  readonly time = new Layer();
  readonly chosen = new Layer();
  readonly table = new Layer();
  readonly roofline = new Layer();
  readonly #decoded = memo((wire: unknown): Overlap | Error => {
    try {
      return decodeOverlap(wire);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  });
  readonly #model = memo((doc: Overlap) => new OverlapModel(doc));
  readonly #time = memo(timeOf);
  readonly #table = memo((model: OverlapModel, width: number, rows: number) =>
    tableOf(model, width, model.rows.slice(0, rows)),
  );

  constructor(private readonly host: Host) {}

  get now(): OverlapFields {
    return this.host.now.overlap;
  }

  set(patch: Partial<OverlapFields>): void {
    this.host.set({ overlap: { ...this.now, ...patch } });
  }

  /** What stands in place of the page: that it is being read, or why it is not known. */
  trouble(): string {
    const wire = this.host.sent("overlap");
    if (wire === undefined) return this.host.saved ? "Its schedule was not saved." : "reading the schedule …";
    if ("trouble" in wire) return `How much is exposed is not known: ${wire.trouble}`;
    const decoded = this.#decoded(wire);
    return decoded instanceof Error ? decoded.message : "";
  }

  model(): OverlapModel | null {
    const wire = this.host.sent("overlap");
    if (!wire || "trouble" in wire) return null;
    const doc = this.#decoded(wire);
    return doc instanceof Error ? null : this.#model(doc);
  }

  shown(): ShownOverlap | null {
    const [model, { width }] = [this.model(), this.host.now];
    if (!model || width === 0) return null;
    const table = this.#table(model, width, this.now.rows);
    const line = Math.min(this.now.line, table.rows.length - 1);
    const below = table.rows.length === 0 ? "roofline" : this.now.below;
    return { model, time: this.#time(model, width), table, line, below };
  }

  /** What is said of the line that is looked at. */
  sentence(): string {
    const shown = this.shown();
    const row = shown?.table.rows[shown.line];
    return shown && row ? sentenceOf(shown.model, row) : "";
  }

  paint(): void {
    const [shown, { theme, width }] = [this.shown(), this.host.now];
    if (!theme || !shown) return;
    const { model, time, table, line } = shown;
    const members = table.rows[line]?.members ?? [];
    this.ceilings.paint([model, width], { width, height: ceilingsHeight(model, width) }, theme, () =>
      ceilingMarks(model, width),
    );
    this.time.paint([time], time, theme, () => timeMarks(time));
    this.chosen.paint([time, line], time, theme, () => chosenMarks(time, members));
    if (shown.below === "roofline") {
      const size = { width, height: rooflineHeight(model, width) };
      this.roofline.paint([model, width], size, theme, () => rooflineMarks(model, width));
    } else {
      this.table.paint([table, line], table, theme, () => tableMarks(table, line));
    }
  }

  line(): number {
    return this.shown()?.line ?? 0;
  }

  /** Looks at a line. */
  move(to: number): void {
    const last = (this.shown()?.table.rows.length ?? 1) - 1;
    this.set({ line: Math.max(0, Math.min(last, to)), below: "what waits" });
    queueMicrotask(() => keepInView(this.host.find(".waits .option")));
  }

  /** Looks at the line of a transfer. */
  choose(transfer: number | null): void {
    const at = this.shown()?.table.rows.findIndex((row) => transfer !== null && row.members.includes(transfer)) ?? -1;
    if (at >= 0) this.move(at);
  }
}
