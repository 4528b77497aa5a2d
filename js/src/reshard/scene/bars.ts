/** What devices hold, as bars: of each group and chunk what waits, what is kept, what is made, what is freed again. */
import { hex, positionColor, type Scheme } from "../../core/color";
import { bytes } from "../../core/format";
import { count } from "../../core/text";
import {
  axisStroke,
  axisToken,
  type BarsMark,
  BOLD,
  type Color,
  label,
  type Mark,
  MONO,
  outline,
} from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { HeldBytes, PlanModel } from "../model/reshard";
import { axesOf, groupName } from "../model/words";
import type { Column, PlanBoard, Row } from "./board";

/** From the bottom up. */
export const PARTS = ["kept", "waiting", "made", "freed"] as const;
export type Part = (typeof PARTS)[number];

export const PART_TEXT: Readonly<Record<Part, string>> = {
  kept: "kept",
  waiting: "not moved yet",
  made: "made",
  freed: "made, then freed",
};

export function partColor(part: Part, scheme: Scheme): Color {
  // What is made turns into what is kept: one hue, light and dark.
  if (part === "kept") return hex(positionColor(0, 2, 1, 2, scheme));
  if (part === "made") return hex(positionColor(0, 2, 0, 2, scheme));
  return part === "waiting" ? "k0" : "cpb";
}

/** How far a chunk is while it plays, 0 to 1; null at rest, when all that it makes is there. */
export type Phase = number | null;

/** What of a bar is there at a phase: what is made grows, then what is not kept goes. */
function grown(part: Part, phase: Phase): number {
  if (phase === null || part === "kept" || part === "waiting") return 1;
  const made = Math.min(1, phase / 0.65);
  const gone = part === "freed" ? Math.max(0, (phase - 0.8) / 0.2) : 0;
  return made * (2 - made) * (1 - gone);
}

/** Above bars in the tall row: their sum, and the peak's name. */
const HEAD = 18;
const FOOT = 8;

export function boardMarks(board: PlanBoard, scheme: Scheme, phase: Phase): Mark[] {
  return [
    ...railMarks(board),
    ...board.rows.flatMap((row) => [
      ...groundMarks(board, row),
      ...gutterMarks(board, row),
      ...barMarks(board, row, scheme, row.current ? phase : null),
    ]),
    ...mapMarks(board),
  ];
}

/** Names of the groups on a line in the axis' ink. */
function railMarks({ model, columns, grid, width }: PlanBoard): Mark[] {
  if (model.axis < 0) return [];
  const ink = axisToken(model.axis);
  const every = Math.ceil(30 / (columns[0]?.w ?? 30));
  const named = width >= 526 && (columns[0]?.w ?? 0) >= textWidth(groupName(model, model.groups - 1), 11, true) + 6;
  const marks: Mark[] = columns
    .filter((_, i) => i % every === 0)
    .map((c) => {
      const last = c.count > 1 ? `–${c.first + c.count - 1}` : "";
      const text = named ? `${model.doc.axis}=${c.first}${last}` : `${c.first}${last}`;
      return label(c.x, 12, fit(text, c.w * every - 4, 11, true), 11, ink, { ...BOLD, anchor: "middle" });
    });
  if (!named) marks.push(label(0, 12, fit(model.doc.axis, grid.x - 8, 11, true), 11, ink, BOLD));
  const points = [
    [grid.x, 20],
    [grid.x + grid.w - 2, 20],
  ] as const;
  return [...marks, { kind: "line", points, stroke: axisStroke(model.axis), arrow: true }];
}

function groundMarks({ grid, width, map, model }: PlanBoard, { y, h, current, chunk }: Row): Mark[] {
  const w = map ? map.x - 10 : width;
  if (!current) {
    const line = { kind: "rect", x: 0, y: y + h - 1, w, h: 1, fill: "line" } as const;
    return [line];
  }
  const ink = model.axis < 0 ? "ink" : axisToken(model.axis);
  const marks: Mark[] = [
    { kind: "rect", x: 0, y, w, h: h - 1, fill: ink, alpha: 0.06 },
    { kind: "rect", x: 0, y, w: 4, h: h - 1, fill: ink },
  ];
  // What moves goes between groups along their axis, or inside of them along others.
  const bottom = y + h - FOOT;
  marks.push({ kind: "rect", x: grid.x, y: bottom, w: grid.w, h: 1, fill: "muted" });
  if (chunk === model.peak.chunk && model.peak.bytes > 0) {
    const points = [
      [grid.x, y + HEAD],
      [grid.x + grid.w, y + HEAD],
    ] as const;
    marks.push({ kind: "line", points, stroke: { color: "ink", width: 1, dash: [2, 3] } });
  }
  return marks;
}

