/** The bands of a comparison's picture: a row, what stops it, a collective, the head of what is folded. */

import { mono, soft, type Words } from "../../core/cells";
import type { Scheme } from "../../core/color";
import type { Compared, Layout, Row } from "../../core/document.gen";
import { axisTokens, clauses, sentenceTokens } from "../../core/text";
import { type Band, chipWidth } from "../../draw/bands";
import { broken } from "../../draw/broken";
import { cellMarks, inkOf } from "../../draw/cells";
import {
  axisStroke,
  axisToken,
  BOLD,
  type Color,
  label,
  type Mark,
  MONO,
  type Span,
  shift,
  spans,
  TINT,
} from "../../draw/marks";
import { fit, textWidth, wrapped } from "../../draw/measure";
import { collectiveCells, fixedValue, foldOf, placedOf, sourceOf, verdictOf } from "../model/cells";
import type { ComparisonModel } from "../model/comparison";
import { type Line, stopOf } from "../model/lines";
import { changed, costOf, shortName, tallyBadges } from "../model/words";
import { miniMarks, miniOf } from "./mini";

/** Where the text of the first column begins. */
export const START = 50;
const LINE = 18;
/** A column takes a picture beside the text from this width on. */
const WITH_PICTURE = 150;

export interface Columns {
  source: number;
  explicit: number;
  auto: number | null;
  concrete: number;
  verdict: number;
  end: number;
  /** Whether a row's values stand under its source, and its verdict under them. */
  narrow: boolean;
}

export function lineBand(model: ComparisonModel, line: Line, c: Columns, scheme: Scheme): Band {
  const row = model.row(line.row);
  if (!row) return { marks: [], height: 0 };
  if (line.kind === "row") return rowBand(model, row, line, c, scheme);
  if (line.kind === "stop") return stopBand(model, row, c, scheme);
  if (line.kind === "collective") return collectiveBand(model, row, line, c);
  return foldBand(model, line, c);
}

function rowBand(model: ComparisonModel, row: Row, line: Line & { kind: "row" }, c: Columns, scheme: Scheme): Band {
  const values = row.values.slice(0, 8);
  const one = values.length === 1;
  const verdict = sentences(model, verdictOf(model, row, line.row), c.end - c.verdict);
  const body = one ? 54 : values.length * LINE + 18;
  const top = c.narrow ? 36 : 0;
  const under = c.narrow ? verdict.length * 16 : 0;
  const height = c.narrow ? top + body + under : Math.max(body, verdict.length * 16 + 18);
  const middle = c.narrow ? top + body / 2 : height / 2;
  const marks = sourceMarks(row, line, c, c.narrow ? 24 : middle);
  const odd = row.values.some((v) => v.agreement === "differs") || row.remark !== "";
  if (odd) marks.push(ground(c.concrete - 8, c.end + 8, height, "warn"));
  if (row.error) {
    const end = (c.auto ?? c.concrete) - 8;
    marks.push(ground(c.explicit - 8, end, height, "error"));
    marks.push(label(c.explicit, middle + 4, fit(row.error.error, end - c.explicit, 12.5, true), 12.5, "error", BOLD));
  }
  const ends = { explicit: (c.auto ?? c.concrete) - 8, concrete: c.narrow ? c.end : c.verdict - 8 };
  const most = Math.floor(Math.min(104, (ends.explicit - c.explicit) * 0.42) / textWidth("m", 12, true));
  const names = values.map((v) => (one ? "" : shortName(v.name, most)));
  const named = Math.max(...names.map((name) => textWidth(name, 12, true))) + 8;
  values.forEach((v, i) => {
    const y = middle + (one ? 0 : LINE * (i - (values.length - 1) / 2));
    const name = names[i];
    if (name && !row.error) marks.push(label(c.explicit, y + 4, name, 12, "muted", MONO));
    const from = c.explicit + (one ? 0 : named);
    if (!row.error) marks.push(...placed(model, v, v.explicit, from, ends.explicit, y, scheme, !one));
    marks.push(...placed(model, v, v.concrete, c.concrete, ends.concrete, y, scheme, !one));
    if (c.auto !== null)
      marks.push(label(c.auto, y + 4, fit(v.auto, c.concrete - c.auto - 8, 12, true), 12, "muted", MONO));
  });
  verdict.forEach(({ text, color }, i) => {
    const y = c.narrow ? top + body + 6 + 16 * i : middle + 4 + 16 * (i - (verdict.length - 1) / 2);
    marks.push(label(c.verdict, y, text, 12, color));
  });
  return { marks, height };
}

