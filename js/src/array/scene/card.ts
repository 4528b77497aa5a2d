/** The whole card as one scene, for the picture without a page: head, body and notes. */

import type { Scheme } from "../../core/color";
import type { PlacementModel } from "../../core/placement";
import { type BlockView, blocksByDevice } from "../../core/values";
import { type Band, framed, headBand, saysBand, stack } from "../../draw/bands";
import { label, type Mark, MONO, PAD, type Scene, type Span, shift, spans } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { Highlight } from "../model/selection";
import { type Summary, summarize } from "../model/summary";
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
  const { key, notes: said } = summarize(model);
  for (const note of key.length > 0 ? [[{ text: "= ", axis: null }, ...key], ...said] : said) {
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
  return stack([
    headBand([...name, ...spans(s.title)], model, s.badges, width),
    saysBand(s.says, [{ text: s.also }], width),
    partsBand(s, width - 2 * PAD),
  ]);
}

/** The spec where the type is silent, then what is left of each dimension: as many in a line as have room. */
function partsBand(s: Summary, width: number): Band {
  const bold = (text: string): Span => ({ text, weight: 700, color: "ink" });
  const all: Span[][] = s.parts.map(({ title, text, result, after }) => [
    { text: title && `${title} ` },
    ...spans(text),
    bold(result),
    { text: after },
  ]);
  if (s.spec.length > 0) all.unshift(spans(s.spec).map((span) => ({ color: "ink" as const, ...span })));
  const marks: Mark[] = [];
  let [x, y] = [PAD, 20];
  for (const each of all) {
    const wide = textWidth(each.map(({ text }) => text).join(""), 12, true);
    if (x > PAD && x + wide > PAD + width) [x, y] = [PAD, y + 20];
    marks.push(
      label(
        x,
        y,
        wide > width ? [{ text: fit(each.map(({ text }) => text).join(""), width, 12, true) }] : each,
        12,
        "muted",
        MONO,
      ),
    );
    x += wide + 24;
  }
  return { marks, height: all.length > 0 ? y + 14 : 14 };
}
