/** The line under the picture: one element worked out as far as it has come, or what happens in words. */

import { partsAt } from "../../collective/model/chunks";
import { product, unravel } from "../../core/mesh";
import { equation, relation } from "../../core/numbers";
import { clauses } from "../../core/text";
import { axisToken, BOLD, type Box, label, type Mark, MONO } from "../../draw/marks";
import { fitClauses, fitName, textWidth } from "../../draw/measure";
import { caption } from "../model/caption";
import { reducesAll } from "../model/semantics";
import { firstOf } from "./cells";
import { chunkOf, finalText, together } from "./look";
import { idOf } from "./piece";
import { endOf } from "./stage";
import { type Moving, moves, type StepView } from "./view";

const SIZE = 12;
/** How much wider text is in the widest of usual fonts. */
const WIDE = 1.1;
/** Terms that are written one by one. */
const MOST = 8;

export function lineMarks(view: StepView): Mark[] {
  const { stage } = view;
  const { x, y, width } = stage.line;
  const sum = moves(view) && view.trace.end(view.step) !== "start" ? sumOf(view) : null;
  if (sum) return [...columnsMarks(view), ...sumMarks(view as Moving, sum)];
  const [words, second] = caption(view);
  const iteration = view.trace.iterations(view.step);
  const before = iteration && `${iteration}: `;
  const texts = [...(moves(view) ? hopTexts(view) : []), words, words.replace(/^(Hop [^:]*):.*/, "$1.")];
  const first = before + (texts.find((s) => WIDE * textWidth(before + s, SIZE) <= width) ?? words);
  const marks: Mark[] = [label(x, y, fitClauses(first, width, SIZE), SIZE, "ink")];
  const rest = clauses([scaleOf(view), second, noteOf(view)]);
  if (rest !== "") marks.push(label(x, y + 16, fitClauses(rest, width, 11), 11, "muted"));
  return marks;
}

/** What is not drawn, and which rows or columns something lies over. */
function noteOf({ stage: { note, covered, run }, trace: { mesh } }: StepView): string {
  const axis = run === "down" ? 1 : 0;
  const rows = [...new Set([...covered].map((p) => mesh.digits(p)[axis] ?? 0))];
  return clauses([note, rows.length > 0 ? `${mesh.axes[axis]?.name}=${rows.join(", ")} behind` : ""]);
}

/** Width that the words over the slots take at most. */
const HEADER = 200;

/** Over the first block of a group which columns of it are seen, where that is not all and there is room before the words over the slots. */
function columnsMarks({ stage }: StepView): Mark[] {
  const { run, header, face, chunks, tiles } = stage;
  const [tile] = tiles;
  const place = tile?.places[0];
  if (!tile?.box || !place || !header || !face || run !== "down" || chunks > 1 || header.y > tile.box.y) return [];
  const { columns, of } = face;
  const text = firstOf("column", columns, of[1]);
  const end = Math.min(header.x, endOf(stage) - HEADER) - 4;
  if (columns >= of[1] || place.box.x + textWidth(text, 10) > end) return [];
  return [label(place.box.x, tile.box.y - 6, text, 10, "muted")];
}

/** What the numbers of a collective are multiples of: `all numbers ×10⁸`. */
function scaleOf({ collective: c, input, formats, stage }: StepView): string {
  const exponent = c && input && formats.get(input.id)?.exponent;
  return exponent && !stage.bare ? `all numbers ${exponent}` : "";
}

/** What other groups do, and what is not drawn: right of the ids under the terms, which end at `from`. */
function noteMarks(view: Moving, from: number): Mark[] {
  const { stage, trace, collective } = view;
  const { x, y, width } = stage.line;
  const others = trace.groups(collective).length - 1;
  const text = clauses([
    trace.iterations(view.step),
    scaleOf(view),
    noteOf(view),
    others > 0 && !stage.open ? `also in ${others === 1 ? "the other group" : `${others} other groups`}` : "",
    collective.axes.length > 1 ? "colour = axis crossed" : "",
  ]);
  const room = width - from - 18;
  if (text === "" || room < 60) return [];
  return [label(x + width, y + 16, fitClauses(text, room, 10.5), 10.5, "muted", { anchor: "end" })];
}