function sourceMarks(row: Row, line: Line & { kind: "row" }, c: Columns, middle: number): Mark[] {
  const x = c.source + 14 * line.depth;
  const end = (c.narrow ? c.end : c.explicit) - 12;
  const { number, text, primitive } = sourceOf(row, line);
  const several = line.members.length > 1 ? `, the last of ${line.members.length} operations` : "";
  const cell = [[mono(text)], [soft(primitive && primitive + several)]];
  const y = text && primitive ? [middle - 2, middle + 15] : [middle + 4];
  const marks = cellMarks(text ? cell : cell.slice(1), { x, end, y, size: 12.5 });
  if (number === undefined) return marks;
  return [label(START - 12, middle + 4, String(number), 12, "muted", { ...MONO, anchor: "end" }), ...marks];
}

/** The sentences of words in lines, with the colours of mesh axes. */
function sentences(model: ComparisonModel, said: readonly (readonly Words[])[], width: number) {
  return said.flatMap((words) => {
    const color = inkOf(words[0] ?? { text: "" });
    const text = words
      .map((one) => one.text)
      .join(" ")
      .trim();
    return wrapped(text, width).map((line) => ({ text: spans(sentenceTokens(line, model.mesh)), color }));
  });
}

/** The small picture with its copies, and the text: about y, between two places. */
function placed(
  model: ComparisonModel,
  value: Compared,
  layout: Layout | null,
  x: number,
  end: number,
  y: number,
  scheme: Scheme,
  plain = false,
): Mark[] {
  if (!layout) return [label(x, y + 4, "–", 12, "muted")];
  const marks: Mark[] = [];
  let at = x;
  const { placement, copies, tokens } = placedOf(model, value, layout);
  if (placement && !plain && end - x >= WITH_PICTURE) {
    const mini = miniOf(placement);
    marks.push(...shift(miniMarks(placement, mini, scheme), x, y - mini.height / 2 - 1));
    at += mini.width + 6;
    for (const { axis, size } of copies) {
      marks.push(label(at, y + 4, `×${size}`, 12, axisToken(axis), { weight: 700 }));
      at += 20;
    }
    at = Math.max(at + 2, x + 94);
  }
  const lines = broken(spans(tokens), end - at, 12.5, plain ? 1 : 3);
  lines.forEach((text, i) => {
    marks.push(label(at, y + 4 + 16 * (i - (lines.length - 1) / 2), text, 12.5, "ink", plain ? MONO : BOLD));
  });
  return marks;
}

function stopBand(model: ComparisonModel, row: Row, c: Columns, scheme: Scheme): Band {
  const stop = row.error;
  if (!stop) return { marks: [], height: 0 };
  const width = c.end - START - 8;
  const marks: Mark[] = [];
  let y = 20;
  for (const text of wrapped(stop.message, width, 12)) {
    marks.push(label(START, y, spans(axisTokens(text, model.mesh)), 12.5, "error"));
    y += LINE;
  }
  for (const text of wrapped(stop.explanation, width, 6)) {
    marks.push(label(START, y, spans(sentenceTokens(text, model.mesh)), 12.5, "ink"));
    y += LINE;
  }
  stop.fixes.forEach((fix, k) => {
    const used = k === stop.chosen;
    const { code } = fix;
    const [from, to] = changed(code, row.source?.text ?? "");
    const parts: Span[] = [
      { text: code.slice(0, from) },
      { text: code.slice(from, to), color: "ok", weight: 700 },
      { text: code.slice(to) },
    ];
    marks.push(label(START, y + 6, fix.title, 12, "muted"));
    const lines = broken(parts, width - 100, 12.5);
    lines.forEach((text, i) => {
      marks.push(label(START, y + 26 + 17 * i, text, 12.5, "ink", MONO));
    });
    if (used) marks.push(label(c.end, y + 26, "✓ used below", 12, "ok", { anchor: "end", weight: 600 }));
    y += 21 + 17 * lines.length;
    if (fix.layout) marks.push(...placed(model, fixedValue(row, fix.layout), fix.layout, START, c.end, y + 18, scheme));
    const cost = costOf(fix);
    if (c.narrow) y += 30;
    const at = c.narrow ? START : Math.max(c.concrete, START + 280);
    marks.push(label(at, y + 22, spans(sentenceTokens(fit(cost, c.end - at, 12), model.mesh)), 12, "ink"));
    y += 52;
  });
  return { marks: [ground(0, c.end + 8, y, "error"), ...marks], height: y };
}

