/**
 * Text widths without a DOM, for DejaVu, the widest of the system fonts that the page may use: what fits here fits
 * everywhere.
 */
export function textWidth(text: string, size: number, mono = false): number {
  if (mono) return [...text].length * MONO * size;
  let width = 0;
  for (const c of text) width += advance(c);
  return width * size;
}

function advance(c: string, mono = false): number {
  if (mono) return MONO;
  return NARROW.has(c) ? 0.33 : WIDE.has(c) ? 0.9 : c >= "A" && c <= "Z" ? 0.68 : 0.6;
}

/** How much wider text is in bold. */
export const WIDER = 1.06;

/** Cuts a text to a width, with an ellipsis where something was lost: no more of it is measured than fits. */
export function fit(text: string, width: number, size: number, mono = false): string {
  // In advances of this size; sums are off by less than what is added.
  const room = width / size + 1e-6;
  let used = 0;
  let end = 0;
  let cut = 0;
  for (const c of text) {
    used += advance(c, mono);
    if (used > room) return `${text.slice(0, cut || c.length)}…`;
    end += c.length;
    if (cut === 0 || used + advance("…", mono) <= room) cut = end;
  }
  return text;
}

/** Whether a text fits whole. */
function fits(text: string, width: number, size: number, mono = false): boolean {
  return fit(text, width, size, mono) === text;
}

/** As many clauses of a text as fit, from its beginning; of the first one as much as fits. */
export function fitClauses(text: string, width: number, size: number): string {
  let kept = "";
  let longer = "";
  for (const clause of text.split(/(?<=[.;]) /)) {
    longer = longer === "" ? clause : `${longer} ${clause}`;
    const some = longer.replace(/;$/, "");
    if (!fits(some, width, size)) return kept || fit(clause, width, size);
    kept = some;
  }
  return kept;
}

/**
 * A value's name in a width: `b = k of device 6` gives way to `k of device 6` and `k of 6`; of a call that is too long the
 * function is left, `psum(…)`, of others their beginning.
 */
export function fitName(name: string, width: number, size: number, mono = false): string {
  const from = name.replace(/^.* = /, "");
  const names = [name, from, from.replace(" of device ", " of "), name.replace(/^([\w.]+)\(.*\)$/, "$1(…)")];
  return names.find((n) => fits(n, width, size, mono)) ?? fit(names.at(-1) ?? name, width, size, mono);
}

const MONO = 0.602;
const NARROW = new Set(" ilj.,:;|'!()[]tfr");
const WIDE = new Set("■mwMW@%");

/** A text in lines of whole words, at most so many. */
export function wrapped(text: string, width: number, most = 3): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((w) => w !== "")) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && fits(longer, width, 12)) lines[lines.length - 1] = longer;
    else if (lines.length > most) break;
    else lines.push(word);
  }
  const kept = lines.slice(0, most).map((line) => fit(line, width, 12));
  if (lines.length > most) kept[most - 1] = fit(`${lines[most - 1]} ${lines[most]}`, width - 12, 12);
  return kept;
}
