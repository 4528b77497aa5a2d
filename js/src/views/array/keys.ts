/** Keys of the two panels. */
import { unravel } from "../../model/mesh";
import { type Highlight, highlightDevice, highlightTile } from "../../model/selection";
import { tipOf, tipSentence } from "../../model/tip";
import { roles } from "../../scene/faces";
import type { ArrayState, Which } from "./state";

/** Moves the cursor; returns whether the key was handled. */
export function onKey(state: ArrayState, which: Which, event: KeyboardEvent): boolean {
  const model = state.now.model;
  if (!model || event.ctrlKey || event.metaKey || event.altKey) return false;
  const lit = state.lit();
  const go = (next: Highlight) => {
    const tip = tipOf(model, next, null, "");
    state.set({ origin: which, hover: next, announced: tip ? tipSentence(tip) : "" });
  };
  const light = (i: number) => go(which === "array" ? highlightTile(model, i) : highlightDevice(model, i));
  const count = which === "array" ? model.tiles : model.size;
  const at = which === "array" ? (lit?.tile ?? 0) : (lit?.positions[0] ?? 0);
  switch (event.key) {
    case "Enter":
    case " ":
      if (lit) state.pin(lit);
      return true;
    case "Escape":
      state.set({ hover: null });
      if (state.now.pinned) state.pin(state.now.pinned);
      return true;
    case "Home":
      light(0);
      return true;
    case "End":
      light(count - 1);
      return true;
    case "+":
    case "=":
      state.zoom(true);
      return true;
    case "-":
      state.zoom(false);
      return true;
    case "[":
    case "]":
      if (!state.shown()?.layout.mesh.multiples) return false;
      state.slice(event.key === "]" ? 1 : -1);
      return true;
    case "g":
      state.set({ goTo: true });
      return true;
  }
  const shape = which === "array" ? model.grid : model.meshShape;
  const [down, across, farDown, farAcross] = directions(state, which);
  const steps: Readonly<Record<string, readonly [number | null | undefined, number]>> = {
    ArrowUp: [event.shiftKey ? farDown : down, -1],
    ArrowDown: [event.shiftKey ? farDown : down, 1],
    ArrowLeft: [event.shiftKey ? farAcross : across, -1],
    ArrowRight: [event.shiftKey ? farAcross : across, 1],
  };
  const step = steps[event.key];
  if (!step) return false;
  if (!lit) {
    light(at);
    return true;
  }
  const [dim, by] = step;
  if (dim === null || dim === undefined) return true;
  const digits = unravel(at, shape);
  digits[dim] = Math.max(0, Math.min((shape[dim] ?? 1) - 1, (digits[dim] ?? 0) + by));
  light(digits.reduce((index, digit, d) => index * (shape[d] ?? 1) + digit, 0));
  return true;
}

/** Dimensions that the arrow keys move along: down, across, and with Shift. */
function directions(state: ArrayState, which: Which): readonly (number | null | undefined)[] {
  const model = state.now.model;
  if (!model) return [];
  if (which === "mesh")
    return model.meshShape.length === 1
      ? [0, 0, null, null]
      : [0, 1, model.meshShape.length > 3 ? 3 : null, model.meshShape.length > 2 ? 2 : null];
  const { row, column, across, down } = roles(model.rank, state.now.choice);
  return [row, column, down.at(-1) ?? null, across];
}
