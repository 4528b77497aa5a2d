/** How wide and high the parts of a stepper are: no higher than 640 px where it can be, and no higher when it is wider. */
import type { TraceModel } from "../../model/trace";
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
function around(width: number, bill: boolean): number {
  const [headline, menus, cost] = width >= NARROW ? [46, 0, 38] : width >= SMALL ? [78, 36, 62] : [84, 36, 84];
  return headline + TRANSPORT + menus + (bill ? cost : 0) + MARGINS;
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
  const aroundAt = (w: number) => around(w, bill);
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
