/** Running text in lines of whole words. */

import type { Span } from "../../draw/marks";
import { textWidth } from "../../draw/measure";

/** Bold text is that much wider. */
const HEAVY = 1.1;

/** Spans in lines of a width; what has no space is broken where it is wider than a line. Nothing is left out. */
export function proseLines(spans: readonly Span[], width: number, size: number, mono = false): Span[][] {
  const lines: Span[][] = [[]];
  let used = 0;
  for (const word of wordsOf(spans)) {
    const w = wide(word, size, mono);
    if (used > 0 && used + w > width) {
      lines.push([]);
      used = 0;
    }
    for (const span of w > width ? word.flatMap(letters) : word) {
      const one = wide([span], size, mono);
      if (used > 0 && used + one > width) {
        lines.push([]);
        used = 0;
      }
      lines.at(-1)?.push(span);
      used += one;
    }
  }
  return lines.map(joined);
}

/** Spans cut after every space; what has no space between stays together. */
function wordsOf(spans: readonly Span[]): Span[][] {
  const words: Span[][] = [];
  let open = false;
  for (const span of spans) {
    for (const text of span.text.match(/\S* +|\S+/g) ?? []) {
      if (open) words.at(-1)?.push({ ...span, text });
      else words.push([{ ...span, text }]);
      open = !text.endsWith(" ");
    }
  }
  return words;
}

function wide(word: readonly Span[], size: number, mono: boolean): number {
  return word.reduce((w, s) => w + textWidth(s.text, size, mono) * ((s.weight ?? 400) > 500 && !mono ? HEAVY : 1), 0);
}

function letters(span: Span): Span[] {
  return [...span.text].map((text) => ({ ...span, text }));
}

/** Neighbours of one look as one span. */
function joined(line: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const span of line) {
    const last = out.at(-1);
    if (last && last.color === span.color && last.weight === span.weight) last.text += span.text;
    else out.push({ ...span });
  }
  return out;
}
