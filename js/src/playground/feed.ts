/** A model of one placement, for a picture that is fed from within the page instead of from a notebook. */

import type { WidgetModel } from "../card/widget";
import type { Placement } from "../core/document.gen";

export class Feed implements WidgetModel {
  readonly #traits: Map<string, unknown>;
  readonly #listeners = new Map<string, Set<() => void>>();

  /** `look` is that of the view around. */
  constructor(look: unknown) {
    this.#traits = new Map([
      ["_static", true],
      ["_look", look],
    ]);
  }

  /** Shows another placement. */
  put(placement: Placement): void {
    this.set("_document", placement);
    for (const tell of this.#listeners.get("change:_document") ?? []) tell();
  }

  get(key: string): unknown {
    return this.#traits.get(key);
  }

  set(key: string, value: unknown): void {
    this.#traits.set(key, value);
  }

  save_changes(): void {}

  on(event: string, callback: () => void): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(callback));
  }

  off(event: string, callback: () => void): void {
    this.#listeners.get(event)?.delete(callback);
  }
}
