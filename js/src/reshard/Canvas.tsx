/** Groups by chunks, or devices by devices: two layers, and a listbox with one option for keyboard and screen reader. */

import { bytes } from "../core/format";
import { chunkText, heldText } from "./model/words";
import { chunkAt, groupAt } from "./scene/board";
import { flowAt } from "./scene/put";
import type { ReshardState, Shown } from "./state";

export function Canvas({ state, shown }: { state: ReshardState; shown: Shown }) {
  const { model, chunk, board, put } = shown;
  const layout = board ?? put;
  if (!layout) return null;
  const { at } = state.now;
  const said = sayOf(shown, at);
  return (
    <>
      <div
        class="picture"
        style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
        onPointerDown={(event) => pick(state, shown, event)}
        onPointerMove={(event) => {
          if (event.buttons === 1 && board?.map) pick(state, shown, event);
        }}
      >
        <div aria-hidden="true" ref={state.base.attach} />
        <div aria-hidden="true" ref={state.over.attach} />
        <div
          class="panel"
          role="listbox"
          tabIndex={0}
          aria-label={board ? `what devices hold. ${chunkText(model, chunk)}` : "who needs bytes of whom"}
          aria-activedescendant={said ? "at" : undefined}
          style={{ inset: "0" }}
        >
          {said && (
            <div
              id="at"
              class="option"
              role="option"
              tabIndex={-1}
              aria-selected="true"
              aria-label={said}
              style={{ inset: "0" }}
            />
          )}
        </div>
      </div>
      <p class="reading" aria-live={state.now.playing ? "off" : "polite"}>
        {said || (board ? chunkText(model, chunk) : <span class="soft">Point at a pair of devices.</span>)}
      </p>
    </>
  );
}

/** What is looked at, in words. */
function sayOf({ model, chunk, board, put }: Shown, at: number | null): string {
  if (at === null) return "";
  if (board) return heldText(model, chunk, at);
  const flow = model.doc.flows[at];
  return flow && put
    ? `device ${put.targets[flow.target]} needs ${bytes(flow.bytes)} that device ${put.sources[flow.source]} has`
    : "";
}

function pick(state: ReshardState, { model, board, put }: Shown, event: PointerEvent): void {
  const bounds = (event.currentTarget as Element).getBoundingClientRect();
  const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
  if (put) state.look(flowAt(model, put, x, y));
  if (!board) return;
  const chunk = chunkAt(board, x, y);
  if (chunk !== null) state.jump(chunk);
  if (!board.map || x < board.map.x - 6) state.look(groupAt(board, x));
}
