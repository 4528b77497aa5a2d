/** A list that stays as high as it was at most: what it lists may change, and nothing below it moves. */
export class Tall {
  #of: readonly unknown[] = [];
  #most = 0;

  /** Sets `--tall`, which the style sheet takes for the list's height; `of`: what makes another height right. */
  keep(list: HTMLElement, ...of: readonly unknown[]): void {
    if (of.some((value, i) => value !== this.#of[i])) {
      this.#of = of;
      this.#most = 0;
      list.style.removeProperty("--tall");
    }
    this.#most = Math.max(this.#most, list.scrollHeight);
    list.style.setProperty("--tall", `${this.#most}px`);
  }
}
