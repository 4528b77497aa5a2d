/**
 * Text widths without a DOM, for DejaVu, the widest of the system fonts that the page may use: what fits here fits
 * everywhere.
 */
export function textWidth(text: string, size: number, mono = false): number {
  if (mono) return [...text].length * 0.602 * size;
  let width = 0;
  for (const c of text) width += NARROW.has(c) ? 0.33 : WIDE.has(c) ? 0.9 : c >= "A" && c <= "Z" ? 0.68 : 0.6;
  return width * size;
}

/** Cuts a text to a width, with an ellipsis where something was lost. */
export function fit(text: string, width: number, size: number, mono = false): string {
  if (textWidth(text, size, mono) <= width) return text;
  const characters = [...text];
  let keep = characters.length;
  while (keep > 1 && textWidth(`${characters.slice(0, keep).join("")}…`, size, mono) > width) keep--;
  return `${characters.slice(0, keep).join("")}…`;
}

/** As many clauses of a text as fit, from its beginning; of the first one as much as fits. */
export function fitClauses(text: string, width: number, size: number): string {
  const clauses = text.split(/(?<=[.;]) /);
  for (let n = clauses.length; n > 0; n--) {
    const some = clauses.slice(0, n).join(" ").replace(/;$/, "");
    if (textWidth(some, size) <= width) return some;
  }
  return fit(clauses[0] ?? "", width, size);
}

/**
 * A value's name in a width: `b = k of device 6` gives way to `k of device 6` and `k of 6`; of a call that is too long the
 * function is left, `psum(…)`, of others their beginning.
 */
export function fitName(name: string, width: number, size: number, mono = false): string {
  const from = name.replace(/^.* = /, "");
  const names = [name, from, from.replace(" of device ", " of "), name.replace(/^([\w.]+)\(.*\)$/, "$1(…)")];
  return names.find((n) => textWidth(n, size, mono) <= width) ?? fit(names.at(-1) ?? name, width, size, mono);
}

const NARROW = new Set(" ilj.,:;|'!()[]tfr");
const WIDE = new Set("mwMW@%");

/** A text in lines of whole words, at most so many. */
export function wrapped(text: string, width: number, most = 3): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((w) => w !== "")) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && textWidth(longer, 12) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const kept = lines.slice(0, most).map((line) => fit(line, width, 12));
  if (lines.length > most) kept[most - 1] = fit(`${lines[most - 1]} ${lines[most]}`, width - 12, 12);
  return kept;
}
