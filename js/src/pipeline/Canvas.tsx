/** The board: two layers, and a listbox with one option, the task that is looked at, for keyboard and screen reader. */
import { Listbox } from "../card/Listbox";
import { pointOf } from "../card/pointed";
import { cellText, needsText, summaryText } from "./model/words";
import { placeAt, scaleOf, timeAt } from "./scene/board";
import type { PipelineState, Shown } from "./state";

export function Canvas({ state, shown }: { state: PipelineState; shown: Shown }) {
  const { board } = shown;
  const { at, span } = state.now;
  const model = at && board.blocks[at.schedule]?.model;
  const said = at && model ? cellText(model, at.task) : "";
  return (
    <div class="board">
      <div
        class={span ? "picture zoomed" : "picture"}
        style={{ width: `${board.width}px`, height: `${board.height}px` }}
        onPointerMove={(event) => drag(state, shown, event)}
        onPointerLeave={() => state.look(null)}
        onPointerDown={(event) => {
          state.grip = { x: event.clientX, moved: false };
        }}
        onPointerUp={(event) => {
          if (!state.grip?.moved) pick(state, shown, event);
          state.grip = null;
        }}
        onWheel={(event) => {
          if (event.ctrlKey || event.metaKey) {
            event.preventDefault();
            state.zoom(Math.exp(-event.deltaY / 200), timeAt(board, pointOf(event)[0]));
          } else if (span && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            event.preventDefault();
            state.pan(event.deltaX / scaleOf(board));
          }
        }}
      >
        <div ref={state.base.attach} />
        <div ref={state.over.attach} />
        <Listbox label={`tasks. ${board.blocks.map((b) => summaryText(b.model)).join(". ")}`} said={said} />
      </div>
    </div>
  );
}

/** What is looked at; as high whatever it says. */
export function Reading({ state, shown: { board, models } }: { state: PipelineState; shown: Shown }) {
  const { at, follow } = state.now;
  const model = at && board.blocks[at.schedule]?.model;
  const remarks = new Set(models.flatMap((m) => m.remark || []));
  return (
    <div class={follow === null ? "read" : "read following"}>
      <p class="reading" aria-live="polite">
        {at && model ? (
          <>
            <span>{cellText(model, at.task)}</span> <span class="soft">{needsText(model, at.task)}</span>
          </>
        ) : (
          <span class="soft">{[...remarks].join("; ") || "Point at a task; a click follows its microbatch."}</span>
        )}
      </p>
      {follow !== null && (
        <button
          type="button"
          class="plainly followed"
          title="follow none (Esc)"
          onClick={() => state.followBatch(null)}
        >
          <b>microbatch {follow}</b> is followed ✕
        </button>
      )}
    </div>
  );
}

function drag(state: PipelineState, { board }: Shown, event: PointerEvent): void {
  const picture = event.currentTarget as Element;
  const { grip } = state;
  if (grip && state.now.span) {
    const by = grip.x - event.clientX;
    if (!grip.moved && Math.abs(by) < 4) return;
    state.grip = { x: event.clientX, moved: true };
    picture.setPointerCapture(event.pointerId);
    state.pan(by / scaleOf(board));
    return;
  }
  state.look(placeAt(board, ...pointOf(event)));
}

/** A click follows the microbatch of the task there, or stops following it, and moves the playhead there. */
function pick(state: PipelineState, { board }: Shown, event: PointerEvent): void {
  const place = placeAt(board, ...pointOf(event));
  const model = place && board.blocks[place.schedule]?.model;
  if (!place || !model) return;
  state.look(place);
  state.seek(place.time);
  const task = model.taskAt(place.rank, place.time);
  if (task === null) return;
  const microbatch = model.tasks.microbatch[task] ?? null;
  state.followBatch(microbatch === state.now.follow ? null : microbatch);
}