/** What a chunk is: its number, how many arrays, what they make, what of the threshold they take, what they move over. */
function gutterMarks({ grid, model }: PlanBoard, { chunk, y, h, current }: Row): Mark[] {
  const x = 12;
  const room = grid.x - x - 8;
  const arrays = model.arraysOf(chunk);
  if (grid.x < 100)
    return [
      label(x, y + (current ? 20 : h / 2 + 4), fit(`${chunk + 1}`, room, 12), 12, "ink", {
        weight: current ? 700 : 400,
      }),
    ];
  const name = grid.x >= 150 ? `chunk ${chunk + 1}` : `${chunk + 1}`;
  if (!current) {
    const text = `${count(arrays.length, "array")}, +${bytes(model.chunkBytes(chunk))}`;
    const w = textWidth(name, 12) + 10;
    return [
      label(x, y + h / 2 + 4, name, 12, "ink"),
      label(x + w, y + h / 2 + 4, fit(text, room - w, 11), 11, "muted"),
    ];
  }
  const weight = model.chunkWeight(chunk);
  const adds = model.chunkBytes(chunk);
  const lines: (readonly [string, Color])[] = [
    [`${count(arrays.length, "array")}, ${bytes(adds)} on a device`, "muted"],
    [`${bytes(weight)} of the threshold`, weight > adds ? "warn" : "muted"],
  ];
  const marks: Mark[] = [label(x, y + 22, `chunk ${chunk + 1} of ${model.chunks}`, 13, "ink", { weight: 700 })];
  lines.forEach(([text, color], i) => void marks.push(label(x, y + 40 + 16 * i, fit(text, room, 11), 11, color)));
  const axes = axesOf(model, chunk);
  if (axes.length === 0) marks.push(label(x, y + 74, "moves nothing", 11, "muted"));
  let at = x;
  for (const name of axes) {
    const axis = model.axisOf(name);
    const text = fit(name, 64, 11, true);
    const w = textWidth(text, 11, true);
    if (at + w > x + room) break;
    const points = [
      [at, y + 79],
      [at + w, y + 79],
    ] as const;
    marks.push(label(at, y + 74, text, 11, axisToken(axis), BOLD), {
      kind: "line",
      points,
      stroke: axisStroke(axis, 2),
    });
    at += w + 10;
  }
  return marks;
}

/** Heights of the parts of a bar, and the bytes of one pixel. */
function barMarks(board: PlanBoard, row: Row, scheme: Scheme, phase: Phase): Mark[] {
  const { model, columns, bar } = board;
  const top = row.y + (row.current ? HEAD : 5);
  const bottom = row.y + row.h - (row.current ? FOOT : 5);
  const scale = (bottom - top) / Math.max(1, model.peak.bytes);
  const many = columns.length > 16;
  const boxes: Record<Part, number[]> = { kept: [], waiting: [], made: [], freed: [] };
  const over: Mark[] = [];
  for (const column of columns) {
    const held = model.held(row.chunk, column.first);
    let y = bottom;
    for (const part of PARTS) {
      const h = held[part] * grown(part, phase) * scale;
      if (h <= 0) continue;
      y -= h;
      boxes[part].push(column.x - bar / 2, y, bar, h);
    }
    over.push(...peakMarks(board, row, column, held, bottom - held.total * scale));
    if (row.current) over.push(...textMarks(board, row, column, held));
  }
  const whole = { x: 0, y: 0, w: board.width, h: board.height };
  const marks: Mark[] = [];
  for (const part of PARTS) {
    if (boxes[part].length === 0) continue;
    marks.push({ kind: "bars", ...whole, color: partColor(part, scheme), boxes: boxes[part] } satisfies BarsMark);
    if (part === "freed" || !many) marks.push(...edges(boxes[part], part === "freed", many));
  }
  return [...marks, ...over];
}

function edges(boxes: readonly number[], freed: boolean, many: boolean): Mark[] {
  const marks: Mark[] = [];
  for (let i = 0; i < boxes.length; i += 4) {
    const [x = 0, y = 0, w = 0, h = 0] = boxes.slice(i, i + 4);
    const at = { x, y, w, h };
    if (freed && (!many || h > 6)) marks.push({ kind: "rect", ...at, copies: true });
    if (!many) marks.push({ kind: "rect", ...at, stroke: { color: "kedge", width: 0.75 } });
  }
  return marks;
}

