/** The words of a document: what it is about, its first line, and the lines below. */

import { capital } from "../../core/text";

/** Kinds of documents that are shown as words. */
export const KINDS = ["baseline diff", "recompiled", "remedies", "why"] as const;

export interface Words {
  /** Before the colon of the first line: a function, a value. */
  readonly name: string;
  readonly first: string;
  readonly lines: readonly string[];
}

export function wordsOf(text: string, kind: unknown): Words {
  const [head = "", ...lines] = text.split("\n");
  const at = head.indexOf(": ");
  const name = at > 0 ? head.slice(0, at) : String(kind);
  const said = at > 0 ? head.slice(at + 2) : head;
  return { name, first: capital(said), lines };
}

/** Lines of at most so many characters; what goes on in the next is set in. */
export function folded(lines: readonly string[], most: number): string[] {
  return lines.flatMap((line) => {
    const parts = [line.slice(0, most)];
    for (let at = most; at < line.length; at += most - 4) parts.push(`    ${line.slice(at, at + most - 4)}`);
    return parts;
  });
}
