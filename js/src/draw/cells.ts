/** The cells of tables in a picture. */
import type { AxisName, Cell, Piece, Words } from "../core/cells";
import { chip, chipWidth, type Place } from "./bands";
import { bar } from "./devices";
import { axisToken, type Box, type Color, label, type Mark, type Span, spans } from "./marks";
import { fit, textWidth } from "./measure";

/** Where a cell stands. */
export interface Spot extends Place {
  /** Where it ends at the latest. */
  readonly end: number;
  /** The baselines of its lines; what is below them is left out. */
  readonly y: readonly number[];
  /** Of the first line: the second is smaller by a pixel. */
  readonly size?: number;
  /** Width and height of a bar. */
  readonly bar?: readonly [number, number];
}

/** Between a bar and its words. */
const GAP = 8;
/** Words with less room are left out. */
const LEAST = 40;

export function cellMarks(cell: Cell, spot: Spot): Mark[] {
  const { size = 12, bar: [wide, high] = [0, 0] } = spot;
  return spot.y.flatMap((y, i) => {
    const line = cell[i] ?? [];
    const bars = line.flatMap((piece) => barMarks(piece, { x: spot.x, y: y - high + 1, w: wide, h: high }));
    const barred = line.some((piece) => "held" in piece || "times" in piece);
    const x = spot.x + (barred && !spot.anchor ? wide + GAP : 0);
    const words = line.flatMap((piece) => ("text" in piece && piece.text !== "" ? [piece] : []));
    const axes = line.flatMap((piece) => ("axis" in piece ? [piece] : []));
    const before = wordMarks(words, { ...spot, x }, y, size - i);
    return [...bars, ...before, ...chipMarks(axes, x + widthOf(words, size - i), y, spot.end)];
  });
}

function barMarks(piece: Piece, box: Box): Mark[] {
  if ("held" in piece) return bar({ ...box, w: box.w * piece.held }, box.w * piece.own);
  if (!("times" in piece)) return [];
  let { x } = box;
  return piece.times.flatMap(({ axes, share }) => {
    const part = { ...box, x, y: box.y + 1, w: Math.max(1, box.w * share) };
    x += part.w;
    return axisBar(axes, part);
  });
}

/** A bar in the colours of mesh axes: stripes of all where there are several, grey where there are none. */
export function axisBar(axes: readonly AxisName[], box: Box): Mark[] {
  const colors: Color[] = axes.length > 0 ? axes.map(({ axis }) => axisToken(axis)) : ["muted"];
  const stripe = colors.length > 1 ? 3 : box.w;
  return Array.from({ length: Math.max(1, Math.ceil(box.w / stripe)) }, (_, i): Mark => {
    const x = box.x + i * stripe;
    const w = Math.min(stripe, box.x + box.w - x);
    return { kind: "rect", x, y: box.y, w, h: box.h, fill: colors[i % colors.length] ?? "muted" };
  });
}

/** Words after one another: those that follow keep their room, up to half of it. */
function wordMarks(words: readonly Words[], { x, end, anchor }: Spot, y: number, size: number): Mark[] {
  const groups: { at: number; first: Words; said: Span[] }[] = [];
  let at = x;
  words.forEach((piece, i) => {
    const { mono = false, tokens, short = piece.text } = piece;
    const left = end - at;
    if (i > 0 && left < LEAST) return;
    const room = Math.max(left / 2, left - widthOf(words.slice(i + 1), size));
    const text = fit(textWidth(piece.text, size, mono) > room ? short : piece.text, room, size, mono);
    const group = groups.at(-1);
    if (group && group.first.mono === piece.mono) {
      const look = inkOf(piece) === inkOf(group.first) ? {} : { color: inkOf(piece) };
      const weight = piece.strong === group.first.strong ? {} : { weight: piece.strong ? 700 : 400 };
      group.said.push({ text: ` ${text}`, ...look, ...weight });
    } else groups.push({ at, first: piece, said: tokens ? spans(tokens(text)) : [{ text }] });
    at += textWidth(`${text} `, size, mono);
  });
  return groups.map(({ at: from, first, said }) =>
    label(anchor ? end : from, y, said, size, inkOf(first), {
      ...(first.mono ? { mono: true } : {}),
      ...(first.strong ? { weight: 700 } : {}),
      ...(anchor ? { anchor: "end" } : {}),
    }),
  );
}

export function inkOf({ tone = "count" }: Words): Color {
  return tone === "soft" ? "muted" : tone === "count" ? "ink" : tone;
}

function widthOf(words: readonly Words[], size: number): number {
  return words.reduce((sum, { text, mono }) => sum + textWidth(` ${text}`, size, mono), 0);
}

/** Chips: side by side where they have room, else two over one another. */
function chipMarks(axes: readonly AxisName[], x: number, y: number, end: number): Mark[] {
  const written = axes.map(({ name, says }) => (says === undefined ? name : `${name} ${says}`));
  const beside = written.reduce((w, text) => w + chipWidth(text) + 4, -4) <= end - x;
  const shown = beside ? written : written.slice(0, 2);
  let at = x;
  return shown.flatMap((whole, i) => {
    const more = i === 1 && shown.length < axes.length ? ` +${axes.length - 2}` : "";
    const text = fit(whole, end - x - 20 - 8 * more.length, 12, true) + more;
    const top = beside || shown.length < 2 ? y - 15 : y - 27 + 23 * i;
    const marks = chip(at, top, text, axes[i]?.axis ?? 0);
    if (beside) at += chipWidth(text) + 4;
    return marks;
  });
}
