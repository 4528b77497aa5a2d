/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { PipelineState } from "./state";

export const KEYS = [
  ["← → ↑ ↓", "task"],
  ["0 … 9", "follow"],
  ["Enter", "its step"],
  ["Space", "play"],
  ["+ −", "zoom"],
  ["c", "critical path"],
  ["Esc", "follow none"],
] as const;

export const pipelineKeys = cardKeys((state: PipelineState) => {
  const digits = Array.from({ length: 10 }, (_, n) => [n, () => state.followBatch(n === state.now.follow ? null : n)]);
  return {
    ...Object.fromEntries(digits),
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
});

/** Follows the microbatch of the task that the keyboard is at. */
function followed(state: PipelineState): void {
  const { at, follow } = state.now;
  const model = at && state.shown()?.board.blocks[at.schedule]?.model;
  if (!at || !model) return;
  const microbatch = model.tasks.microbatch[at.task] ?? null;
  state.followBatch(microbatch === follow ? null : microbatch);
}
