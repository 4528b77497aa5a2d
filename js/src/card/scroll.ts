/** Lists that scroll within a card. */

/** Height of the end of code that fades. */
const FADE = 16;

/** Scrolls an element into view in the list around it, with room above and below, and leaves the page where it is. */
export function keepInView(el: Element | null, above = 0, below = 0): void {
  let list = el?.parentElement;
  while (list && !/auto|scroll/.test(getComputedStyle(list).overflowY)) list = list.parentElement;
  if (!el || !list) return;
  const [at, view] = [el.getBoundingClientRect(), list.getBoundingClientRect()];
  const top = at.top - above - view.top - (list.querySelector(".heads")?.clientHeight ?? 0);
  const bottom = at.bottom + below - view.top - list.clientHeight;
  if (top < 0) list.scrollTop += top;
  // Of what is higher than the list, the start.
  else if (bottom > 0) list.scrollTop += Math.min(top, bottom);
}

/** The line that is seen first in a list that is scrolled. */
export function firstLine(list: Element, lines: string): HTMLElement | null {
  if (list.scrollTop === 0) return null;
  const top = topOf(list);
  const all = [...list.querySelectorAll<HTMLElement>(lines)];
  return all.find((line) => line.getBoundingClientRect().bottom > top + 1) ?? null;
}

/** Scrolls a line to where a list begins. */
export function scrollToTop(list: Element, line: Element): void {
  list.scrollTop += line.getBoundingClientRect().top - topOf(list);
}

/** Where the lines of a list begin: under its heads. */
function topOf(list: Element): number {
  return list.getBoundingClientRect().top + (list.querySelector(".heads")?.clientHeight ?? 0);
}

/** Scrolls a line of code into view, over the end that fades; the line over it that is seen first is whole. */
export function keepLineInView(line: Element | null): void {
  keepInView(line, 0, FADE);
  const lines = line?.parentElement;
  const list = lines?.parentElement;
  if (!line || !lines || !list) return;
  const first = lines.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
  const height = Number.parseFloat(getComputedStyle(line).lineHeight);
  if (list.scrollTop <= first) return;
  const top = first + height * Math.ceil((list.scrollTop - first) / height);
  list.scrollTop = top;
  if (list.scrollTop >= top) return;
  // It was at its end: there is room for the rest of a line, and no more, which would be scrolled into.
  const padding = Number.parseFloat(getComputedStyle(lines).paddingBottom);
  lines.style.paddingBottom = `${padding + top - list.scrollTop}px`;
  list.scrollTop = top;
}
