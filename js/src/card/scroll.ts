/** Scrolls an element into view in its own list, and leaves the page where it is. */
export function keepInView(el: Element | null): void {
  const list = el?.closest("ol")?.parentElement;
  if (!(el instanceof HTMLElement) || !list) return;
  const [top, bottom] = [el.offsetTop - list.offsetTop, el.offsetTop - list.offsetTop + el.offsetHeight];
  if (top < list.scrollTop) list.scrollTop = top - 4;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight + 4;
}
