/** Lists that scroll within a card. */

/** Scrolls an element into view in the list around it, below that list's heads, and leaves the page where it is. */
export function keepInView(el: Element | null): void {
  let list = el?.parentElement;
  while (list && !/auto|scroll/.test(getComputedStyle(list).overflowY)) list = list.parentElement;
  if (!el || !list) return;
  const [at, view, margin] = [el.getBoundingClientRect(), list.getBoundingClientRect(), getComputedStyle(el)];
  const top = view.top + (list.querySelector(".heads")?.clientHeight ?? 0) + Number.parseFloat(margin.scrollMarginTop);
  const bottom = view.top + list.clientHeight - Number.parseFloat(margin.scrollMarginBottom);
  if (at.top < top) list.scrollTop += at.top - top;
  else if (at.bottom > bottom) list.scrollTop += at.bottom - bottom;
}
