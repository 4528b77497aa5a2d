/** The whole card as one scene, for the picture without a page: head, body and notes. */

import type { Scheme } from "../../core/color";
import type { PlacementModel } from "../../core/placement";
import type { Badge } from "../../core/text";
import { type BlockView, blocksByDevice } from "../../core/values";
import {
  axisStroke,
  axisToken,
  type Color,
  label,
  type Mark,
  MONO,
  PAD,
  type Scene,
  type Span,
  shift,
  spans,
  TINT,
} from "../../draw/marks";
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
  const head = headMarks(model, width - 2 * PAD);
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
  const height = Math.ceil(y + PAD - 6);
  return {
    width,
    height: height + PAD,
    marks: [
      {
        kind: "rect",
        x: 0.5,
        y: 0.5,
        w: width - 1,
        h: height + PAD - 1,
        r: 8,
        fill: "bg",
        stroke: { color: "line", width: 1 },
      },
      ...shift(head.marks, PAD, PAD),
      ...shift(body, PAD, PAD + head.height),
      ...shift(notes, PAD, PAD),
    ],
  };
}

function headMarks(model: PlacementModel, width: number): { marks: Mark[]; height: number } {
  const s = summarize(model);
  const marks: Mark[] = [];
  const name = s.name ? `${s.name}  ` : "";
  const title: Span[] = [
    { text: name, weight: 400, color: "muted" },
    ...spans(model.doc.shape === null ? [{ text: meshTitle(model), axis: null }] : s.title).map((t) => ({
      ...t,
      weight: 700,
    })),
  ];
  const titleWidth = textWidth(title.map((t) => t.text).join(""), 17, true);
  marks.push(label(0, 16, cutSpans(title, width), 17, "ink", MONO));
  const widths = s.badges.map((b) => textWidth(`${b.strong}  ${b.text}`, 12) + 26);
  const total = widths.reduce((a, b) => a + b + 8, -8);
  const beside = titleWidth + 24 + total <= width;
  let x = beside ? width - total : 0;
  let y = beside ? 2 : 30;
  s.badges.forEach((b, i) => {
    const w = widths[i] ?? 0;
    if (!beside && x > 0 && x + w > width) {
      x = 0;
      y += 30;
    }
    marks.push(...badge(b, x, y - 2, w));
    x += w + 8;
  });
  y = (beside ? 14 : y + 24) + 26;
  if (s.slots.length > 0) {
    const spec = specMarks(model, s.slots, y, width);
    marks.push(...spec.marks);
    y = spec.bottom + 20;
  }
  return { marks, height: y };
}

/** A picture has no chips for a mesh alone. */
function meshTitle({ axes }: PlacementModel): string {
  return `Mesh ${axes.map((a) => `${a.name}=${a.size}`).join(" ")}`;
}

const TONES: Readonly<Record<Badge["tone"], Color>> = { plain: "ink", ok: "ok", warn: "warn", error: "error" };

function badge(b: Badge, x: number, y: number, w: number): Mark[] {
  const ink = TONES[b.tone];
  const plain = b.tone === "plain";
  const words: Span[] = [
    { text: b.strong, weight: 700, color: ink },
    { text: `  ${b.text}`, color: plain ? "muted" : ink },
  ];
  const pill = { kind: "rect", x, y, w, h: 24, r: 12 } as const;
  return [
    plain ? { ...pill, fill: "panel", stroke: { color: "line", width: 1 } } : { ...pill, fill: ink, alpha: TINT },
    label(x + w / 2, y + 16, words, 12, ink, { anchor: "middle" }),
  ];
}

/** `P( [x 4] , [None] )` with the division under each slot. */
function specMarks(model: PlacementModel, slots: readonly Slot[], top: number, width: number) {
  const marks: Mark[] = [];
  let x = 30;
  let y = top;
  marks.push(label(0, y + 18, "P(", 16, "ink", { ...MONO, weight: 700 }));
  slots.forEach((slot, i) => {
    const chips = slot.axes.map((a) => chip(model, a));
    const inner = chips.length > 0 ? chips.reduce((w, c) => w + c.width + 4, -4) : textWidth(slot.empty, 12, true) + 18;
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
      marks.push(label(at, y + 17, slot.prefix, 12, "muted", MONO));
      at += prefix;
    }
    for (const c of chips) {
      marks.push(...shift(c.marks, at, y));
      at += c.width + 4;
    }
    if (chips.length === 0) {
      marks.push({ kind: "rect", x: at, y, w: inner, h: 26, r: 6, stroke: { color: "faint", width: 1, dash: [2, 2] } });
      marks.push(label(at + inner / 2, y + 17, slot.empty, 12, "muted", { ...MONO, anchor: "middle" }));
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

/** A mesh axis as a chip: its line pattern as a bar, its name, its size. */
function chip(model: PlacementModel, axis: number): { marks: Mark[]; width: number } {
  const a = model.axes[axis];
  const name = fit(a?.name ?? "", 140, 12, true);
  const size = String(a?.size ?? 1);
  const width = 20 + textWidth(name, 12, true) + 7 + textWidth(size, 11, true) + 9;
  const color = axisToken(axis);
  const words: Span[] = [
    { text: name, weight: 700 },
    { text: ` ${size}`, weight: 400 },
  ];
  return {
    width,
    marks: [
      { kind: "rect", x: 0, y: 0, w: width, h: 26, r: 6, fill: color, alpha: TINT },
      { kind: "rect", x: 0, y: 0, w: width, h: 26, r: 6, stroke: { color, width: 1 } },
      {
        kind: "line",
        points: [
          [5, 1.5],
          [5, 24.5],
        ],
        stroke: { ...axisStroke(axis), width: 7 },
      },
      label(16, 17, words, 12, color, MONO),
    ],
  };
}

function cutSpans(all: readonly Span[], width: number): Span[] {
  let room = width;
  const out: Span[] = [];
  for (const s of all) {
    const text = fit(s.text, room, 17, true);
    out.push({ ...s, text });
    if (text !== s.text) break;
    room -= textWidth(text, 17, true);
  }
  return out;
}
