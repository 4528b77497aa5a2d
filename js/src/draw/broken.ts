/** Code that is too wide for its place continues on further lines, each broken after a comma. */

import type { Span } from "./marks";
import { fit, textWidth } from "./measure";

/** Spans of monospaced text in lines of a width, at most so many; only a piece without a comma is truncated. */
export function broken(spans: readonly Span[], width: number, size: number, most = 3): Span[][] {
  const text = spans.map((s) => s.text).join("");
  const ends: number[] = [];
  let start = 0;
  for (const { index } of text.matchAll(/,|$/g)) {
    const next = index + 1;
    const last = ends.at(-1);
    const whole = textWidth(text.slice(start, next), size, true) <= width;
    if (last !== undefined && whole) ends[ends.length - 1] = next;
    else {
      start = last ?? 0;
      ends.push(next);
    }
  }
  const lines = ends
    .slice(0, most)
    .map((end, i) => sliced(spans, ends[i - 1] ?? 0, i === most - 1 ? text.length : end));
  return lines.map((line) => cut(line, width, size));
}

function sliced(spans: readonly Span[], from: number, to: number): Span[] {
  const out: Span[] = [];
  let at = 0;
  for (const span of spans) {
    const text = span.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (text !== "") out.push({ ...span, text });
    at += span.text.length;
  }
  return out;
}

/** Spans that fit as they are, or one text with an ellipsis. */
function cut(spans: Span[], width: number, size: number): Span[] {
  const text = spans.map((s) => s.text).join("");
  return textWidth(text, size, true) <= width ? spans : [{ text: fit(text, width, size, true) }];
}
