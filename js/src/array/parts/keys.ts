/** Keys of the two panels. */
import { unravel } from "../../core/mesh";
import type { PlacementModel } from "../../core/placement";
import { type Highlight, highlightDevice, highlightTile, type Which } from "../model/selection";
import { tipOf, tipSentence } from "../model/tip";
import { type Choice, roles } from "../scene/faces";
import { meshOrder } from "../scene/mesh";
import type { Shown } from "../scene/morph";

/** The state of an array, as far as keys change it. */
interface Steered {
  readonly now: { model: PlacementModel | null; choice: Choice; pinned: Highlight | null };
  shown(): Shown | null;
  lit(): Highlight | null;
  set(fields: { origin?: Which; hover?: Highlight | null; announced?: string; goTo?: boolean }): void;
  pin(lit: Highlight | null, origin?: Which): void;
  zoom(closer: boolean): void;
  slice(by: number): void;
}

/** Does what a key does in a panel; returns whether it was handled. */
export function onKey(state: Steered, which: Which, event: KeyboardEvent): boolean {
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
  const arrow = ARROWS.indexOf(event.key);
  if (arrow < 0) return false;
  const shape = which === "array" ? model.grid : model.meshShape;
  const dim = directions(model, which, state.now.choice)[(arrow % 2) + (event.shiftKey ? 2 : 0)] ?? -1;
  const last = (shape[dim] ?? 0) - 1;
  if (!lit) light(at);
  else if (last >= 0) {
    const digits = unravel(at, shape);
    digits[dim] = Math.max(0, Math.min(last, (digits[dim] ?? 0) + (arrow < 2 ? -1 : 1)));
    light(digits.reduce((index, digit, d) => index * (shape[d] ?? 1) + digit, 0));
  }
  return true;
}

/** Goes to the device whose id is typed in, with Enter; Escape leaves the field. */
export function goesTo(state: Steered, event: KeyboardEvent & { currentTarget: HTMLInputElement }): void {
  const { model } = state.now;
  event.stopPropagation();
  if (event.key === "Escape") state.set({ goTo: false });
  if (event.key !== "Enter" || !model) return;
  const input = event.currentTarget;
  const position = model.ids.indexOf(input.valueAsNumber);
  input.setCustomValidity(position < 0 ? `This mesh has no device ${input.value}.` : "");
  if (!input.reportValidity()) return;
  state.set({ goTo: false });
  state.pin(highlightDevice(model, position), "mesh");
}

const ARROWS = ["ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight"];

/** Dimensions that the arrow keys move along: down, across, and with Shift. */
function directions(model: PlacementModel, which: Which, choice: Choice): readonly (number | null | undefined)[] {
  if (which === "mesh") {
    const [down, right = down, next, after] = meshOrder(model, choice);
    return [down, right, after, next];
  }
  const { row, column, across, down } = roles(model, choice);
  return [row, column, down.at(-1), across];
}