/** The words before the terms: `a[0,1] on device 1`; empty where there is no element to work out. */
function lineHead({ input, output, trace, element, receiver, stage }: Moving): string {
  const corner = trace.corner(input);
  if (!corner || element === null) return "";
  const id = trace.mesh.ids[receiver] ?? 0;
  const named = (name: string, at: number, shape: readonly number[]) =>
    `${fitName(name, 110, SIZE, true)}${shape.length > 0 ? `[${unravel(at, shape).join(",")}]` : ""}`;
  const to = trace.corner(output);
  const all = stage.piece.elements;
  if (input.shape.join() === output.shape.join()) return `${named(output.name, element, corner.shape)} on device ${id}`;
  // A part of the sum is renumbered where all of it is drawn.
  if (to && product(to.shape) === all.length)
    return `${named(output.name, all.indexOf(element), to.shape)} on device ${id}`;
  return `${named(input.name, element, corner.shape)} summed`;
}

/**
 * `Hop 3 of 6, reduce-scatter: a[0,1] = 21 + 37 = 58 in flight, device 5 to 9; there 58 + 53 = 111.`, and shorter; empty where nothing is
 * added.
 */
function hopTexts(view: Moving): readonly string[] {
  const { element, input, stage, played, flow, trace, collective: c } = view;
  const name = lineHead(view).replace(/ on device \d+$/, "");
  if (!view.hops || view.finished || !played || element === null || name === "" || (stage.bare && !stage.reading))
    return [];
  const chunk = stage.chunks > 1 ? chunkOf(view, input)(element) : 0;
  const adding = (played.rounds[flow.round] ?? []).filter((t) => t.op === "add" && t.chunks.includes(chunk));
  const rank = stage.group.indexOf(view.receiver);
  const t = adding.find((one) => one.destination === rank) ?? adding[0];
  if (!t) return [];
  const members = (r: number) => partsAt(played.states[flow.round], r, chunk).map((k) => stage.group[k] ?? 0);
  const [sent, held] = [members(t.source), members(t.destination)];
  const number = (all: readonly number[]) => together(view, all, element);
  const made = (terms: readonly string[], all: readonly number[]) =>
    equation(c.semantics.combines, terms, number(all), input.dtype);
  const alone = sent.map((p) => number([p]));
  const [from, to] = [t.source, t.destination].map((r) => trace.mesh.ids[stage.group[r] ?? 0]);
  const there = made([number(sent), number(held)], [...sent, ...held]);
  const hop = `Hop ${flow.round + 1} of ${played.rounds.length}`;
  const part = reducesAll(c) ? ", reduce-scatter" : "";
  return [
    `${hop}${part}: ${name} = ${sent.length > 1 ? made(alone, sent) : alone} in flight, device ${from} to ${to}; there ${there}.`,
    `${hop}: ${name}, ${from} to ${to}: ${there}.`,
  ];
}

/** A term: who it is from, and its number. */
interface Term {
  members: readonly number[];
  text: string;
}

/** `head = open term sign term … tail total exponent`, in characters of one width. */
interface Sum {
  head: string;
  open: string;
  sign: string;
  tail: string;
  terms: readonly Term[];
  /** Indices of the terms that are written one by one; null for those between. */
  chosen: readonly (number | null)[];
  /** Characters that each term takes. */
  each: number;
  total: string;
  exponent: string;
  /** What is said after the total. */
  progress: string;
}

const CHAR = textWidth("0", SIZE, true);

