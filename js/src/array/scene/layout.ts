/** The body of the card: array and mesh beside or above one another, a lens where devices are too many to name. */
import { hex, valueColor } from "../../core/color";
import { product } from "../../core/mesh";
import type { PlacementModel } from "../../core/placement";
import { type Box, label, type Mark, type Span } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { type ArrayPanel, arrayMarks, layoutArray } from "./array";
import { type Choice, MANY, roles } from "./faces";
import { LENS } from "./lens";
import { layoutMesh, meshMarks, meshOrder } from "./mesh";
import type { Panels } from "./overlay";
import type { Paints } from "./paints";

export interface Layout extends Panels {
  width: number;
  height: number;
  /** Where the tooltip is when it does not float. */
  dock: Box | null;
  /** Where the title of each panel stands. */
  titles: readonly { x: number; y: number; text: string; note: string }[];
  stacked: boolean;
}

/** Below this width the mesh stands under the array; where little height is left, beside it as long as it is read. */
const STACK = 560;
const LOW = 300;
const LITTLE = 200;
const TITLE = 30;
const DOCK = 86;
/** Height of what is said of a block below both panels, and the space above it. */
const BELOW = 44;
const GAP = 10;
/** Maximum height of a panel, beside or above the other: with head, notes and foot a card stays below 640 px. */
export const HIGH = 372;
/** The same with the line below the panels that describes a block. */
export const HIGHER = 430;
const STACKED = 320;
/** Between widths at which a layout is tried, so that no layout is lower than a wider one. */
const STEP = 40;

/**
 * Lays out the body. One that is `docked` stands in a page: it keeps room for a tooltip that cannot float, and is never
 * less high than it would be in a wider cell, without values, or without room for their numbers, so that a page does not
 * jump while it is resized or coloured otherwise. `high` is the most height of a panel that stands beside the other.
 */
export function layoutBody(model: PlacementModel, choice: Choice, width: number, docked: boolean, high = HIGH): Layout {
  const layout = natural(model, choice, width, docked, high);
  let { height } = layout;
  // From the width below it on, of those that are tried at every width.
  for (let w = 319; docked && w < 1680; w += STEP)
    for (const cell of w > width - STEP ? new Set([choice.cell, null, 0]) : [])
      height = Math.max(height, natural(model, { ...choice, cell }, w, true, high).height);
  return { ...layout, height };
}

function natural(model: PlacementModel, choice: Choice, width: number, docked: boolean, high: number): Layout {
  const stacked = width < (high < (docked ? HIGH : LITTLE) ? LOW : STACK);
  const bare = model.doc.shape === null;
  const boxes = product(model.meshShape.slice(2)); // However they are ordered, one or several.
  const lensed = model.size > 1024 && boxes === 1;
  const room = docked && !bare && model.size >= MANY ? high - BELOW - GAP : high;
  const { abstract } = model.doc.mesh;
  const titles: Layout["titles"][number][] = [];
  let x = 0;
  let y = 0;
  let array: ArrayPanel | null = null;
  let dock: Box | null = null;
  let lens: Panels["lens"] = null;
  if (!bare) {
    const facets = roles(model, choice).across !== null;
    const part = lensed ? 0.4 : model.size <= 16 || facets ? 0.55 : model.size > 64 ? 0.45 : 0.36;
    const arrayWidth = stacked ? width : Math.floor(width * part);
    array = layoutArray(model, choice, {
      x,
      y: TITLE,
      width: arrayWidth,
      height: stacked ? Math.min(240, high) : room - TITLE,
    });
    titles.push({ x: stacked ? 0 : Math.min(array.x, arrayWidth - 64), y: 14, text: "Logical array", note: "" });
    if (stacked) y = array.box.y + array.box.h + 8;
    else x = arrayWidth + 44;
  }
  const right = width - x;
  // The lens beside the mesh has room for ids only in a wide cell.
  const beside = lensed && width >= 840;
  if (lensed) {
    const span = beside ? right * 0.52 : right;
    const w = Math.min(76, (span - 60) / LENS - 3);
    const note = `${LENS}×${LENS} of ${model.size} ${abstract ? "positions" : "devices, by id"}`;
    titles.push({ x, y: y + 14, text: "Lens", note });
    lens = { x, y: y + TITLE + 20, w, h: Math.min(36, w * 0.6) };
    if (beside) x += span + 12;
    else y = lens.y + LENS * (lens.h + 3) + 12;
  }
  // A tooltip would have no place, or would cover what it is about.
  const lines = docked && !bare && (stacked || model.size >= MANY);
  if (lines && stacked) {
    dock = { x, y, w: right, h: DOCK };
    y += DOCK + 16;
  }
  const panels = meshOrder(model, choice).slice(2);
  const note =
    boxes > 1
      ? `a panel for each ${panels.map((a) => model.axes[a]?.name).join(", ")} index`
      : abstract
        ? "positions of an abstract mesh"
        : lensed
          ? "lines every 16 devices"
          : "";
  titles.push({ x, y: y + 14, text: "Mesh", note });
  const height = stacked ? Math.min(STACKED, high) : room - TITLE;
  const mesh = layoutMesh(model, choice, {
    x,
    y: y + TITLE - (stacked || bare ? 0 : 6),
    width: Math.min(width - x, 900),
    height,
  });
  const ends = [array?.box, mesh.box, dock, lens && { y: lens.y, h: LENS * (lens.h + 3) }];
  let end = Math.max(...ends.map((b) => (b ? b.y + b.h : 0)));
  if (lines && !dock) {
    dock = { x: 0, y: end + GAP, w: width, h: BELOW };
    end += GAP + BELOW;
  }
  return {
    array,
    mesh,
    lens,
    dock,
    titles,
    stacked,
    width,
    height: Math.ceil(end) + 4,
  };
}

