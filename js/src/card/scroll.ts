/** Lists that scroll within a card. */

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
