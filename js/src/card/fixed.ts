/** A widget model without a kernel behind it. */
import type { WidgetModel } from "./widget";

/** Holds traits, and tells listeners when one is set. */
export function fixedModel(traits: Map<string, unknown>): WidgetModel {
  const listeners = new Map<string, Set<() => void>>();
  return {
    get: (name) => traits.get(name),
    set(name, value) {
      if (Object.is(traits.get(name), value)) return;
      traits.set(name, value);
      for (const callback of [...(listeners.get(`change:${name}`) ?? [])]) callback();
    },
    save_changes() {},
    on(event, callback) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(callback));
    },
    off(event, callback) {
      listeners.get(event)?.delete(callback);
    },
  };
}
