/** How wide and high the parts of a stepper are: no higher than 640 px where it can be, and no higher when it is wider. */
import type { Step } from "../core/document.gen";
import { fitName, textWidth, WIDER } from "../draw/measure";
import { headOf } from "./model/head";
import { nameOf, pathOf, remark } from "./model/rows";
import { saysOf } from "./model/says";
import type { TraceModel } from "./model/trace";
import { whyOf } from "./model/why";
import { StepperLayout } from "./scene/layout";
import type { Local } from "./scene/local";
import { OVER_ROOM } from "./scene/map";

/** Below this width the source and the list are menus over the picture. */
export const NARROW = 900;
/** Below this one rows wrap. */
export const SMALL = 560;
/** Below this one buttons that have a key are left out. */
export const TINY = 380;
/** Width of the column of the source and the list, and margins of the picture. */
export const LIST = 224;
export const PAD = 12;
/** Maximum height of a card. */
const CARD = 640;

/** Heights of what stands around a picture, as the style sheet sets them, by the width of the card. */
export function around(trace: TraceModel, width: number): number {
  const bill = billHeight(trace);
  const [badges, menus, sent] =
    width >= NARROW ? [0, 0, 0] : width >= SMALL ? [4, 36, bill && 44] : [36, 36, bill && bill - 15];
  const head = HEAD + LINE * saysLines(trace, width) + badges + (trace.doc.changed ? CHANGED : 0);
  return head + headHeight(trace, width) + TRANSPORT + menus + sent + FOOT + MARGINS;
}

/** Lines of the first sentence, as many as any step needs. */
export function saysLines(trace: TraceModel, width: number): number {
  const least = leastOf(width);
  const walks = least >= SMALL && trace.steps.filter((step) => trace.communicates(step)).length > 1;
  const room = least - 2 * PAD - 10 - (walks ? WALK : 0);
  return once(trace, `says ${least}`, () =>
    most(trace, (step) => {
      const { error } = trace.doc;
      const text = step.primitive === "error" && error ? whyOf(error).first : saysOf(trace, step);
      return Math.min(MOST_LINES, Math.ceil((WIDER * textWidth(text, 15)) / room));
    }),
  );
}

/** Whether the types of a step have lines of their own: at every step and in every wide card, where any of them needs it. */
export function isStacked(trace: TraceModel, width: number): boolean {
  return width < NARROW || once(trace, "beside", () => most(trace, (step) => inOne(trace, step))) > NARROW;
}

/** Values before and after a step that stand over it in a wide card, as many as are there: the others are counted. */
const SHOWN = [
  [3, 3],
  [2, 3],
  [1, 3],
  [1, 2],
  [1, 1],
] as const;

/** What stands over a step: as many values as one line has room for, in the smallest cards two. */
export function headAt(trace: TraceModel, step: Step, width: number) {
  const heads = SHOWN.map((most) => headOf(trace, step, most));
  const fits = (head: ReturnType<typeof headOf>) =>
    width < NARROW ? rowsOf(head, width) <= (width < SMALL ? 2 : 1) * TYPE : lineOf(head) <= NARROW;
  return heads.find(fits) ?? headOf(trace, step, width < NARROW ? [1, 1] : undefined);
}

/** Height of a row of types, with the gap after it. */
const TYPE = 35;

/** The least width of a card with the types of a step in one line. */
function inOne(trace: TraceModel, step: Step): number {
  return lineOf(headAt(trace, step, NARROW));
}

function lineOf(head: ReturnType<typeof headOf>): number {
  return widthsOf(head).reduce((all, width) => all + GAP + width, 40 + BESIDE_TYPES);
}

function once({ measured }: TraceModel, what: string, measure: () => number): number {
  const value = measured.get(what) ?? measure();
  measured.set(what, value);
  return value;
}

/** The most of all steps. */
function most(trace: TraceModel, of: (step: Step) => number): number {
  return trace.steps.reduce((a, step) => Math.max(a, of(step)), 0);
}

