/** Where keys go: from step to step by what a step is, and in the picture from device to device and block to block. */

import type { KeyWords } from "../../card/Foot";
import { FIRST_KEYS } from "../keys";
import { pathOf, stepAfter } from "../model/rows";
import type { StepperState } from "../state";

/** All keys with what they do, the most useful first. */
export const KEYS: KeyWords = [
  ...FIRST_KEYS,
  ["Home End", "first, last step"],
  ["[ ]", "collective before, after"],
  ["i", "the equations of the step"],
  ["o u", "over, out of a function or loop"],
  ["a", "next algorithm"],
  ["s", "start and end of a transfer"],
  ["/", "search steps"],
  ["g", "go to the devices"],
  ["arrows", "device; in space-time its block"],
  ["Enter", "on a device: its next block"],
  ["Esc", "deselect"],
];

export function act(state: StepperState, key: string): void {
  ACTS[key]?.(state);
}

const ACTS: Readonly<Record<string, (state: StepperState) => void>> = {
  "[": (state) => toCollective(state, -1),
  "]": (state) => toCollective(state, 1),
  n: (state) => toCollective(state, 1),
  i: into,
  // In no function, loop or branch which this step is not in; and after the one that it is in.
  o: (state) => after(state, 0),
  u: (state) => after(state, 1),
  a: nextAlgorithm,
  s: otherEnd,
};

/** From where a transfer starts, or from a step that it is under way at, to where it is received; from there back. */
function otherEnd(state: StepperState): void {
  const { trace, moment } = state.now;
  const transfer = trace?.underWay(moment.step).at(-1);
  if (transfer) state.jump(transfer.done === moment.step ? transfer.start : (transfer.done ?? transfer.start));
}

/** The collective before or after the step that is shown. */
function toCollective(state: StepperState, by: -1 | 1): void {
  const { trace, moment } = state.now;
  if (!trace) return;
  for (let at = moment.step + by; at >= 0 && at < trace.steps.length; at += by) {
    const step = trace.step(at);
    if (step && trace.communicates(step)) {
      state.jump(at);
      return;
    }
  }
}

/** The equations of the step that is shown, from the first. */
function into(state: StepperState): void {
  const { leveling } = state;
  const { level, moment } = state.now;
  const first = moment.step === 0 ? 0 : leveling.equation(moment.step - 1) + 1;
  const levels = leveling.all();
  const finer = levels[levels.indexOf(level) + 1];
  if (finer) {
    state.setLevel(finer);
    state.jump(leveling.step(first));
  } else state.jump(moment.step + 1);
}

/** The next step that is in no more scopes than this one is in, less `fewer`. */
function after(state: StepperState, fewer: number): void {
  const { trace, moment } = state.now;
  if (trace) state.jump(stepAfter(trace.doc, moment.step, pathOf(trace.doc, state.step()).length - fewer));
}

/** The next algorithm that the step has, in turn. */
function nextAlgorithm(state: StepperState): void {
  const step = state.step();
  const names = step ? (state.now.trace?.plans(step) ?? []).map((plan) => plan.algorithm) : [];
  const next = names[(names.indexOf(state.now.algorithm) + 1) % names.length];
  if (next) state.setAlgorithm(next);
}

/** Looks at the same rank of another group of the collective that is shown. */
export function turnGroup(state: StepperState, by: number): void {
  const view = state.view();
  const { trace } = state.now;
  const c = view?.collective ?? trace?.steps.map((step) => trace.sends(step)).find((other) => other !== null);
  if (!view || !c) return;
  const groups = view.trace.groups(c);
  const at = groups.indexOf(view.stage.group) + by + groups.length;
  const rank = Math.max(0, view.stage.group.indexOf(view.receiver));
  state.set({ device: groups[at % groups.length]?.[rank] ?? null, slot: null });
}

/** The device and block that a key goes to; null for any other key. */
export function goes(state: StepperState, key: string): { device: number | null; slot?: number | null } | null {
  const view = state.view();
  const { device } = state.now;
  if (!view) return null;
  if (key === "Escape" && device !== null) return { device: null };
  if (key === "Enter" && device !== null) {
    const count = view.slots.length;
    return { device, slot: count > 0 ? ((state.keptSlot() ?? -1) + 1) % count : null };
  }
  const { mesh } = view.trace;
  const move = arrow(key, mesh.meshShape, view.stage.map);
  if (!move) return null;
  if (device === null) return { device: 0 };
  const [axis, by] = move;
  const digits = mesh.digits(device);
  const n = mesh.meshShape[axis] ?? 1;
  const to = (digits[axis] ?? 0) + by;
  if (to >= 0 && to < n) digits[axis] = to;
  return { device: digits.reduce((index, digit, a) => index * (mesh.meshShape[a] ?? 1) + digit, 0) };
}

/** The mesh axis that an arrow key goes along, and how far: in a line of devices that is wrapped, a row. */
function arrow(
  key: string,
  shape: readonly number[],
  map: { wrapped: boolean; columns: number } | null,
): readonly [number, number] | null {
  const across = Math.min(1, shape.length - 1);
  const row = map?.wrapped ? map.columns : 1;
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [0, -row],
    ArrowDown: [0, row],
    ArrowLeft: [across, -1],
    ArrowRight: [across, 1],
  };
  return moves[key] ?? null;
}