/** All marks of the body but what hovering adds. */
export function bodyMarks(model: PlacementModel, layout: Layout, paints: Paints): Mark[] {
  const colors = {
    position: "colour = where a block sits in the array",
    values: "colour = value",
    device: "shade = device id",
  };
  const marks: Mark[] = layout.titles.flatMap((t) => {
    const array = t.text === "Logical array";
    const note = array ? colors[paints.colorBy] : t.note;
    const next = layout.titles.find((other) => other.y === t.y && other.x > t.x);
    const title: Span = { text: t.text, weight: 700, color: "ink" };
    const key = array && paints.colorBy === "values" && paints.values.size > 0 ? legend(paints) : [];
    const all = [title, ...key, { text: key.length === 0 && note ? `   ${note}` : "" }];
    const fits = t.x + textWidth(all.map((s) => s.text).join(""), 13) <= (next ? next.x - 32 : layout.width);
    // What colours mean is said in place of the title where there is no room for both.
    return [label(t.x, t.y, fits ? all : key.length > 0 ? key : [title], 13, "muted")];
  });
  if (layout.array) marks.push(...arrayMarks(model, layout.array, paints));
  marks.push(...meshMarks(model, layout.mesh, paints));
  return marks;
}

/** Colours between the ends of a range. */
const SHADES = 9;

/** Colours of a range from end to end, past which they stay (of complex numbers, the magnitude's), and of what is not finite; the power of ten of all numbers. */
function legend({ values, range: { low, high, power, write }, scheme }: Paints): Span[] {
  const [first] = values.values();
  const of = first?.complex ? "|z| " : "";
  const say = (sign: string, v: number) =>
    first?.format === "b1" ? (v ? "True" : "False") : `${of}${sign} ${write(v)}`;
  const inked = (text: string, at: number): Span => ({ text, color: hex(valueColor(at, low, high, scheme)) });
  const odd = [...values.values()].some(({ block }) => block.nans + block.infs > 0);
  return [
    { text: `   ${say("≤", low)} ` },
    ...Array.from({ length: SHADES }, (_, i) => inked("■", low + ((high - low) * i) / (SHADES - 1))),
    { text: ` ${say("≥", high)}` },
    ...(odd ? [inked("   ■ ", Number.NaN), { text: "nan, inf" }] : []),
    ...(power === 0 ? [] : [{ text: `   ×1e${power}` }]),
  ];
}
