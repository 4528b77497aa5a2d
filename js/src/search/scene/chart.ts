/** Candidates by memory and time: estimated ones hollow, compiled ones filled, a wall where a chip's memory ends. */
import type { Search } from "../../core/document.gen";
import { bytes, duration, secondsColumn } from "../../core/format";
import { EMPTY, label, type Mark, MONO } from "../../draw/marks";
import { fit, textWidth, WIDER } from "../../draw/measure";
import { type Row, type SearchModel, timeOf } from "../model/search";

export interface Chart {
  readonly width: number;
  readonly height: number;
  /** Where each row of the model stands. */
  readonly points: readonly { x: number; y: number }[];
  /** Where the chip's memory ends; null where all is far from it. */
  readonly wall: number | null;
  /** Where each would stand by its estimate. */
  readonly estimates: readonly { x: number; y: number }[];
  readonly ticks: readonly { y: number; text: string }[];
  readonly scale: readonly { x: number; text: string }[];
  /** Bytes of memory at a place. */
  readonly sizeAt: (x: number) => number;
  /** Where a step would be whose communication costs nothing; null where all take far longer. */
  readonly compute: { y: number; text: string } | null;
  /** The end of the strip beyond the wall. */
  readonly beyond: { x: number; text: string } | null;
  readonly model: SearchModel;
}

const LEFT = 58;
const TOP = 30;
const BOTTOM = 40;
/** The strip beyond the wall, with a scale of its own. */
const BEYOND = 92;
const HEIGHT = 230;
const LOW = 200;
/** How many times longer than compute alone the fastest may take for that to be drawn. */
const NEAR = 3;

export function chartOf(model: SearchModel, width: number): Chart {
  const height = width > 500 ? LOW : HEIGHT;
  const { rows, doc } = model;
  // Where the wall is moved, all others stay: the scale is that of the memory that a chip has.
  const limit = doc.chip?.bytes ?? null;
  const isOver = ({ index }: Row) => doc.candidates[index]?.fits === false;
  const over = rows.filter(isOver);
  const fitting = rows.filter((r) => !isOver(r));
  const end = width - 12 - (over.length > 0 ? BEYOND : 0);
  const times = rows.map((r) => Math.log(Math.max(r.time, 1e-12)));
  const fastest = Math.min(...times);
  const least = Math.log(Math.max(model.compute ?? 0, 1e-12));
  const alone = model.compute !== null && fastest - least < Math.log(NEAR);
  const [low, high] = [alone ? Math.min(least, fastest) : fastest, Math.max(...times)];
  const room = Math.max(high - low, 0.1);
  const yOf = (seconds: number) =>
    height - BOTTOM - 12 - ((Math.log(Math.max(seconds, 1e-12)) - low) / room) * (height - TOP - BOTTOM - 24);
  const most = Math.max(0, ...fitting.map((r) => r.bytes));
  // Near the limit, or beyond it, the wall is drawn at its place; otherwise it says little and would take all room.
  const near = limit !== null && (over.length > 0 || most > limit / 4);
  const far = near && limit ? Math.max(limit, most) : 1.1 * most || 1;
  const inside = (size: number) => LEFT + 8 + (size / far) * (end - LEFT - 8);
  const top = Math.max(...over.map((o) => o.bytes));
  const from = limit ?? 1;
  const beyond = (size: number) =>
    end + 10 + (Math.log(Math.max(1, size / from)) / Math.log(Math.max(1.01, top / from))) * (BEYOND - 20);
  const xOf = (row: Row, size: number) => (isOver(row) ? beyond(size) : inside(size));
  const rounds = roundIn(Math.exp(low), Math.exp(low + room), 1.25).filter(
    (t) => yOf(t) > TOP && yOf(t) < height - BOTTOM,
  );
  const step = roundStep(far / 2.5);
  const sizes = [1, 2, 3, 4].map((k) => k * step).filter((size) => size < far * (near ? 0.9 : 1));
  const write = secondsColumn(rounds);
  return {
    width,
    height,
    model,
    points: rows.map((r) => ({ x: xOf(r, r.bytes), y: yOf(r.time) })),
    estimates: rows.map((r) => ({
      x: xOf(r, r.candidate.estimated.bytes_per_device),
      y: yOf(timeOf(r.candidate.estimated)),
    })),
    wall: near && model.limit ? inside(model.limit) : null,
    sizeAt: (x) => ((x - LEFT - 8) / (end - LEFT - 8)) * far,
    ticks: rounds.map((t) => ({ y: yOf(t), text: write(t) })),
    scale: sizes.map((size) => ({ x: inside(size), text: bytes(size) })),
    compute:
      alone && model.compute ? { y: yOf(model.compute), text: `compute alone: ${duration(model.compute)}` } : null,
    beyond: over.length > 0 && near ? { x: end + BEYOND - 10, text: bytes(top) } : null,
  };
}

