/** Orders of devices, two side by side where there is room: each with a plane of its chips and what its mesh axes cross. */
import type { Scheme } from "../../core/color";
import { headOf } from "../../core/columns";
import { CROSSINGS } from "../../core/columns.gen";
import type { Crossing, Links } from "../../core/document.gen";
import { bytesColumn } from "../../core/format";
import { type Band, chip, chipWidth, framed, rule, stack } from "../../draw/bands";
import { label, type Mark, MONO, PAD, type Scene, shift } from "../../draw/marks";
import { fit, textWidth, wrapped } from "../../draw/measure";
import { factsOf, hopText, type Link, type OrderModel, totalOf, wrapsText } from "../model/links";
import { type Board, boardMarks, boardOf, linkAt } from "./board";

/** From this width on two orders stand side by side; below it, one is shown. */
export const BESIDE = 860;
/** The most orders beside each other. */
const MOST = 2;
const TALLEST = 312;
const LINE = 27;
/** Between lines of what is said of all rows. */
const TOTAL = 17;
/** How far the figures of a row stand under its name, where they do. */
const UNDER = 20;

export interface Shown {
  readonly models: readonly OrderModel[];
  /** The order that is looked at. */
  readonly at: number;
  readonly plane: number;
  /** The crossing that is shown alone; -1 for all. */
  readonly focus: number;
}

interface Panel {
  readonly model: OrderModel;
  readonly index: number;
  readonly board: Board;
  readonly columns: Columns;
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly panels: readonly Panel[];
}

export function layoutOf({ models, at }: Shown, width: number, tallest = TALLEST): Layout {
  const beside = width >= BESIDE && models.length > 1;
  const first = beside ? Math.max(0, Math.min(models.length - MOST, at - MOST + 1)) : at;
  const indices = beside ? [first, first + 1] : [at];
  const w = beside ? width / 2 : width;
  const panels = indices.flatMap((index, k): Panel[] => {
    const model = models[index];
    if (!model) return [];
    const board = boardOf(model, w, tallest);
    const columns = columnsOf(model, w);
    return [
      { model, index, board, columns, x: k * w, width: w, height: 30 + board.height + tableHeight(model, columns) },
    ];
  });
  const height = Math.max(0, ...panels.map((p) => p.height));
  return { width, height, panels };
}

export function linksMarks(
  layout: Layout,
  { at, plane, focus, models }: Shown,
  lit: { order: number; link: Link } | null,
): Mark[] {
  return layout.panels.flatMap((panel, k) => {
    const { model, index, board, columns, x, width } = panel;
    const planes = model.chips[2];
    const shown = Math.min(plane, planes - 1);
    const marks: Mark[] = [
      label(PAD, 20, fit(model.order.name, width - 2 * PAD - 110, 14), 14, "ink", { weight: 600 }),
      ...(planes > 1
        ? [label(width - PAD, 20, `plane z = ${shown} of ${planes}`, 12, "muted", { anchor: "end" })]
        : []),
      ...(models.length > 1 && index === at ? [{ kind: "rect", x: 0, y: 6, w: 4, h: 20, fill: "ink" } as const] : []),
      ...shift(boardMarks(model, board, shown, focus, litOf(model, index, lit, focus)), 0, 28),
      ...shift(tableMarks(model, columns, width, focus), 0, 30 + board.height),
    ];
    if (k > 0)
      marks.push({
        kind: "line",
        points: [
          [0.5, 0],
          [0.5, layout.height],
        ],
        stroke: { color: "line", width: 1 },
      });
    return shift(marks, x, 0);
  });
}

/** The link that stands out: the one that is pointed at; while none is, and nothing is shown alone, what carries most. */
function litOf(
  model: OrderModel,
  index: number,
  lit: { order: number; link: Link } | null,
  focus: number,
): Link | null {
  return lit ? (lit.order === index ? lit.link : null) : focus < 0 ? model.most : null;
}

/** The link at a place, and its order. */
export function placeAt(layout: Layout, plane: number, x: number, y: number): { order: number; link: Link } | null {
  for (const { model, index, board, ...panel } of layout.panels) {
    const link = linkAt(model, board, Math.min(plane, model.chips[2] - 1), x - panel.x, y - 28);
    if (link) return { order: index, link };
  }
  return null;
}

/** The row of the table at a place: the index of a crossing; -1 for none. */
export function rowAt(layout: Layout, x: number, y: number): number {
  for (const { model, board, columns, ...panel } of layout.panels) {
    const row = Math.floor((y - 30 - board.height - 26) / columns.line);
    const across = x >= panel.x && x < panel.x + panel.width;
    if (across && row >= 0 && row < model.order.crossings.length) return row;
  }
  return -1;
}

function tableHeight({ order }: OrderModel, { line, total }: Columns): number {
  return 26 + order.crossings.length * line + total.length * TOTAL + LINE - TOTAL + 8;
}

