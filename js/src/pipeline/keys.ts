/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { PipelineState } from "./state";

export const KEYS = [
  ["← → ↑ ↓", "task"],
  ["0 … 9", "follow"],
  ["Enter", "its step"],
  ["Space", "play"],
  ["+ −", "zoom"],
] as const;

/** Listens on the frame; returns a function that stops listening. */
export function pipelineKeys(state: PipelineState, frame: HTMLElement): () => void {
  return cardKeys(frame, (key, target) => {
    // Keys pressed in the steps below are not the schedule's.
    if (target.getRootNode() !== frame.shadowRoot) return undefined;
    if (/^\d$/.test(key)) return () => state.followBatch(Number(key) === state.now.follow ? null : Number(key));
    return acts(state)[key];
  });
}

function acts(state: PipelineState): Readonly<Record<string, () => void>> {
  return {
    ArrowLeft: () => state.step(-1, 0),
    ArrowRight: () => state.step(1, 0),
    ArrowUp: () => state.step(0, -1),
    ArrowDown: () => state.step(0, 1),
    PageUp: () => state.step(-10, 0),
    PageDown: () => state.step(10, 0),
    Home: () => state.step(Number.NEGATIVE_INFINITY, 0),
    End: () => state.step(Number.POSITIVE_INFINITY, 0),
    Enter: () => (state.now.stepped ? state.openSteps() : followed(state)),
    Escape: () => state.followBatch(null),
    " ": () => state.toggle(),
    "+": () => state.zoom(2),
    "=": () => state.zoom(2),
    "-": () => state.zoom(0.5),
    c: () => state.set({ critical: !state.now.critical }),
  };
}

/** Follows the microbatch of the task that the keyboard is at. */
function followed(state: PipelineState): void {
  const { at, follow } = state.now;
  const model = at && state.shown()?.board.blocks[at.schedule]?.model;
  if (!at || !model) return;
  const microbatch = model.tasks.microbatch[at.task] ?? null;
  state.followBatch(microbatch === follow ? null : microbatch);
}