/** The sum of the worked element as far as it has come; null where none is written. */
function sumOf(view: Moving): Sum | null {
  const { stage, flow, element, input, combines } = view;
  const whole = lineHead(view);
  const format = view.formats.get(input.id);
  if (stage.motion !== "gather" || !view.adds || element === null || whole === "" || !format || stage.bare) return null;
  const terms = view.order.map(({ members }) => ({ members, text: together(view, members, element) }));
  const complete = flow.added >= terms.length;
  const total = complete ? finalText(view, element) : together(view, view.summed, element);
  const sums = combines === "sum";
  const added = terms.slice(0, flow.added).map((t) => t.text);
  const { sign: equals, note } = sums ? relation(added, total, input.dtype) : { sign: "=", note: "" };
  const [open, sign, tail] = sums ? ["", " + ", ` ${equals} `] : [`${combines}(`, ", ", `) ${equals} `];
  const each = Math.max(...terms.map((t) => t.text.length), 2);
  const exponent = format.exponent && ` ${format.exponent}`;
  const letters = (n: number) =>
    3 + open.length + n * each + (n - 1) * sign.length + tail.length + format.width + exponent.length;
  const fits = (words: string, n: number) => (words.length + letters(n)) * CHAR <= stage.line.width;
  const bare = whole.replace(/ on device \d+$/, "");
  const least = bare.replace(/^.*\(.*\)|^.{9,}(?=\[)/, (name) => fitName(name, 64, SIZE, true));
  const n = Math.min(MOST, terms.length);
  // The device stands over the result too: it gives way before a term does.
  const head = [whole, bare, least].find((words) => fits(words, n)) ?? least;
  const folds = terms.length > MOST || !fits(head, n);
  const chosen = folds ? foldedTerms(terms.length, flow.added, !fits(head, 5)) : [...terms.keys()];
  const progress = note || (complete ? "" : folds ? `${flow.added} of ${terms.length} terms` : "so far");
  return { head, open, sign, tail, terms, chosen, each, total, exponent, progress };
}

/** `a[0,1] on device 1 = 5 + 13 + 21 + … = 39 so far`, with the sender under each term. */
function sumMarks(view: Moving, sum: Sum): Mark[] {
  const { head, open, sign, tail, terms, chosen, each, total, exponent, progress } = sum;
  const { x, y, width } = view.stage.line;
  const marks: Mark[] = [];
  let at = x;
  const write = (text: string, color: "ink" | "muted" = "muted", weight = 400) => {
    marks.push(label(at, y, text, SIZE, color, { ...MONO, ...(weight > 400 ? { weight } : {}) }));
    at += textWidth(text, SIZE, true);
  };
  write(head, "ink", 700);
  write(` = ${open}`);
  let ids = at;
  chosen.forEach((i, k) => {
    if (k > 0) write(sign);
    const term = i === null ? null : terms[i];
    if (!term) write("…");
    else {
      const w = each * CHAR;
      marks.push(...termMarks(view, term, (i ?? 0) - view.flow.added, { x: at, y, w }));
      ids = at + (w + textWidth(idOf(view, term.members), 9.5)) / 2;
      at += w;
    }
  });
  write(tail);
  // The total takes its final width from the beginning.
  marks.push(label(at, y, [{ text: total, weight: 700 }, { text: exponent }], SIZE, "ink", BOLD));
  at += (total.length + exponent.length) * CHAR;
  if (progress !== "" && at + 6 + textWidth(progress, 10.5) <= x + width)
    marks.push(label(at + 6, y, progress, 10.5, "muted"));
  if (head.length > 5) marks.push(label(x, y + 15, "from device", 9.5, "muted"));
  return [...marks, ...noteMarks(view, ids - x)];
}

/** A term over its sender: added where its turn is past, an ellipsis where it comes next, a line before that. */
function termMarks(view: Moving, { members, text }: Term, turn: number, { x, y, w }: Omit<Box, "h">): Mark[] {
  const middle = x + w / 2;
  const look = { ...MONO, anchor: "middle" } as const;
  const marks: Mark[] = [];
  if (turn < 0 && text) marks.push(label(middle, y, text, SIZE, "ink", { ...look, weight: 700 }));
  if (turn === 0) marks.push(label(middle, y, "…", SIZE, "muted", look));
  if (turn >= 0) {
    const points = [
      [x + 1, y + 3],
      [x + w - 1, y + 3],
    ] as const;
    marks.push({ kind: "line", points, stroke: { color: "faint", width: 1 } });
  }
  return [...marks, label(middle, y + 15, idOf(view, members), 9.5, axisToken(view.axis), look)];
}

/** Of many terms, the first ones and the one that was added last; null for those between. */
function foldedTerms(n: number, added: number, short: boolean): readonly (number | null)[] {
  const last = Math.max(0, Math.min(n, added) - 1);
  const first = short ? [0] : [0, 1];
  if (last <= first.length)
    return [
      ...Array.from({ length: Math.min(n, first.length + 1) }, (_, i) => i),
      ...(n > first.length + 1 ? [null] : []),
    ];
  return [...first, null, last];
}