/** Where the figures of the table stand. */
interface Columns {
  readonly hop: number;
  readonly busiest: number;
  readonly busiestHead: string;
  /** null where there is no room for it. */
  readonly wraparound: number | null;
  /** Height of a row. Its figures stand under its name where they leave no room for that. */
  readonly line: number;
  /** What is said of all transfers together. */
  readonly total: readonly string[];
}

const head = (key: (typeof CROSSINGS)[number]["key"]) => headOf(CROSSINGS, key);

function columnsOf({ order }: OrderModel, width: number): Columns {
  const right = width - PAD;
  // Two orders side by side have room for all columns.
  const narrow = width < 460;
  const busiest = right - (narrow ? 64 : 160);
  const busiestHead = width < 520 ? "busiest" : "busiest link";
  const widest = (of: (c: Crossing) => number) => Math.max(0, ...order.crossings.map(of));
  const names = widest((c) => chipWidth(`${c.name} ${c.size}`)) + 12;
  const hops = widest((c) => textWidth(hopText(c, width), 12, true) + 24);
  const heading = textWidth(head("hop"), 12) + textWidth(busiestHead, 12);
  const least = PAD + Math.max(96, width * 0.29);
  // Wide enough for the longest name, where the figures leave room for that.
  const hop = Math.max(least, Math.min(PAD + names, busiest - 20 - Math.max(hops, heading)));
  const wraparound = narrow ? null : right - (order.bytes > 0 ? 84 : 64);
  const total = wrapped(totalOf(order), width - 2 * PAD, 3);
  return { hop, busiest, busiestHead, wraparound, line: names - 12 <= hop - PAD ? LINE : LINE + UNDER, total };
}

function tableMarks(model: OrderModel, columns: Columns, width: number, focus: number): Mark[] {
  const { order } = model;
  const sent = order.bytes > 0;
  const right = width - PAD;
  const figure = bytesColumn(order.crossings.map((c) => c.bytes * c.busiest));
  const { wraparound } = columns;
  const around = (y: number, of: string, color: "ink" | "muted", style: object): Mark[] =>
    wraparound === null ? [] : [label(wraparound, y, of, 12, color, { ...style, anchor: "end" })];
  const heads: Mark[] = [
    label(PAD, 16, head("axes"), 12, "muted"),
    label(columns.hop, 16, head("hop"), 12, "muted"),
    label(columns.busiest - 8, 16, columns.busiestHead, 12, "muted", { anchor: "end" }),
    ...around(16, head("wraparound"), "muted", {}),
    label(right, 16, sent ? "bytes on it" : "hosts", 12, "muted", { anchor: "end" }),
    rule(PAD, 24, width - 2 * PAD),
  ];
  const rows = order.crossings.flatMap((c, k): Mark[] => {
    const top = 26 + k * columns.line;
    const y = top + columns.line - LINE;
    const ink = model.ink(c);
    const room = (y > top ? right : columns.hop) - PAD;
    const whole = `${c.name} ${c.size}`;
    const text = chipWidth(whole) <= room ? whole : `${fit(c.name, room - 60, 12, true)} ${c.size}`;
    const alpha = focus < 0 || focus === k ? 1 : 0.45;
    const cell = { ...MONO, alpha } as const;
    const name =
      ink < 0 || chipWidth(text) > room ? [label(PAD, top + 17, text, 12, "ink", cell)] : chip(PAD, top + 2, text, ink);
    return [
      ...name,
      label(columns.hop, y + 17, hopText(c, width), 12, "ink", cell),
      label(columns.busiest - 8, y + 17, String(c.busiest), 12, "ink", { ...cell, weight: 600, anchor: "end" }),
      ...around(y + 17, wrapsText(c), "ink", cell),
      label(right, y + 17, sent ? figure(c.bytes * c.busiest) : String(c.hosts), 12, "ink", { ...cell, anchor: "end" }),
      rule(PAD, y + LINE - 1, width - 2 * PAD),
    ];
  });
  const y = 26 + order.crossings.length * columns.line;
  return [...heads, ...rows, ...columns.total.map((line, k) => label(PAD, y + 18 + k * TOTAL, line, 12, "muted"))];
}

/** As one picture. */
export function linksScene(doc: Links, shown: Shown, width: number, _scheme: Scheme): Scene {
  const layout = layoutOf(shown, width);
  const body = stack([
    text(doc.answer, width, 18, "ink"),
    text(factsOf(doc), width, 12.5, "muted"),
    { marks: [rule(0, 4, width)], height: 6 },
    { marks: linksMarks(layout, shown, null), height: layout.height },
  ]);
  return framed(width, Math.ceil(body.height + 8), body.marks);
}

function text(of: string, width: number, size: number, color: "ink" | "muted"): Band {
  const step = Math.round(size * 1.4);
  const lines = wrapped(of, ((width - 2 * PAD) * 12) / (size * 1.04), 3);
  const weight = size > 14 ? { weight: 600 } : {};
  return {
    marks: lines.map((line, i) => label(PAD, step * (i + 1), line, size, color, weight)),
    height: step * lines.length + 6,
  };
}