function foldBand(model: ComparisonModel, line: Line & { kind: "fold" | "same" }, c: Columns): Band {
  const x = c.source + 14 * line.depth;
  const [name, ...rest] = foldOf(model, line);
  if (!name) return { marks: [], height: 0 };
  const tally = tallyBadges(model.tally(line.row, stopOf(line))).map(({ strong, text }) => `${strong} ${text}`);
  const said = soft(clauses([...rest.flatMap((piece) => ("text" in piece ? piece.text : [])), ...tally], " · "));
  const types = rest.filter((piece) => "axis" in piece);
  const marks = [
    ground(0, c.end + 8, 32, "panel"),
    label(x - 18, 21, line.open ? "▾" : "▸", 12, "muted"),
    ...cellMarks([[name, said, ...types]], { x, end: c.end, y: [21] }),
  ];
  return { marks, height: 32 };
}

function collectiveBand(model: ComparisonModel, row: Row, line: Line & { kind: "collective" }, c: Columns): Band {
  const cells = collectiveCells(model, row, line.collective);
  if (!cells) return { marks: [], height: 0 };
  const x = c.source + 14 * line.depth;
  const { narrow, end } = c;
  const whyAt = narrow ? START : c.concrete;
  const why = sentences(model, cells.concrete, end - whyAt);
  const whose = c.auto === null ? [] : sentences(model, cells.auto, c.concrete - c.auto - 8);
  // Mesh axes that have no room beside the name stand below it.
  const [named = []] = cells.source;
  const axes = named.flatMap((piece) => ("axis" in piece ? [piece] : []));
  const words = named.flatMap((piece) => ("text" in piece ? [piece] : []));
  const wide = [
    ...words.map(({ text }) => textWidth(`${text} `, 12.5, true)),
    ...axes.map(({ name, says }) => chipWidth(`${name} ${says}`) + 4),
  ];
  const below = !narrow && axes.length > 0 && wide.reduce((a, b) => a + b) > c.explicit - 8 - x - 38;
  const height = narrow ? 62 + 16 * why.length : Math.max(below ? 60 : 42, why.length * 16 + 18);
  const middle = narrow ? 21 : height / 2;
  const centered = (lines: ReturnType<typeof sentences>, at: number) =>
    lines.map(({ text, color }, i) => label(at, middle + 4 + 16 * (i - (lines.length - 1) / 2), text, 12, color));
  const marks = [
    ground(0, end + 8, height, "panel"),
    ...arrows(x, middle, cells.axis ?? 0),
    ...cellMarks(below ? [words, axes] : cells.source, {
      x: x + 38,
      end: narrow ? end : c.explicit - 8,
      y: below ? [middle - 8, middle + 18] : [middle + 4],
      size: 12.5,
    }),
    ...cellMarks(cells.explicit, {
      x: c.explicit,
      end: narrow ? end : (c.auto ?? c.concrete) - 8,
      y: [narrow ? 48 : middle + 4],
    }),
    ...centered(whose, c.auto ?? 0),
    ...(narrow ? why.map(({ text, color }, i) => label(whyAt, 68 + 16 * i, text, 12, color)) : centered(why, whyAt)),
  ];
  return { marks, height };
}

function arrows(x: number, y: number, axis: number): Mark[] {
  const stroke = axisStroke(axis);
  const line = (...points: [number, number][]): Mark => ({ kind: "line", points, stroke, arrow: true });
  return [line([x, y - 5], [x + 26, y - 5]), line([x + 28, y + 5], [x + 2, y + 5])];
}

export function ground(x: number, end: number, height: number, color: Color): Mark {
  return {
    kind: "rect",
    x,
    y: 0.5,
    w: end - x,
    h: height - 0.5,
    fill: color,
    ...(color === "panel" ? {} : { alpha: TINT }),
  };
}
