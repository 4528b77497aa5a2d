/** State that is set field by field, and values that are computed from it. */

/** Named fields; watchers are told once, after the code that sets them is done. */
export class Store<Fields extends object> {
  readonly #watchers = new Set<() => void>();
  #telling = false;

  constructor(public now: Readonly<Fields>) {}

  set(patch: Partial<Fields>): void {
    const next = { ...this.now, ...patch };
    if (Object.keys(patch).every((key) => Object.is(next[key as keyof Fields], this.now[key as keyof Fields]))) return;
    this.now = next;
    if (this.#telling) return;
    this.#telling = true;
    queueMicrotask(() => {
      this.#telling = false;
      for (const tell of [...this.#watchers]) tell();
    });
  }

  /** Returns a function that stops watching. */
  watch(tell: () => void): () => void {
    this.#watchers.add(tell);
    return () => this.#watchers.delete(tell);
  }
}

/** Computes again only when an input has changed since the last call. */
export function memo<In extends readonly unknown[], Out>(compute: (...inputs: In) => Out): (...inputs: In) => Out {
  let last: { inputs: In; value: Out } | null = null;
  return (...inputs) => {
    if (!last || inputs.some((input, i) => !Object.is(input, last?.inputs[i])))
      last = { inputs, value: compute(...inputs) };
    return last.value;
  };
}

/** Whatever was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
