/** Devices and who sends what to whom, groups by chunks, or pairs of devices: a listbox with one option for keyboard and screen reader. */

import { Listbox } from "../card/Listbox";
import { pointOf } from "../card/pointed";
import { bytes } from "../core/format";
import { chunkText, heldText, movesText } from "./model/words";
import { Others } from "./Others";
import { chunkAt, groupAt } from "./scene/board";
import { chunkRowAt } from "./scene/chunks";
import { deviceAt } from "./scene/flows";
import { flowAt } from "./scene/put";
import type { ReshardState, Shown } from "./state";

export function Canvas({ state, shown }: { state: ReshardState; shown: Shown }) {
  const { model, chunk, flows, board, put } = shown;
  const layout = flows ?? board ?? put;
  if (!layout) return null;
  const { at } = state.now;
  const said = sayOf(shown, at);
  const chunked = model.axis >= 0;
  const about = flows ? "who sends what to whom" : board ? "what devices hold" : "who needs bytes of whom";
  return (
    <>
      <div
        class="picture"
        style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
        onPointerDown={(event) => pick(state, shown, event)}
        onPointerMove={(event) => {
          if (flows || (event.buttons === 1 && board?.map)) pick(state, shown, event);
        }}
        onPointerLeave={() => {
          if (flows) state.look(null);
        }}
      >
        <div aria-hidden="true" ref={state.base.attach} />
        <div aria-hidden="true" ref={state.over.attach} />
        <Listbox label={chunked ? `${about}. ${chunkText(model, chunk)}` : about} said={said} />
        <Others state={state} shown={shown} />
      </div>
      <p class="reading" title={said} aria-live={state.now.playing ? "off" : "polite"}>
        {said || model.doc.note || (chunked ? chunkText(model, chunk) : <span class="soft">Point at a device.</span>)}
      </p>
    </>
  );
}

/** What is looked at, in words. */
function sayOf({ model, chunk, flows, board, put }: Shown, at: number | null): string {
  if (at === null) return "";
  if (flows) return movesText(model, flows.panels, at);
  if (board) return heldText(model, chunk, at);
  const flow = model.doc.flows[at];
  return flow && put
    ? `device ${put.targets[flow.target]} needs ${bytes(flow.bytes)} that device ${put.sources[flow.source]} has`
    : "";
}

function pick(state: ReshardState, { model, flows, board, put }: Shown, event: PointerEvent): void {
  const [x, y] = pointOf(event);
  if (flows) {
    state.look(deviceAt(flows, x, y));
    const chunk = event.type === "pointerdown" ? chunkRowAt(flows.rows, y) : null;
    if (chunk !== null) state.jump(chunk);
  }
  if (put) state.look(flowAt(model, put, x, y));
  if (!board) return;
  const chunk = chunkAt(board, x, y);
  if (chunk !== null) state.jump(chunk);
  if (!board.map || x < board.map.x - 6) state.look(groupAt(board, x));
}
