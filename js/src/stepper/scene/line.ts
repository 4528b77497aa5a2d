/** The line under the picture: one element worked out as far as it has come, or what happens in words. */

import { partsAt } from "../../collective/model/chunks";
import { product, unravel } from "../../core/mesh";
import { equation, relation } from "../../core/numbers";
import { clauses } from "../../core/text";
import { axisToken, BOLD, label, type Mark, MONO, type Span } from "../../draw/marks";
import { fitClauses, fitName, textWidth } from "../../draw/measure";
import { caption } from "../model/caption";
import { reducesAll } from "../model/semantics";
import { finalText } from "./addition";
import type { StepView } from "./view";

const SIZE = 12;
/** Terms that are written one by one. */
const MOST = 8;

export function lineMarks(view: StepView): Mark[] {
  const { stage } = view;
  const { x, y, width } = stage.line;
  const sum = stage.motion === "gather" && view.adds ? sumMarks(view) : null;
  if (sum) return [...sum.marks, ...noteMarks(view, sum.ids)];
  const [words, second] = caption(view);
  const iteration = view.trace.iterations(view.step);
  const before = iteration && `${iteration}: `;
  const hop = hopTexts(view).find((s) => textWidth(before + s, SIZE) <= width);
  const first = before + (hop ?? words);
  const marks: Mark[] = [label(x, y, fitClauses(first, width, SIZE), SIZE, "ink")];
  const rest = clauses([scaleOf(view), second, stage.note]);
  if (rest !== "") marks.push(label(x, y + 16, fitClauses(rest, width, 11), 11, "muted"));
  return marks;
}

/** What the numbers of a collective are multiples of: `all numbers ×10⁸`. */
function scaleOf({ collective: c, input, formats, stage }: StepView): string {
  const exponent = c && input && formats.get(input.id)?.exponent;
  return exponent && !stage.bare ? `all numbers ${exponent}` : "";
}

/** What other groups do, and what is not drawn: right of the ids under the terms, which end at `from`. */
function noteMarks(view: StepView, from: number): Mark[] {
  const { stage, trace, collective: c } = view;
  const { x, y, width } = stage.line;
  const others = c ? trace.groups(c).length - 1 : 0;
  const text = clauses([
    trace.iterations(view.step),
    scaleOf(view),
    stage.note,
    others > 0 && !stage.open ? `${others === 1 ? "the other group runs" : `${others} other groups run`} at once` : "",
    c && c.axes.length > 1 ? "colour = axis crossed" : "",
  ]);
  const room = width - from - 18;
  if (text === "" || room < 60) return [];
  return [label(x + width, y + 16, fitClauses(text, room, 10.5), 10.5, "muted", { anchor: "end" })];
}

