/** Two traces as one scene, for the picture without a page: where they part, the steps, what devices hold. */
import type { Scheme } from "../../core/color";
import type { TraceDiff } from "../../core/document.gen";
import { framed, headBand, rule, saysBand, stack } from "../../draw/bands";
import { label, type Mark, MONO, PAD, type Scene } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import { chosenOf, nameOf, noteOf, statusOf } from "../model/steps";
import { stepScene } from "./steps";

interface Look {
  readonly width: number;
  readonly scheme: Scheme;
  readonly selection: number;
}

export function tracesScene(doc: TraceDiff, { width, scheme, selection }: Look): Scene {
  const at = chosenOf(doc, selection);
  const step = doc.steps[at];
  const held = stepScene(step, doc.mesh, width, scheme);
  const note = `${held.height > 0 ? "Solid frame: mine, dashed: the reference. " : ""}${noteOf(step)}`;
  const line = { marks: [rule(0, 0, width)], height: 1 };
  const card = stack([
    headBand(nameOf(doc), doc.mesh, [], width),
    saysBand(doc.verdict, [{ text: doc.cause }], width),
    line,
    stripBand(doc, at, width),
    line,
    held,
    { marks: [label(PAD, 18, fit(note, width - 2 * PAD, 12), 12, "muted")], height: 30 },
  ]);
  return framed(width, Math.ceil(card.height), card.marks);
}

/** As many steps as have room, the chosen one among them. */
function stripBand({ steps }: TraceDiff, at: number, width: number) {
  const wide = (k: number) => {
    const step = steps[k];
    return step ? Math.max(textWidth(step.primitive, 12, true), textWidth(statusOf(step), 11)) + 18 : 0;
  };
  let [first, end, used] = [at, at + 1, wide(at)];
  while (true) {
    const room = width - 2 * PAD - used;
    if (end < steps.length && wide(end) + 6 <= room) used += wide(end++) + 6;
    else if (first > 0 && wide(first - 1) + 6 <= room) used += wide(--first) + 6;
    else break;
  }
  const marks: Mark[] = [];
  let x = PAD;
  for (let k = first; k < end; k++) {
    const step = steps[k];
    if (!step) continue;
    const w = Math.min(wide(k), width - PAD - x);
    const color = step.parted > 0 ? "warn" : step.compared ? "ink" : "muted";
    const stroke = { color: k === at ? "ink" : step.parted > 0 ? "warn" : "line", width: k === at ? 2 : 1 } as const;
    marks.push(
      { kind: "rect", x, y: 8, w, h: 36, r: 6, stroke },
      label(x + w / 2, 23, fit(step.primitive, w - 6, 12, true), 12, color, { ...MONO, anchor: "middle", weight: 700 }),
      label(x + w / 2, 38, fit(statusOf(step), w - 6, 11), 11, color, { anchor: "middle" }),
    );
    x += w + 6;
  }
  return { marks, height: 52 };
}
