/**
 * What devices hold at a step, in a program and in its reference: cells that differ are framed, solid in mine and dashed in
 * the reference. Blocks that were only moved have the colour of the device that they come from, and its number.
 *
 *           last        halo                           last        halo
 *  x=0 │ 0 [5 1 4 2]─┐▸[7 2 2 6] 1      ≠      x=0 │ 0 [5 1 4 2]─┐▸[9 3 8 5] 3
 *  x=1 ▼ 1 [7 2 2 6]─┘               4 of 4    x=1 ▼ 1 [7 2 2 6]─┘
 */
import { positionColor, type Rgb, type Scheme } from "../../core/color";
import type { Mesh, PartedCells, PartedStep } from "../../core/document.gen";
import { unpack } from "../../core/ints";
import { unravel } from "../../core/mesh";
import { railDown, railRoom } from "../../draw/axes";
import { label, type Mark, MONO, PAD, type Scene } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";

const HEAD = 34;
const GAP = 72;
const CELL = 22;
/** Below this width the reference stands under mine. */
const STACKED = 560;
/** Room for lines from one column to the next. */
const LANES = { least: 44, most: 150 };
/** Room for the id of a device, and of who sent to it. */
const ID = 34;
const SENDER = 42;

type Which = 0 | 1;
/** Coordinates of a device. */
type Digits = readonly number[];

/** Height of what devices hold at a step. */
export function stepHeight({ cells }: PartedStep, width: number): number {
  if (cells.length === 0) return 0;
  const tall = HEAD + cells.length * lineOf(cells.length) + 6;
  return width < STACKED ? 2 * tall : tall;
}

const lineOf = (devices: number) => (devices > 4 ? 30 : 40);

export function stepScene(step: PartedStep | undefined, mesh: Mesh, width: number, scheme: Scheme): Scene {
  if (!step || step.cells.length === 0) return { width, height: 0, marks: [] };
  const stacked = width < STACKED;
  const half = stacked ? width - GAP : (width - GAP) / 2;
  const line = lineOf(step.cells.length);
  const height = stepHeight(step, width);
  const side = (which: Which, x: number, y: number) => new Half(step, mesh, which, half, line, scheme).marks(x, y);
  const counts = step.cells.flatMap((cells, k) => countMarks(cells, step, half, HEAD + k * line, line));
  const marks = [...side(0, 0, 0), ...side(1, stacked ? 0 : half + GAP, stacked ? height / 2 : 0), ...counts];
  return { width, height, marks };
}

function countMarks({ count, mine }: PartedCells, step: PartedStep, x: number, y: number, line: number): Mark[] {
  const middle = x + GAP / 2;
  const whole = Math.max(1, Math.round(step.total / Math.max(1, mine.length ? deviceCount(step) : 1)));
  if (count === 0) return [label(middle, y + line / 2 + 5, "=", 15, "muted", { anchor: "middle" })];
  return [
    label(middle, y + line / 2, "≠", 15, "warn", { anchor: "middle", weight: 700 }),
    label(middle, y + line / 2 + 13, fit(`${count} of ${whole}`, GAP - 4, 11), 11, "muted", { anchor: "middle" }),
  ];
}

/** How many blocks its elements are counted in. */
function deviceCount({ shapes: [shape], total }: PartedStep): number {
  return Math.max(
    1,
    total /
      Math.max(
        1,
        shape.reduce((a, b) => a * b, 1),
      ),
  );
}

/** The most cells of a row, and the width of one with the longest number. */
function sizeOf(rows: readonly (readonly string[])[]): { most: number; wide: number } {
  const most = Math.max(...rows.map((row) => row.length));
  return { most, wide: Math.max(CELL, ...rows.flat().map((text) => textWidth(text, 12, true) + 12)) };
}

/** One of the two functions. */
class Half {
  readonly #cell: number;
  readonly #tile: number;
  /** Whether what goes in is drawn too. */
  readonly #both: boolean;
  /** Width of the rails of mesh axes, and of lines between both columns. */
  readonly #rails: number;
  readonly #lanes: number;
  readonly #ids: readonly number[];

  constructor(
    private readonly step: PartedStep,
    private readonly mesh: Mesh,
    private readonly which: Which,
    width: number,
    private readonly line: number,
    private readonly scheme: Scheme,
  ) {
    const values = step.cells.flatMap(({ mine, reference }) => [mine, reference]);
    const operands = step.cells.flatMap((cells) => [...cells.operands]);
    this.#ids = [...unpack(mesh.device_ids)];
    const all = width - PAD - ID - SENDER;
    const rails = this.#axes().reduce((sum, axis) => sum + railRoom(mesh, axis), 0);
    const two = sizeOf([...values, ...operands]);
    const ways = 2 * two.most * two.wide + LANES.least;
    this.#both = step.cells.some((c) => c.senders[which] >= 0) && ways <= all;
    const { most, wide } = this.#both ? two : sizeOf(values);
    // Numbers, and who sends to whom, come before the rails of axes.
    this.#rails = (this.#both ? ways : most * wide) + rails <= all ? rails : 0;
    const room = all - this.#rails;
    this.#cell = Math.max(4, Math.min(wide, room / Math.max(1, most)));
    this.#tile = most * this.#cell;
    this.#lanes = Math.min(LANES.most, room - 2 * this.#tile);
  }

  /** Axes along which there are several devices; none for a global array. */
  #axes(): readonly number[] {
    const { axes } = this.mesh;
    const some = this.step.cells.every(({ device }) => this.#ids.includes(device));
    return axes.flatMap(({ size }, axis) => (some && size > 1 ? [axis] : []));
  }