/** Round numbers of a logarithmic scale, each by a factor from the last. */
function roundIn(low: number, high: number, apart: number): number[] {
  const found: number[] = [];
  for (let ten = 10 ** Math.floor(Math.log10(low)); ten <= high; ten *= 10)
    for (const digit of [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8])
      if (digit * ten >= low && digit * ten <= high && digit * ten >= apart * (found.at(-1) ?? 0))
        found.push(digit * ten);
  const every = Math.ceil(found.length / 6);
  return found.filter((_, k) => k % every === 0);
}

/** 1, 2, 5 of the binary unit. */
function roundStep(size: number): number {
  const unit = 1024 ** Math.floor(Math.log(Math.max(size, 1)) / Math.log(1024));
  const ten = 10 ** Math.floor(Math.log10(size / unit));
  const digit = size / unit / ten;
  return (digit < 2 ? 1 : digit < 5 ? 2 : 5) * ten * unit;
}

/** More candidates than this are a field of squares. */
const MANY = 400;

export function chartMarks(chart: Chart): Mark[] {
  const { width, height, model, points, wall, beyond } = chart;
  const base = height - BOTTOM;
  const marks: Mark[] = [label(PAD_LEFT, 18, "a step", 11.5, "muted"), line(LEFT, base, width - 8, base, "muted")];
  for (const { y, text } of chart.ticks)
    marks.push(
      line(LEFT, y, width - 8, y, "line"),
      label(LEFT - 6, y + 4, text, 11, "muted", { ...MONO, anchor: "end" }),
    );
  for (const { x, text } of [...chart.scale, ...(beyond ? [beyond] : [])])
    marks.push(
      line(x, base, x, base + 4, "muted"),
      label(Math.min(x, width - 10 - textWidth(text, 11) / 2), base + 16, text, 11, "muted", { anchor: "middle" }),
    );
  marks.push(label(LEFT, base + 32, "memory on each chip", 11, "muted"));
  if (wall !== null && model.limit) {
    const over = model.rows.filter((r) => r.candidate.fits === false).length;
    if (over > 0)
      marks.push({ kind: "rect", x: wall, y: TOP - 6, w: width - 8 - wall, h: base - TOP + 6, fill: "panel" });
    marks.push(
      line(wall, TOP - 6, wall, base + 4, "ink", 2.4),
      label(wall - 6, 18, wallText(model.doc, model.limit), 11.5, "ink", { anchor: "end", weight: 600 }),
    );
    if (over > 0) marks.push(label(wall + 6, 18, over === 1 ? "1 does not" : `${over} do not`, 11.5, "muted"));
  }
  if (chart.compute) {
    const { y, text } = chart.compute;
    const points = [
      [LEFT, y],
      [wall ?? width - 8, y],
    ] as const;
    marks.push({ kind: "line", points, stroke: { ...EMPTY, color: "muted", dash: [1.5, 3] } });
    for (const box of aloneBox(chart)) marks.push(label(box.x, box.y + 12, text, 11, "muted"));
  }
  marks.push(...stair(chart));
  const many = model.rows.length > MANY;
  model.rows.forEach((row, k) => {
    const at = points[k];
    const was = chart.estimates[k];
    if (!at || !was || row.now) return;
    if (row.compiled && Math.hypot(at.x - was.x, at.y - was.y) > 5) marks.push(line(was.x, was.y, at.x, at.y, "muted"));
    if (many && !row.compiled) {
      const fill = row.candidate.fits === false ? "muted" : "ink";
      marks.push({ kind: "rect", x: at.x - 1, y: at.y - 1, w: 2, h: 2, fill, alpha: 0.55 });
    } else marks.push(...sign(row, at.x, at.y));
  });
  const here = model.now && points[model.now.index];
  if (here) marks.push(...diamond(here.x, here.y));
  return marks;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** The words beside the line of compute alone: where they cover fewest candidates, near its end. */
function aloneBox({ compute, wall, width, height, points }: Chart): Box[] {
  if (!compute) return [];
  const w = textWidth(compute.text, 11);
  const ends: number[] = [];
  for (let x = (wall ?? width - 8) - 6 - w; x > LEFT; x -= 24) ends.push(x);
  const lines = compute.y + 18 < height - BOTTOM ? [compute.y - 16, compute.y + 2] : [compute.y - 16];
  const boxes = lines.flatMap((y) => ends.map((x) => ({ x, y, w, h: 15 })));
  const best = leastOf(boxes, (box) => inBox(points, box));
  return best ? [best] : [];
}

/** The first of which there is least. */
function leastOf<T>(of: readonly T[], amount: (one: T) => number): T | undefined {
  const amounts = of.map(amount);
  return of[amounts.indexOf(Math.min(...amounts))];
}

/** How many candidates a text would cover. */
function inBox(points: Chart["points"], { x, y, w, h }: Box): number {
  let found = 0;
  for (const p of points) if (p.x > x - 6 && p.x < x + w + 6 && p.y > y - 6 && p.y < y + h + 6) found += 1;
  return found;
}

/** A name beside a place, on a ground of its own: where it covers fewest candidates and nothing that is taken. */
function nameOf({ width, height, points }: Chart, at: { x: number; y: number }, title: string, taken: Box[]): Mark[] {
  const text = fit(title, Math.max(at.x - LEFT, width - at.x - 8) - 28, 11.5);
  const w = WIDER * textWidth(text, 11.5) + 6;
  const sides = [at.x + 11, at.x - 11 - w];
  if (at.x > width * 0.6) sides.reverse();
  const places: Box[] = [4, -20, -8, -37, 21]
    .map((down) => at.y + down)
    .flatMap((y) => sides.map((x) => ({ x, y, w, h: 16 })))
    // Below the line that says whose stair it is, and above the scale.
    .filter(({ x, y }) => x >= LEFT && x + w <= width - 8 && y >= TOP + 4 && y + 17 < height - BOTTOM);
  const meets = (a: Box) =>
    taken.filter((b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h).length;
  const best = leastOf(places, (box) => inBox(points, box) + 100 * meets(box));
  if (!best) return [];
  taken.push(best);
  return [
    { kind: "rect", ...best, r: 3, fill: "bg", alpha: 0.85 },
    label(best.x + 3, best.y + 12, text, 11.5, "ink", { weight: 600 }),
  ];
}

/** Best of the compiled: what less memory costs in time. Estimates are never joined with them. */
function stair({ model, points, width, wall }: Chart): Mark[] {
  const fitting = model.rows.filter((r) => r.compiled && r.candidate.fits !== false).sort((a, b) => a.bytes - b.bytes);
  const front: { x: number; y: number }[] = [];
  let best = Number.POSITIVE_INFINITY;
  for (const row of fitting) {
    const at = points[row.index];
    if (at && row.time < best) front.push(at);
    best = Math.min(best, row.time);
  }
  const [first] = front;
  if (!first || fitting.length < 2) return [];
  const corners: [number, number][] = [[first.x, TOP]];
  front.forEach((at, k) => {
    corners.push([at.x, front[k - 1]?.y ?? at.y], [at.x, at.y]);
  });
  const text = "best of the compiled";
  const right = first.x + 12 + textWidth(text, 11) < (wall ?? width - 8);
  return [
    { kind: "line", points: corners, stroke: { color: "muted", width: 1.1 } },
    label(first.x + (right ? 6 : -6), TOP + 2, text, 11, "muted", { anchor: right ? "start" : "end" }),
  ];
}

const PAD_LEFT = 16;

/** The ring around what is selected, the way to it from now, and the names of both. */
export function selectedMarks(chart: Chart, selected: number): Mark[] {
  const { points, model } = chart;
  const at = points[selected];
  const row = model.rows[selected];
  const from = model.now && points[model.now.index];
  const marks: Mark[] = [];
  const taken = [...aloneBox(chart), ...(from ? [around(from, 6)] : [])];
  if (chart.wall !== null) taken.push({ x: chart.wall - 1, y: 0, w: 2, h: chart.height });
  const way = [...points];
  if (at && row) {
    marks.push(ring(at.x, at.y, 8, 2.2));
    taken.push(around(at, 9));
    if (from && !row.now && Math.hypot(from.x - at.x, from.y - at.y) > 30) {
      const far = Math.hypot(from.x - at.x, from.y - at.y);
      const [dx, dy] = [(at.x - from.x) / far, (at.y - from.y) / far];
      const points = [
        [from.x + 8 * dx, from.y + 8 * dy],
        [at.x - 11 * dx, at.y - 11 * dy],
      ] as const;
      marks.push({ kind: "line", points, stroke: { color: "ink", width: 1.4 }, arrow: true });
      for (let k = 10; k < far; k += 10) way.push({ x: from.x + k * dx, y: from.y + k * dy });
    }
  }
  // The longer first: it has fewer places.
  const near = { ...chart, points: way };
  if (model.now && from) marks.push(...nameOf(near, from, `now: ${model.now.title}`, taken));
  if (at && row && !row.now) marks.push(...nameOf(near, at, row.title, taken));
  return marks;
}

function around({ x, y }: { x: number; y: number }, r: number): Box {
  return { x: x - r, y: y - r, w: 2 * r, h: 2 * r };
}

/** The candidate under a point; null for none. */
export function candidateAt({ points }: Chart, x: number, y: number): number | null {
  let [found, near]: [number | null, number] = [null, 14];
  points.forEach((p, k) => {
    const far = Math.hypot(p.x - x, p.y - y);
    if (far < near) [found, near] = [k, far];
  });
  return found;
}

function wallText({ chip }: Search, limit: number): string {
  return limit === chip?.bytes ? `${bytes(limit)} of a ${chip.name}` : `if it were ${bytes(limit)}`;
}

/** How a candidate is known: a hollow disc is estimated, a filled one compiled, a cross does not fit; struck, it failed. */
export function sign({ compiled, compiling, candidate, now }: Row, x: number, y: number): Mark[] {
  if (now) return diamond(x, y);
  if (compiling)
    return [
      { ...ring(x, y, 4, 1.5), fill: "ink" },
      { kind: "rect", x, y: y - 3.2, w: 3.2, h: 6.4, fill: "bg" },
      ring(x, y, 4, 1.5),
    ];
  if (candidate.fits === false)
    return [
      line(x - 3.5, y - 3.5, x + 3.5, y + 3.5, "muted", 1.3),
      line(x - 3.5, y + 3.5, x + 3.5, y - 3.5, "muted", 1.3),
    ];
  const disc: Mark = { ...ring(x, y, 4, 1.5), fill: compiled ? "ink" : "bg" };
  return candidate.failure ? [disc, line(x - 5.5, y + 5.5, x + 5.5, y - 5.5, "ink", 1.3)] : [disc];
}

function diamond(x: number, y: number): Mark[] {
  const square = (r: number) =>
    [
      [x, y - r],
      [x + r, y],
      [x, y + r],
      [x - r, y],
      [x, y - r],
    ] as const;
  return [5, 3, 1].map((r) => ({ kind: "line", points: square(r), stroke: { color: "ink", width: 2 } }));
}

function ring(x: number, y: number, r: number, width: number) {
  return { kind: "rect", x: x - r, y: y - r, w: 2 * r, h: 2 * r, r, stroke: { color: "ink", width } } as const;
}

function line(x1: number, y1: number, x2: number, y2: number, color: "line" | "muted" | "ink", width = 1): Mark {
  const points = [
    [x1, y1],
    [x2, y2],
  ] as const;
  return { kind: "line", points, stroke: { color, width } };
}