/** A cap on the bar at which a group's device is fullest; heavier where all are. */
function peakMarks({ model, bar }: PlanBoard, row: Row, column: Column, held: HeldBytes, y: number): Mark[] {
  if (model.peakChunks[column.first] !== row.chunk || held.total === 0) return [];
  const whole = held.total === model.peak.bytes && row.chunk === model.peak.chunk;
  const reach = bar >= 12 ? 4 : 0;
  return [
    { kind: "rect", x: column.x - bar / 2 - reach, y: y - 1.5, w: bar + 2 * reach, h: whole ? 3 : 2, fill: "ink" },
  ];
}

/** The sum over the bar, and beside it, where there is room, its parts. */
function textMarks({ model, bar }: PlanBoard, row: Row, column: Column, held: HeldBytes): Mark[] {
  if (column.w < 46) return [];
  const peak = model.peakChunks[column.first] === row.chunk;
  const whole = peak && held.total === model.peak.bytes && row.chunk === model.peak.chunk;
  const marks: Mark[] = [];
  const sum = bytes(held.total);
  const long = whole ? `peak ${sum}` : sum;
  const text = textWidth(long, 11, true) <= column.w - 4 ? long : sum;
  marks.push(
    label(column.x, row.y + 12, fit(text, column.w - 4, 11, true), 11, "ink", {
      ...(peak ? BOLD : MONO),
      anchor: "middle",
    }),
  );
  const room = (column.w - bar) / 2 - 8;
  if (room < 62) return marks;
  const parts = [...PARTS].reverse().filter((part) => held[part] > 0);
  parts.forEach((part, i) => {
    const y = row.y + HEAD + 16 + 15 * i;
    const words = `${part === "waiting" ? "waits" : part} ${bytes(held[part])}`;
    marks.push(label(column.x + bar / 2 + 8, y, fit(words, room, 10.5), 10.5, "muted"));
  });
  return marks;
}

/** All chunks as the fullest device has them, those that are drawn framed. */
function mapMarks({ model, map, rows }: PlanBoard): Mark[] {
  if (!map) return [];
  const count = Math.min(model.chunks, Math.floor(map.h));
  const each = map.h / count;
  const boxes: number[] = [];
  for (let i = 0; i < count; i++) {
    const [from, to] = [Math.floor((i * model.chunks) / count), Math.floor(((i + 1) * model.chunks) / count)];
    let most = 0;
    for (let k = from; k < Math.max(to, from + 1); k++) most = Math.max(most, model.most(k));
    boxes.push(0, i * each, (map.w * most) / Math.max(1, model.peak.bytes), Math.max(0.5, each - (each > 4 ? 1 : 0)));
  }
  const y = (chunk: number) => map.y + (map.h * chunk) / model.chunks;
  const [from, to] = [rows[0]?.chunk ?? 0, (rows.at(-1)?.chunk ?? 0) + 1];
  const frame = { x: map.x - 3, y: y(from), w: map.w + 5, h: Math.max(4, y(to) - y(from)) };
  return [
    { kind: "rect", ...map, fill: "faint" },
    { kind: "bars", ...map, color: "tick", boxes },
    { kind: "rect", x: map.x, y: y(model.peak.chunk + 0.5) - 1, w: map.w, h: 2, fill: "ink" },
    { kind: "rect", ...frame, r: 2, stroke: { color: "ink", width: 1.5 } },
  ];
}

/** What the reader looks at: a group in the tall row. */
export function groupMarks(board: PlanBoard, group: number | null): Mark[] {
  const row = board.rows.find((r) => r.current);
  const column = group === null ? undefined : board.columns[board.model.foldOf(group)];
  if (!row || !column) return [];
  // Around the texts beside the bar, too.
  const w = Math.max(board.bar + 8, Math.min(column.w - 4, board.bar + 176));
  return outline({ x: column.x - w / 2, y: row.y + 1, w, h: row.h - 3 }, 4, 2);
}

/** What the parts of bars mean, in lines. */
export function legendMarks(model: PlanModel, width: number, scheme: Scheme): { marks: Mark[]; height: number } {
  const marks: Mark[] = [];
  let [x, y] = [0, 0];
  for (const part of PARTS.filter((p) => p !== "freed" || model.freedBytes > 0)) {
    const w = 32 + textWidth(PART_TEXT[part], 11.5) + 18;
    if (x > 0 && x + w > width) [x, y] = [0, y + 20];
    const at = { x, y: y + 3, w: 24, h: 13 };
    marks.push({ kind: "rect", ...at, fill: partColor(part, scheme) });
    if (part === "freed") marks.push({ kind: "rect", ...at, copies: true });
    marks.push({ kind: "rect", ...at, stroke: { color: "kedge", width: 0.75 } });
    marks.push(label(x + 32, y + 14, PART_TEXT[part], 11.5, "muted"));
    x += w;
  }
  return { marks, height: y + 26 };
}