  /** A rail of each axis, the outermost first, interrupted where an outer coordinate changes. */
  #railMarks(left: number, y: number): Mark[] {
    if (this.#rails === 0) return [];
    const shape = this.mesh.axes.map(({ size }) => size);
    const digits: Digits[] = this.step.cells.map(({ device }) => unravel(this.#ids.indexOf(device), shape));
    let x = left;
    return this.#axes().flatMap((axis) => {
      x += railRoom(this.mesh, axis);
      return runsOf(digits, axis).flatMap((run) => {
        const rows = runsOf(run, axis + 1).map((same) => {
          const top = y + HEAD + digits.indexOf(same[0] ?? []) * this.line + (this.line - 24) / 2;
          return [top, (same.length - 1) * this.line + 24, String(same[0]?.[axis])] as const;
        });
        return railDown(this.mesh, axis, x, rows);
      });
    });
  }

  marks(x: number, y: number): Mark[] {
    const { step, which, line } = this;
    const left = x + PAD + this.#rails + ID;
    const right = this.#both ? left + this.#tile + this.#lanes : left;
    const [name, value] = which === 0 ? ["mine", step.name] : ["reference", step.counterpart || step.name];
    const marks: Mark[] = [
      label(x + PAD, y + 14, name, 12, "ink", { weight: 700 }),
      label(right, y + 28, fit(value, this.#tile + 40, 12, true), 12, "ink", { ...MONO, weight: 700 }),
      ...this.#railMarks(x + PAD, y),
    ];
    if (this.#both)
      marks.push(label(left, y + 28, fit(step.operands[which], this.#tile + 20, 12, true), 12, "muted", MONO));
    step.cells.forEach((cells, k) => {
      const top = y + HEAD + k * line + (line - 24) / 2;
      const id = cells.device < 0 ? "" : String(cells.device);
      marks.push(label(left - 10, top + 16, id, 12.5, "ink", { ...MONO, weight: 700, anchor: "end" }));
      if (this.#both) marks.push(...this.#block(cells.operands[which], left, top, cells.device, []));
      marks.push(
        ...this.#block(which === 0 ? cells.mine : cells.reference, right, top, cells.origins[which], cells.parted),
      );
      marks.push(...this.#origin(cells, right + this.#tile + 6, top));
    });
    return this.#both ? [...marks, ...this.#copies(left + this.#tile, right, y)] : marks;
  }

  #block(cells: readonly string[], x: number, y: number, origin: number, parted: readonly number[]): Mark[] {
    const w = cells.length * this.#cell;
    const fill = this.#color(origin);
    const ink = fill === "cell" ? "ink" : "tile-ink";
    const marks: Mark[] = [{ kind: "rect", x, y, w, h: 24, r: 2, fill, stroke: { color: "edge", width: 1 } }];
    if (cells.length > 1) marks.push({ kind: "grid", x, y, w, h: 24, columns: cells.length, rows: 1, color: "bg" });
    cells.forEach((text, k) => {
      const at = x + k * this.#cell;
      const shown = fit(text, this.#cell - 4, 12, true);
      marks.push(label(at + this.#cell / 2, y + 16.5, shown, 12, ink, { ...MONO, anchor: "middle" }));
    });
    const dash = this.which === 1 ? { dash: [3, 2] } : {};
    for (const k of parted) {
      if (k >= cells.length) continue;
      const frame = { x: x + k * this.#cell + 1, y: y + 1, w: this.#cell - 2, h: 22 };
      marks.push({ kind: "rect", ...frame, r: 2, stroke: { color: "ink", width: 2, ...dash } });
    }
    return marks;
  }

  /** The number of the device that a moved block comes from. */
  #origin({ origins }: PartedCells, x: number, y: number): Mark[] {
    const origin = origins[this.which];
    if (origin < 0) return [];
    return [
      { kind: "rect", x, y: y + 3, w: 22, h: 18, r: 4, stroke: { color: "axis0", width: 1.3 } },
      label(x + 11, y + 16, String(origin), 11.5, "axis0", { ...MONO, weight: 700, anchor: "middle" }),
    ];
  }

  #color(origin: number): `#${string}` | "cell" {
    const at = this.#ids.indexOf(origin);
    if (origin < 0 || at < 0) return "cell";
    return hex(positionColor(at, this.#ids.length, 0, 1, this.scheme));
  }

  /** Who sends to whom: up on the left, down on the right, each in a lane of its own. */
  #copies(from: number, to: number, y: number): Mark[] {
    const { step, which, line } = this;
    const row = (device: number) => step.cells.findIndex((cells) => cells.device === device);
    const middle = (k: number) => y + HEAD + k * line + line / 2;
    const all = step.cells.flatMap((cells, k) => {
      const sender = row(cells.senders[which]);
      return sender < 0 ? [] : [{ sender, k }];
    });
    const lane = (to - from - 20) / Math.max(1, all.length);
    return all.map(({ sender, k }, i): Mark => {
      const x = from + 8 + (i + 0.5) * lane;
      const points = [
        [from + 2, middle(sender) + (sender === k ? 0 : -3)],
        [x, middle(sender) + (sender === k ? 0 : -3)],
        [x, middle(k)],
        [to - 2, middle(k)],
      ] as const;
      return { kind: "line", points, stroke: { color: "axis0", width: 1.5 }, r: 4, arrow: true };
    });
  }
}

/** Coordinates that follow one another and are the same on the first axes. */
function runsOf(digits: readonly Digits[], axes: number): Digits[][] {
  const runs: Digits[][] = [];
  for (const one of digits) {
    const last = runs.at(-1);
    if (last?.[0] && one.slice(0, axes).join() === last[0].slice(0, axes).join()) last.push(one);
    else runs.push([one]);
  }
  return runs;
}

function hex(rgb: Rgb): `#${string}` {
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}
