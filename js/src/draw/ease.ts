/** How motion speeds up and slows down: 0 to 1 over a time from 0 to 1. */
export function easeInOut(t: number): number {
  return t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2;
}