/** Height of the headline: where types and the sentence have lines of their own, as many as any step needs. */
export function headHeight(trace: TraceModel, width: number): number {
  if (!isStacked(trace, width)) return 36;
  const least = leastOf(width);
  const room = roomIn(least);
  return once(trace, `head ${least}`, () =>
    most(trace, (step) => {
      const types = 10 + rowsOf(headAt(trace, step, least), least);
      // In the smallest cards what it means is opened.
      if (least < SMALL) return types;
      const lines = Math.ceil((1.1 * textWidth(step.sentence, 12.5)) / room);
      return types + 16 * Math.min(least < NARROW ? 2 : 1, Math.max(1, lines));
    }),
  );
}

/** Lines of the sentence under stacked types: as many as are left under those of a step. */
export function linesUnder(trace: TraceModel, step: Step, width: number): number {
  const left = headHeight(trace, width) - 10 - rowsOf(headAt(trace, step, width), width);
  return Math.max(1, Math.floor(left / 16));
}

/** Lines of the first sentence at most, which then ends in an ellipsis. */
const MOST_LINES = 4;

/** Room for types in cards of this width. */
const roomIn = (least: number) => least - 2 * PAD - 2;

/** Height of what stands over a step, in rows, in all cards of a width's kind. */
function rowsOf(head: ReturnType<typeof headOf>, width: number): number {
  const least = leastOf(width);
  return typesHeight([...widthsOf(head), ...(least < SMALL ? [OPENS] : [])], roomIn(least));
}

/** The least width of cards that are as high as one of this width. */
function leastOf(width: number): number {
  return WIDTHS.findLast((from) => from <= width) ?? WIDTHS[0];
}

/** Widths of the types in the head of a card and of the name of the operation between them, as they follow one another. */
function widthsOf({ inputs, outputs, name }: ReturnType<typeof headOf>): readonly number[] {
  const [before, after] = [inputs, outputs].map(({ shown, more }) => [
    ...shown.map((v) => FRAME + mono(`${fitName(v.name, NAME, 12.5, true)} ${v.type}`)),
    ...(more === "" ? [] : [mono(more)]),
  ]);
  return [...(before ?? []), ARROW + mono(name), ...(after ?? [])];
}

/** Height of types in rows, each as high as its highest. */
function typesHeight(widths: readonly number[], room: number): number {
  let [height, x, row] = [0, room, 0];
  for (const width of widths) {
    // A type that is cut at its commas and brackets does not fill its lines.
    const high = 12 + 19 * (width > room ? Math.ceil((1.25 * width) / room) : 1);
    if (x + GAP + width > room) [x, row] = [-GAP, 0];
    x += GAP + width;
    height += Math.max(0, high - row);
    row = Math.max(row, high);
  }
  return height;
}

/** Width of a name before its type, which must not be lost. */
export const NAME = 90;
/** The arrow after the name of the operation; the frame of a type; what is between. */
const ARROW = 66;
const FRAME = 19;
const GAP = 10;
/** Least width of what is said beside the types, which a press opens, and of what opens it in the smallest cards. */
const BESIDE_TYPES = 36;
const OPENS = 24;

function mono(text: string): number {
  return textWidth(text, 12.5, true);
}

/** Heights of the head of a card without its sentence, of a line of that, of the transport and of the foot. */
const HEAD = 44;
const LINE = 20;
const TRANSPORT = 40;
const FOOT = 36;
/** Width of the way through the collectives, beside the sentence. */
const WALK = 130;
/** Height of the line about a fix that is used. */
const CHANGED = 30;
/** Least height of a picture with changes that make a program run. */
const TROUBLE = 450;
/** What the rows of a group have at least. */
const ROWS = 296;

/** Least height of a picture beside the source, the list of steps and what they send, as the style sheet sets them. */
function columnHeight(trace: TraceModel): number {
  return LINES + listHeight(trace) + billHeight(trace) - MARGINS;
}

