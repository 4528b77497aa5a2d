/** The state of a space-time view, beside that of its stepper: rows, loops, the tile under the lens. */

import { Layer } from "../../card/canvas";
import { memo } from "../../card/store";
import type { Scheme } from "../../core/color";
import type { Theme } from "../../draw/paint/theme";
import { originsOf } from "../model/origins";
import type { TraceModel } from "../model/trace";
import type { StepperLayout } from "../scene/layout";
import type { StepView } from "../scene/view";
import type { StepperState } from "../state";
import { type SpaceTime, spaceTime } from "./model/spacetime";
import { type Folded, foldedAt, layoutSpace, type PlacedRow, type SpaceLayout } from "./scene/layout";
import { linkMarks } from "./scene/links";
import { linksTo, spaceMarks } from "./scene/rows";

/** One of more rows begins with its loops folded. */
const MANY_ROWS = 40;

/** More ribbons than these are not painted anew with every frame. */
const MANY_RIBBONS = 300;

/** A width at which every row is as high as it can be. */
const WIDE = 4000;

export class Page {
  /** The canvas over the rows, of what is on its way. */
  readonly moving = new Layer();
  readonly #rows = memo((trace: TraceModel): SpaceTime => spaceTime(trace));
  readonly #everyLoop = memo((trace: TraceModel): ReadonlySet<number> => {
    const { rows, loops } = this.#rows(trace);
    return rows.length <= MANY_ROWS ? new Set(loops.keys()) : new Set();
  });
  readonly #layout = memo((trace: TraceModel, width: number, open: ReadonlySet<number>, room: number) =>
    layoutSpace(trace, this.#rows(trace), width, open, room),
  );

  readonly #links = memo(
    (
      trace: TraceModel,
      layout: StepperLayout,
      space: SpaceLayout,
      row: PlacedRow,
      scheme: Scheme,
      device: number | null,
    ) => linksTo(trace, layout, space, row, { scheme, device }),
  );

  constructor(readonly state: StepperState) {}

  /** Where rows and columns stand. */
  layout(): SpaceLayout | null {
    const { trace } = this.state.now;
    const layout = this.state.layout();
    return trace && layout && this.#layout(trace, layout.width, this.#open(trace), layout.height);
  }

  /** Height of the view: what its rows need at any width, within the room of a card; not less than that of the tiles. */
  height(tiles: StepperLayout): number {
    const { trace } = this.state.now;
    const rows = trace ? layoutSpace(trace, this.#rows(trace), WIDE, this.#open(trace)).height : 0;
    return Math.max(tiles.height, Math.min(rows, tiles.room.most)) + 12;
  }

  /** What the strips under tiles show. */
  met() {
    const { trace } = this.state.now;
    return trace && this.#rows(trace).met;
  }

  #open(trace: TraceModel): ReadonlySet<number> {
    return this.state.now.loops ?? this.#everyLoop(trace);
  }

  toggleLoop(loop: number): void {
    const { trace } = this.state.now;
    if (!trace) return;
    const loops = new Set(this.#open(trace));
    if (!loops.delete(loop)) loops.add(loop);
    this.state.set({ loops });
  }

  trail(by: number): void {
    const { device, trace } = this.state.now;
    const last = (trace?.mesh.size ?? 1) - 1;
    this.state.set({ device: device === null ? 0 : Math.max(0, Math.min(last, device + by)), keyboard: true });
  }

  point(tile: { row: number; device: number } | null): void {
    const { tile: before } = this.state.now;
    const there = tile && tile.device >= 0 ? tile : null;
    if (there?.row !== before?.row || there?.device !== before?.device) this.state.set({ tile: there });
  }

  /** The tile under the lens: the one that is pointed at, else that of the block that the keyboard follows. */
  tile(): { row: number; device: number } | null {
    const { tile, keyboard, device, trace } = this.state.now;
    if (tile || !keyboard || device === null || !trace) return tile;
    const at = this.step();
    const row = this.layout()?.rows.findIndex((r) => r.row.steps.includes(at)) ?? -1;
    const [v] = this.layout()?.rows[row]?.row.shown ?? [];
    const holds = v
      ? Array.from(trace.mesh.ids.keys()).find((p) => originsOf(trace, v, p).includes(device))
      : undefined;
    return holds === undefined ? null : { row, device: holds };
  }

  /** The folded iterations that the program is in. */
  folded(): Folded | null {
    const { trace, moment } = this.state.now;
    const layout = this.layout();
    return trace && layout && foldedAt(trace, this.#rows(trace), layout, moment.step);
  }

  /** The step whose row is marked, -1 where it is folded: the one that is shown, else the one that was shown last on the way to it. */
  step(): number {
    if (this.folded()) return -1;
    const { step } = this.state.now.moment;
    const rows = this.layout()?.rows ?? [];
    return Math.max(0, ...rows.flatMap(({ row }) => row.steps.filter((s) => s <= step)));
  }

  /** Paints the rows, and over them what is on its way at this moment: of all, only that changes with every frame. */
  paint(view: StepView, theme: Theme): boolean {
    const { trace, layout, options } = view;
    const space = this.layout();
    if (!space) return false;
    const at = this.step();
    const tile = this.tile();
    const moving = this.#moving(space, view);
    const folded = this.folded();
    const still = [space, at, folded?.text, options.device, tile?.row, tile?.device, moving?.row];
    const rows = this.state.layer.paint(still, space, theme, () =>
      spaceMarks(trace, layout, space, at, { ...options, tile, folded }, moving?.row),
    );
    const over = this.moving.paint([space, moving?.links, moving?.time], space, theme, () =>
      moving ? linkMarks(trace, moving.links, moving.time) : [],
    );
    return rows || over;
  }

  /** The row whose blocks are on their way, and how far they have come; null without motion, and where they are many. */
  #moving(space: SpaceLayout, { trace, layout, moment: { step, phase }, options }: StepView) {
    if (phase <= 0 || phase >= 1 || options.still) return null;
    const row = space.rows.find(({ row }) => row.collective && row.steps.includes(step));
    const links = row && this.#links(trace, layout, space, row, options.scheme, options.device);
    if (!links || links.ribbons.length > MANY_RIBBONS) return null;
    return { row, links, time: (row.row.steps.indexOf(step) + phase) / row.row.steps.length };
  }
}