/** The words before the terms: `a[0,1] on device 1`. */
function lineHead(view: StepView): string {
  const { input, output, trace, element } = view;
  const corner = input && trace.corner(input);
  if (!corner || !output || !input || element === null) return "";
  const id = trace.mesh.ids[view.receiver] ?? 0;
  const named = (name: string, at: number, shape: readonly number[]) =>
    `${fitName(name, 110, SIZE, true)}${shape.length > 0 ? `[${unravel(at, shape).join(",")}]` : ""}`;
  const to = trace.corner(output);
  const all = view.stage.piece?.elements ?? [];
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
function hopTexts(view: StepView): readonly string[] {
  const { element, input, stage, played, flow, trace, collective: c } = view;
  const name = lineHead(view).replace(/ on device \d+$/, "");
  if (
    !view.hops ||
    view.finished ||
    !input ||
    !played ||
    !c ||
    element === null ||
    name === "" ||
    (stage.bare && !stage.reading)
  )
    return [];
  const chunk = stage.chunks > 1 ? view.chunk(input)(element) : 0;
  const adding = (played.rounds[flow.round] ?? []).filter((t) => t.op === "add" && t.chunks.includes(chunk));
  const rank = stage.group.indexOf(view.receiver);
  const t = adding.find((one) => one.destination === rank) ?? adding[0];
  if (!t) return [];
  const members = (r: number) => partsAt(played.states[flow.round], r, chunk).map((k) => stage.group[k] ?? 0);
  const [sent, held] = [members(t.source), members(t.destination)];
  const number = (all: readonly number[]) => view.together(all, element);
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

function terms(view: StepView): readonly Term[] {
  const { element } = view;
  if (element === null) return [];
  return view.order.map(({ members }) => ({ members, text: view.together(members, element) }));
}

/**
 * `a[0,1] on device 1 = 5 + 13 + 21 + … = 39 so far`, with the sender under each term, and where these ids end. The device
 * stands over the result too: it gives way before a term does.
 */
function sumMarks(view: StepView): { marks: Mark[]; ids: number } | null {
  const { stage, trace, flow, element, input, collective: c } = view;
  const all = terms(view);
  const corner = input && trace.corner(input);
  const whole = lineHead(view);
  const format = input && view.formats.get(input.id);
  if (element === null || whole === "" || all.length === 0 || !corner || !format || stage.bare) return null;
  const complete = flow.added >= all.length;
  const total = complete ? finalText(view, element) : view.together(view.summed, element);
  const { x, y, width } = stage.line;
  const combines = c?.semantics.combines;
  const sums = combines === "sum";
  const added = all.slice(0, flow.added).map((t) => t.text);
  const { sign: equals, note } = sums ? relation(added, total, input.dtype) : { sign: "=", note: "" };
  const sign = sums ? " + " : ", ";
  const open = sums ? "" : `${combines}(`;
  const close = open ? ")" : "";
  const char = textWidth("0", SIZE, true);
  const each = Math.max(...all.map((t) => t.text.length), 2);
  const exponent = format.exponent === "" ? "" : ` ${format.exponent}`;
  const tail = `${close} ${equals} `;
  const letters = (n: number) =>
    3 + open.length + n * each + (n - 1) * sign.length + tail.length + format.width + exponent.length;
  const fits = (words: string, n: number) => (words.length + letters(n)) * char <= width;
  const bare = whole.replace(/ on device \d+$/, "");
  const heads = [whole, bare, bare.replace(/^.*\(.*\)|^.{9,}(?=\[)/, (name) => fitName(name, 64, SIZE, true))];
  const n = Math.min(MOST, all.length);
  const head = heads.find((words) => fits(words, n)) ?? heads[2] ?? bare;
  const folds = all.length > MOST || !fits(head, n);
  const short = !fits(head, 5);
  const marks: Mark[] = [];
  let at = x;
  const write = (text: string, color: "ink" | "muted" = "ink", weight = 400, size = SIZE) => {
    marks.push(label(at, y, text, size, color, { ...MONO, ...(weight > 400 ? { weight } : {}) }));
    at += textWidth(text, size, true);
  };
  write(head, "ink", 700);
  write(` = ${open}`, "muted");
  const chosen = folds ? foldedTerms(all.length, flow.added, short) : all.map((_, i) => i);
  chosen.forEach((i, k) => {
    if (k > 0) write(sign, "muted");
    const term = i === null ? null : all[i];
    if (i === null || !term) {
      write("…", "muted");
      return;
    }
    const here = i < flow.added;
    const w = each * char;
    const text = here ? term.text : i === flow.added ? "…" : "";
    const middle = at + w / 2;
    if (text)
      marks.push(
        label(middle, y, text, SIZE, here ? "ink" : "muted", {
          ...MONO,
          anchor: "middle",
          ...(here ? { weight: 700 } : {}),
        }),
      );
    if (!here)
      marks.push({
        kind: "line",
        points: [
          [at + 1, y + 3],
          [at + w - 1, y + 3],
        ],
        stroke: { color: "faint", width: 1 },
      });
    const id = term.members.length > 1 ? `×${term.members.length}` : String(trace.mesh.ids[term.members[0] ?? 0] ?? 0);
    marks.push(label(middle, y + 15, id, 9.5, axisToken(view.axis), { ...MONO, anchor: "middle" }));
    at += w;
  });
  const ids = at;
  write(tail, "muted");
  // The total takes its final width from the beginning.
  const sum: Span[] = [{ text: total, weight: 700 }, { text: exponent }];
  marks.push(label(at, y, sum, SIZE, "ink", BOLD));
  at += (total.length + exponent.length) * char;
  const progress = note || (complete ? "" : folds ? `${flow.added} of ${all.length} terms` : "so far");
  if (progress !== "" && at + 6 + textWidth(progress, 10.5) <= x + width)
    marks.push(label(at + 6, y, progress, 10.5, "muted"));
  if (head.length > 5) marks.push(label(x, y + 15, "from device", 9.5, "muted"));
  return { marks, ids: ids - x };
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
