/** The whole card as one scene, for the picture without a page: head, body and notes. */

import type { Scheme } from "../../core/color";
import type { PlacementModel } from "../../core/placement";
import { type BlockView, blocksByDevice } from "../../core/values";
import { type Band, chip, chipWidth, framed, headBand } from "../../draw/bands";
import { label, type Mark, MONO, PAD, type Scene, type Span, shift, spans } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { Highlight } from "../model/selection";
import { type Slot, summarize } from "../model/summary";
import { type Choice, WHOLE } from "./faces";
import { bodyMarks, layoutBody } from "./layout";
import { lensMarks } from "./lens";
import { overlayMarks } from "./overlay";
import { type ColorBy, paintsOf } from "./paints";

export interface CardOptions {
  width: number;
  scheme: Scheme;
  colorBy?: ColorBy;
  choice?: Choice;
  highlight?: Highlight | null;
  /** Values by device id, beside those that the document carries. */
  blocks?: ReadonlyMap<number, BlockView>;
}

export function cardScene(model: PlacementModel, options: CardOptions): Scene {
  const { width } = options;
  const head = headOf(model, width);
  const blocks = options.blocks ?? blocksByDevice(model.doc.values);
  const paints = paintsOf(model, options.scheme, options.colorBy ?? "position", blocks);
  const choice = { ...(options.choice ?? WHOLE), cell: paints.cell };
  const layout = layoutBody(model, choice, width - 2 * PAD, false);
  const body = bodyMarks(model, layout, paints);
  const lit = options.highlight ?? null;
  body.push(...overlayMarks(model, layout, paints, lit));
  if (layout.lens) body.push(...lensMarks(model, layout.mesh, layout.lens, paints, lit?.positions[0] ?? null));
  const notes: Mark[] = [];
  let y = head.height + layout.height + 26;
  for (const note of summarize(model).notes) {
    notes.push(label(0, y, spans(note), 12, "muted"));
    y += 18;
  }
  return framed(width, Math.ceil(y + PAD - 6), [
    ...head.marks,
    ...shift(body, PAD, head.height),
    ...shift(notes, PAD, 0),
  ]);
}

function headOf(model: PlacementModel, width: number): Band {
  const s = summarize(model);
  const name: Span[] = s.name ? [{ text: `${s.name} `, weight: 400, color: "muted" }] : [];
  const head = headBand([...name, ...spans(s.title)], model, s.badges, width);
  if (s.slots.length === 0) return head;
  const spec = specMarks(model, s.slots, head.height + 4, width - 2 * PAD);
  return { marks: [...head.marks, ...shift(spec.marks, PAD, 0)], height: spec.bottom + 20 };
}

/** `P( [x 4] , [None] )` with the division under each slot. */
function specMarks(model: PlacementModel, slots: readonly Slot[], top: number, width: number) {
  const marks: Mark[] = [];
  let x = 30;
  let y = top;
  marks.push(label(0, y + 18, "P(", 16, "ink", { ...MONO, weight: 700 }));
  slots.forEach((slot, i) => {
    const chips = slot.axes.map((axis) => {
      const { name = "", size = 1 } = model.axes[axis] ?? {};
      return { axis, text: `${fit(name, 140, 12, true)} ${size}` };
    });
    const inner =
      chips.length > 0
        ? chips.reduce((w, { text }) => w + chipWidth(text) + 4, -4)
        : textWidth(slot.empty, 12, true) + 18;
    const prefix = textWidth(slot.prefix, 12, true);
    const under = Math.max(
      textWidth(slot.title, 11, true),
      textWidth(slot.before + slot.result + slot.after, 11, true),
    );
    const w = Math.max(prefix + inner, under);
    if (x + w > width && i > 0) {
      x = 30;
      y += 66;
    }
    let at = x + (w - prefix - inner) / 2;
    if (slot.prefix) {
      marks.push(label(at, y + 16, slot.prefix, 12, "muted", MONO));
      at += prefix;
    }
    for (const { axis, text } of chips) {
      marks.push(...chip(at, y + 1, text, axis));
      at += chipWidth(text) + 4;
    }
    if (chips.length === 0) {
      marks.push({
        kind: "rect",
        x: at,
        y: y + 1,
        w: inner,
        h: 22,
        r: 6,
        stroke: { color: "faint", width: 1, dash: [2, 2] },
      });
      marks.push(label(at + inner / 2, y + 16, slot.empty, 12, "muted", { ...MONO, anchor: "middle" }));
    }
    const middle = { ...MONO, anchor: "middle" } as const;
    marks.push(label(x + w / 2, y + 42, slot.title, 11, "muted", middle));
    const sum: Span[] = [{ text: slot.before }, { text: slot.result, weight: 700, color: "ink" }, { text: slot.after }];
    marks.push(label(x + w / 2, y + 57, sum, 11, "muted", middle));
    marks.push(label(x + w + 6, y + 20, i < slots.length - 1 ? "," : ")", 16, "ink", { ...MONO, weight: 700 }));
    x += w + 26;
  });
  return { marks, bottom: y + 62 };
}
