/** How wide and high the parts of a stepper are: no higher than 640 px where it can be, and no higher when it is wider. */
import { headOf, type TraceModel } from "../../model/trace";
import { textWidth } from "../../scene/measure";
import { type Room, StepperLayout } from "../../scene/stepper/layout";

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
function around(trace: TraceModel, width: number, bill: boolean): number {
  const [menus, cost] = width >= NARROW ? [0, 38] : width >= SMALL ? [36, 62] : [36, 84];
  const headline = width < SMALL ? 84 : width < NARROW ? 78 : isStacked(trace, width) ? 62 : 46;
  return headline + TRANSPORT + menus + (bill ? cost : 0) + MARGINS;
}

/** Whether the sentence of a step is below its types: at every step and in every wide card, where any of them needs it. */
export function isStacked(trace: TraceModel, width: number): boolean {
  return width < NARROW || leastWidth(trace) > NARROW;
}

const known = new WeakMap<TraceModel, number>();

/** The least width of a card at which the types of every step fit beside three lines of its sentence. */
function leastWidth(trace: TraceModel): number {
  const width =
    known.get(trace) ??
    Math.max(
      0,
      ...trace.steps.map((step) => {
        const { inputs, outputs, name } = headOf(trace, step);
        const types = [...inputs, ...outputs].map((v) => 28 + Math.min(NAME, mono(v.name)) + 8 + mono(v.type));
        const sentence = Math.min(MOST_BESIDE, (1.15 * textWidth(step.sentence, 12)) / 3);
        return types.reduce((a, b) => a + b, ARROW + mono(name)) + 40 + sentence;
      }),
    );
  known.set(trace, width);
  return width;
}

/** Width of a name before its type, which must not be lost. */
export const NAME = 90;
/** The arrow after the name of the operation, and gaps. */
const ARROW = 72;
/** Width of a sentence beside its types that needs no more: it ends in an ellipsis. */
const MOST_BESIDE = 320;

function mono(text: string): number {
  return textWidth(text, 12.5, true);
}

const TRANSPORT = 44;
/** Least height of a picture beside the source and the list. */
const BESIDE = 250;

/** Over and under the picture, and the card's border. */
const MARGINS = 14;
/** Height of what a step prints, where any step does. */
export const PRINTED = 44;
/** Height of the note about what was left out of the trace. */
export const NOTE = 22;
/** Height of the names that are watched. */
export const WATCHED = 30;

export function pictureWidth(width: number): number {
  return width - 2 * PAD - (width >= NARROW ? LIST + 1 : 0);
}

/** A layout as high as one of any width of its kind, and not lower than a wider one. */
export function layoutOf(trace: TraceModel, width: number, watch: readonly string[]): StepperLayout {
  const extra =
    (trace.doc.note === "" ? 0 : NOTE) +
    (watch.length > 0 ? WATCHED : 0) +
    (trace.steps.some((s) => s.printed !== "") ? PRINTED : 0);
  const bill = trace.steps.some((s) => trace.communicates(s));
  const aroundAt = (w: number) => around(trace, w, bill);
  const most = (w: number) => CARD - aroundAt(w) - extra;
  const least = (w: number): number => {
    const [wider] = WIDTHS.find(([from]) => from > w) ?? [];
    if (wider === undefined) return BESIDE;
    const above = new StepperLayout(trace, pictureWidth(wider), watch, roomAt(wider));
    return above.height + aroundAt(wider) - aroundAt(w);
  };
  const roomAt = (w: number): Room => {
    const widths = (WIDTHS.findLast(([from]) => from <= w) ?? WIDTHS[0])?.map(pictureWidth) ?? [];
    return { most: most(w), least: least(w), widths };
  };
  return new StepperLayout(trace, pictureWidth(width), watch, roomAt(width));
}

/** Widths of cards of each kind at which heights are compared, the first being the least. */
const WIDTHS: readonly (readonly number[])[] = [
  [288, 360, 440, 520],
  [SMALL, 640, 720, 800],
  [NARROW, 1000, 1150, 1300, 1648],
];