/** Height of the list of steps: any five of them, what they belong to, and the search where there is one. */
export function listHeight(trace: TraceModel): number {
  const rows = () => trace.steps.map((step) => rowHeight(trace, step)).sort((a, b) => b - a);
  const five = once(trace, "list", () =>
    rows()
      .slice(0, 5)
      .reduce((all, row) => all + row, 0),
  );
  return five + (isLong(trace) ? FILTERS : 0) + SCOPE * Math.min(2, trace.doc.scopes.length) + 9;
}

/** Height of a step in the list: lines that it is said in, and a line for each value. */
function rowHeight(trace: TraceModel, step: Step): number {
  const name = `${nameOf(trace, step)} ${trace.sends(step)?.axes.join(", ") ?? ""} `;
  const room = LIST - 32 - 12 * pathOf(trace.doc, step).length;
  const lines = Math.ceil((mono(name) + textWidth(remark(trace, step), 12.5)) / room);
  return 6 + 17.5 * lines + 15 * Math.min(3, step.outputs.length);
}

/** Height of what a step sends: the estimate, the axes over which anything is sent, how the bytes are counted; 0 for nothing. */
export function billHeight(trace: TraceModel): number {
  const { size } = new Set(trace.steps.flatMap((step) => trace.sends(step)?.axes ?? []));
  return size && 9 + 26 * 2 + 20 * Math.min(3, size);
}

/** Heights of the search over the list, and of a function or loop in it. */
const FILTERS = 45;
const SCOPE = 24;

/** Whether a program has so many equations that they can be searched and cut down. */
export function isLong(trace: TraceModel): boolean {
  return trace.number(trace.steps.length - 1) + 1 >= 12;
}

/** Least height of the source. */
const LINES = 60;

/** Over and under the picture, and the card's border. */
const MARGINS = 14;
/** Height of what a step prints, where any step does. */
export const PRINTED = 44;
/** Height of the note about what was left out of the trace. */
export const NOTE = 22;
export function pictureWidth(width: number): number {
  return width - 2 * PAD - (width >= NARROW ? LIST + 1 : 0);
}

/** A layout as high as one of any width of its kind, and not lower than a wider one, whatever is watched. */
export function layoutOf(trace: TraceModel, width: number, watch: readonly string[]): StepperLayout {
  const layout = unwatched(trace, width);
  if (watch.length === 0) return layout;
  const { height } = layout;
  return new StepperLayout(trace, layout.width, watch, { most: height, least: height });
}

function unwatched(trace: TraceModel, width: number): StepperLayout {
  const extra = (trace.doc.note === "" ? 0 : NOTE) + (trace.steps.some((s) => s.printed !== "") ? PRINTED : 0);
  const aroundAt = (w: number) => around(trace, w);
  const tiles: Local["tiles"] = new Map();
  // In a narrow card a map may stand over the group.
  const rows = ROWS + (trace.mesh.axes.length > 1 ? OVER_ROOM : 0);
  const most = (w: number) => Math.max(w < SMALL ? rows : 0, CARD - aroundAt(w) - extra);
  const heightFrom = (w: number): number => {
    const wider = WIDTHS.find((from) => from > w);
    // Changes that make a program run are read without scrolling, where they can be.
    const wanted = trace.doc.error ? TROUBLE : ringed(trace) ? CARD : columnHeight(trace);
    const alone = Math.min(wanted, most(w));
    const least = wider === undefined ? alone : heightFrom(wider) + aroundAt(wider) - aroundAt(w);
    return new StepperLayout(trace, pictureWidth(w), [], { most: most(w), least }, tiles).height;
  };
  const height = heightFrom(leastOf(width));
  return new StepperLayout(trace, pictureWidth(width), [], { most: height, least: height }, tiles);
}

/** Whether copies go between so many rows that these stand as far apart as they can. */
function ringed({ doc, mesh, steps }: TraceModel): boolean {
  const ring = (step: Step) => step.collective?.plans.some((k) => doc.plans[k]?.algorithm === "ring") === true;
  return mesh.meshShape.length === 1 && mesh.size > 4 && steps.some(ring);
}

/** The least width of cards of each kind, which have one height. */
const WIDTHS = [288, 348, 420, 468, SMALL, 668, NARROW] as const;
