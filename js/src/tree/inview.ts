/** The lines of the table that are in view. */
import { keepInView } from "../card/scroll";

/** Brings a line into view, over the end of the table, which fades; the line that is seen first is whole. */
export function bringIntoView(line: HTMLElement | null): void {
  const list = line?.closest(".tree");
  if (!list) return;
  keepInView(line, 0, 22);
  const tops = [...list.querySelectorAll<HTMLElement>(".row")].map((row) => row.offsetTop);
  list.scrollTop = tops.find((y) => y >= list.scrollTop) ?? list.scrollTop;
}

/** Whether all of a line is seen in a table that is scrolled so far, and so high. */
export function isInView({ offsetTop, offsetHeight }: HTMLElement, scrolled: number, high: number): boolean {
  return offsetTop >= scrolled && offsetTop + offsetHeight <= scrolled + high;
}
