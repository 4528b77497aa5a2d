/** Which lines of a long table are in the page: chunks of lines near what is in view; the others are empty space. */
import type { Line } from "./model/lines";

/** Lines of a chunk. */
const SIZE = 10;
/** What is drawn beyond the edges of the view, so that a scroll finds it there. */
const MARGIN = 240;
/** Height of the view of a long table. */
const VIEW = 720;
/** Tables up to this many lines are shown whole. */
const WHOLE = 26;

/** First chunk and one past the last. */
export type Range = readonly [number, number];

export class Chunks {
  readonly count: number;
  /** Whether the table scrolls by itself. */
  readonly long: boolean;
  readonly #heights: number[];
  readonly #measured = new Set<number>();

  constructor(
    readonly lines: readonly Line[],
    heightOf: (line: Line) => number,
  ) {
    this.count = Math.ceil(lines.length / SIZE);
    this.long = lines.length > WHOLE;
    this.#heights = Array.from({ length: this.count }, (_, i) => this.of(i).reduce((sum, l) => sum + heightOf(l), 0));
  }

  of(chunk: number): readonly Line[] {
    return this.lines.slice(chunk * SIZE, (chunk + 1) * SIZE);
  }

  first(chunk: number): number {
    return chunk * SIZE;
  }

  chunkOf(line: number): number {
    return Math.floor(line / SIZE);
  }

  height(chunk: number): number {
    return this.#heights[chunk] ?? 0;
  }

  top(chunk: number): number {
    let top = 0;
    for (let i = 0; i < chunk; i++) top += this.height(i);
    return top;
  }

  /** Records a height that was measured in the page. */
  measure(chunk: number, height: number): void {
    this.#heights[chunk] = height;
    this.#measured.add(chunk);
  }

  known(chunk: number): boolean {
    return this.#measured.has(chunk);
  }

  /** The chunks near a place that the table is scrolled to. */
  near(scrolled: number): Range {
    if (!this.long) return [0, this.count];
    let first = 0;
    let top = 0;
    while (first < this.count - 1 && top + this.height(first) < scrolled - MARGIN) top += this.height(first++);
    let last = first;
    while (last < this.count && top < scrolled + VIEW + MARGIN) top += this.height(last++);
    return [first, last];
  }
}
