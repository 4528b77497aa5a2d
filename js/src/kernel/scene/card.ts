/** A kernel as one scene, for the picture without a page: the answer, what to add, the whole order. */
import type { Scheme } from "../../core/color";
import { type Band, framed, headBand, rule, saysBand, stack } from "../../draw/bands";
import { broken } from "../../draw/broken";
import { label, PAD, type Scene, shift } from "../../draw/marks";
import { answerOf, factsOf, type KernelModel } from "../model/kernel";
import { layoutKernel } from "./layout";
import { kernelMarks } from "./picture";

export function kernelScene(model: KernelModel, at: number, width: number, scheme: Scheme): Scene {
  const fault = model.fault(at);
  const order = model.order(fault, false);
  const layout = layoutKernel(model, order, fault, width - 2 * PAD);
  const shown = { model, order, layout, scheme, block: null };
  const lines = [fault?.detail ?? "", fault?.advice ? `Add: ${fault.advice}` : "", ...model.doc.notes].filter(Boolean);
  const body = stack([
    headBand(model.doc.name, model.doc, [], width),
    saysBand(answerOf(model, fault), [{ text: `${model.devices} ${factsOf(model)}` }], width),
    ...lines.map((line) => words(line, width)),
    { marks: [rule(0, 4, width)], height: 12 },
    { marks: shift(kernelMarks(shown, fault), PAD, 0), height: layout.height },
  ]);
  return framed(width, Math.ceil(body.height + 8), body.marks);
}

function words(text: string, width: number): Band {
  const lines = broken([{ text }], width - 2 * PAD, 12.5, 3);
  return { marks: lines.map((line, i) => label(PAD, 14 + 17 * i, line, 12.5, "muted")), height: 17 * lines.length + 4 };
}
