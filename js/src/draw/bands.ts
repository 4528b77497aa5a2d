/** What cards without a page are made of: bands below one another, a head, a frame. */
import type { Column } from "../core/columns.gen";
import type { Badge } from "../core/text";
import { broken } from "./broken";
import {
  axisStroke,
  axisToken,
  BOLD,
  type Box,
  type Color,
  label,
  type Mark,
  MONO,
  PAD,
  type Scene,
  type Span,
  shift,
  TINT,
} from "./marks";
import { fit, textWidth, WIDER } from "./measure";

/** Marks from their own top, and their height. */
export interface Band {
  marks: readonly Mark[];
  height: number;
}

/** Marks on a card's ground, in its frame. */
export function framed(width: number, height: number, marks: readonly Mark[]): Scene {
  return {
    width,
    height,
    marks: [
      { kind: "rect", x: 0, y: 0, w: width, h: height, r: 8, fill: "bg" },
      ...marks,
      { kind: "rect", x: 0.5, y: 0.5, w: width - 1, h: height - 1, r: 8, stroke: { color: "line", width: 1 } },
    ],
  };
}

/** Bands under one another. */
export function stack(bands: readonly Band[]): Band {
  const marks: Mark[] = [];
  let height = 0;
  for (const band of bands) {
    marks.push(...shift(band.marks, 0, height));
    height += band.height;
  }
  return { marks, height };
}

export function rule(x: number, y: number, width: number): Mark {
  const points = [
    [x, y + 0.5],
    [x + width, y + 0.5],
  ] as const;
  return { kind: "line", points, stroke: { color: "line", width: 1 } };
}

/** Title, mesh axes and badges, in as many lines as they take; on the first line badges stand at its end. */
export function headBand(
  name: string | readonly Span[],
  { axes }: { axes: readonly { name: string; size: number }[] },
  badges: readonly Badge[],
  width: number,
): Band {
  const title = cut(typeof name === "string" ? [{ text: name }] : name, width - 2 * PAD);
  const wide = title.reduce((w, { text }) => w + textWidth(text, 16, true), 8);
  const items = [
    { w: wide, draw: (x: number, y: number) => [label(x, y + 17, title, 16, "ink", BOLD)] },
    ...axes.map((a, axis) => {
      const text = `${fit(a.name, 160, 12, true)} ${a.size}`;
      return { w: chipWidth(text), draw: (x: number, y: number) => chip(x, y, text, axis) };
    }),
    ...badges.map((b) => ({ w: textWidth(`${b.strong} ${b.text}`, 12) + 20, draw: badge(b) })),
  ];
  const widthOf = (some: typeof items) => some.reduce((sum, item) => sum + item.w + 6, -6);
  const end = width - PAD + 1;
  const first = items.length - badges.length;
  const marks: Mark[] = [];
  let [x, y] = [PAD, 14];
  items.forEach((item, i) => {
    const together = widthOf(items.slice(i));
    // Badges begin a line where only some of them have room on this one, and all on the next.
    const all = i === first && together <= end - PAD;
    if (all && y === 14 && x + together <= end) x = end - 1 - together;
    if (x > PAD && x + (all ? together : item.w) > end) [x, y] = [PAD, y + 30];
    marks.push(...item.draw(x, y));
    x += item.w + 6;
  });
  return { marks, height: y + 40 };
}

function cut(title: readonly Span[], width: number): Span[] {
  let room = width;
  return title.flatMap((span) => {
    const text = room > 0 ? fit(span.text, room, 16, true) : "";
    room = text === span.text ? room - textWidth(text, 16, true) : 0;
    return text ? [{ ...span, text }] : [];
  });
}

/** The answer under a head, and what belongs to it: as `Says` in cards. */
export function saysBand(answer: string, also: readonly Span[], width: number): Band {
  const lines = broken([{ text: answer, weight: 600 }], (width - 2 * PAD) / WIDER, 15, 2);
  const marks: Mark[] = lines.map((line, i) => label(PAD, 14 + 20 * i, line, 15, "ink", { weight: 600 }));
  const x = PAD + textWidth((lines.at(-1) ?? []).map(({ text }) => text).join(""), 15) * 1.04 + 12;
  const y = 14 + 20 * (lines.length - 1);
  const wide = textWidth(also.map(({ text }) => text).join(""), 12.5);
  if (wide > 0 && x + wide <= width - PAD) marks.push(label(x, y, also, 12.5, "muted"));
  return { marks, height: y + 12 };
}

function badge({ tone, strong, text }: Badge): (x: number, y: number) => Mark[] {
  const color: Color = tone === "plain" ? "muted" : tone;
  const words = `${strong} ${text}`;
  const w = textWidth(words, 12) + 20;
  return (x, y) => [
    { kind: "rect", x, y, w, h: 24, r: 12, fill: color, alpha: TINT },
    label(x + w / 2, y + 16, words, 12, color, { anchor: "middle" }),
  ];
}

export function chip(x: number, y: number, text: string, axis: number): Mark[] {
  const color = axisToken(axis);
  const w = chipWidth(text);
  return [
    { kind: "rect", x, y, w, h: 22, r: 6, fill: color, alpha: TINT },
    { kind: "rect", x, y, w, h: 22, r: 6, stroke: { color, width: 1 } },
    {
      kind: "line",
      points: [
        [x + 5, y + 2],
        [x + 5, y + 20],
      ],
      stroke: axisStroke(axis, 4),
    },
    label(x + 12, y + 15.5, text, 12, color, MONO),
  ];
}

export function chipWidth(text: string): number {
  return textWidth(text, 12, true) + 20;
}

/** The ground of the line that is looked at. */
export function lookedAt(box: Box): Mark[] {
  return [
    { kind: "rect", ...box, fill: "panel" },
    { kind: "rect", ...box, w: 4, fill: "ink" },
  ];
}

/** Where a column stands in a picture. */
export interface Place {
  readonly x: number;
  /** Where it ends, of one that has its words there. */
  readonly end?: number;
  /** `apart`: a bar at the beginning, below the head, and words at the end. */
  readonly anchor?: "end" | "apart";
}

/** The heads of the columns that have a place; `heads`: those that the document words itself. */
export function headsBand<const C extends readonly Column[]>(
  columns: C,
  places: { readonly [K in C[number]["key"]]?: Place },
  width: number,
  heads: { readonly [K in C[number]["key"]]?: string } = {},
): Band {
  const marks = columns.flatMap(({ key, head }: Column): Mark[] => {
    const place = places[key as C[number]["key"]];
    if (!place) return [];
    const anchor = place.anchor === "end" ? "end" : "start";
    const x = anchor === "end" ? (place.end ?? place.x) : place.x;
    return [label(x, 21, heads[key as C[number]["key"]] ?? head, 12, "muted", { anchor })];
  });
  return { marks: [...marks, rule(0, 32, width)], height: 33 };
}
