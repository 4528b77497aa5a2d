/** The words of a document as one scene. */
import { framed, headBand, rule, saysBand, stack } from "../../draw/bands";
import { label, MONO, PAD, type Scene } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { folded, type Words } from "../model/text";

const LINE = 18;
const SIZE = 12.5;

export function textScene({ name, first, lines }: Words, width: number): Scene {
  const most = Math.max(20, Math.floor((width - 2 * PAD) / textWidth("0", SIZE, true)));
  const shown = folded(lines, most);
  const marks = shown.map((line, i) => label(PAD, 22 + LINE * i, line, SIZE, "ink", MONO));
  const card = stack([
    headBand(name, { axes: [] }, [], width),
    saysBand(first, [], width),
    ...(shown.length > 0 ? [{ marks: [rule(0, 0, width), ...marks], height: 22 + LINE * shown.length }] : []),
  ]);
  return framed(width, Math.ceil(card.height), card.marks);
}
