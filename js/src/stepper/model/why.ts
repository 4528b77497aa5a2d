/** Why a program stops, and what of its text a fix changes. */
import type { Failure, Fix, Listing } from "../../core/document.gen";
import { dedented } from "./listing";

/** The first sentence of an explanation, which is the answer, and the others. */
export function whyOf({ explanation, error }: Pick<Failure, "explanation" | "error">): { first: string; more: string } {
  const end = /\.(?=\s+[A-Z])/.exec(explanation)?.index ?? explanation.length;
  const first = explanation.slice(0, end + 1).trim();
  return { first: first || error, more: explanation.slice(end + 1).trim() };
}

/** A line of the user's text with a fix. */
export interface ChangedLine {
  /** Its number; 0 where the source does not show the place. */
  line: number;
  pieces: readonly { text: string; changed: boolean }[];
}

/** The lines that a fix changes; all of its code where the lines that it replaces are not known. */
export function changedLines(fix: Fix, listings: readonly Listing[]): readonly ChangedLine[] {
  const code = fix.code.split("\n");
  const listing = listings.find(
    (l) => l.file === fix.file && fix.line >= l.first_line && fix.line < l.first_line + l.lines.length,
  );
  const start = fix.line - (listing?.first_line ?? 0);
  const old = listing && fix.line > 0 ? dedented(listing.lines.slice(start, start + fix.lines)) : [];
  const numbered = code.map((text, k) => ({ line: fix.line > 0 ? fix.line + k : 0, text, before: old[k] }));
  if (old.length !== code.length)
    return numbered.map(({ line, text }) => ({ line, pieces: [{ text, changed: false }] }));
  return numbered
    .filter(({ text, before }) => text !== before)
    .map(({ line, text, before = "" }) => ({ line, pieces: piecesOf(before.trimStart(), text.trimStart()) }));
}

/** A new line in pieces: what it has of the old one, and what is new. */
function piecesOf(old: string, text: string): ChangedLine["pieces"] {
  const most = Math.min(old.length, text.length);
  let begin = 0;
  while (begin < most && old[begin] === text[begin]) begin++;
  let end = 0;
  while (end < most - begin && old.at(-1 - end) === text.at(-1 - end)) end++;
  // A name is new as a whole, with its dots.
  while (begin > 0 && isWithinName(text, begin)) begin--;
  while (end > 0 && isWithinName(text, text.length - end)) end--;
  const [kept, middle] = [old.slice(begin, old.length - end), text.slice(begin, text.length - end)];
  const at = kept === "" ? -1 : middle.indexOf(kept);
  const apart = at >= 0 && !isWithinName(middle, at) && !isWithinName(middle, at + kept.length);
  const inner = !apart
    ? [{ text: middle, changed: true }]
    : [
        { text: middle.slice(0, at), changed: true },
        { text: kept, changed: false },
        { text: middle.slice(at + kept.length), changed: true },
      ];
  return [
    { text: text.slice(0, begin), changed: false },
    ...inner,
    { text: text.slice(text.length - end), changed: false },
  ].filter((piece) => piece.text !== "");
}

function isWithinName(text: string, at: number): boolean {
  return /[\w.]/.test(text[at - 1] ?? "") && /[\w.]/.test(text[at] ?? "");
}
