import type { ReshardState, Shown } from "./state";

/** Which arrays of the chunk are drawn, where not all are. */
export function Others({ state, shown: { model, chunk, flows } }: { state: ReshardState; shown: Shown }) {
  if (!flows) return null;
  const { first, panels } = flows;
  const of = model.arraysOf(chunk).length;
  const last = first + panels.length;
  if (of <= panels.length) return null;
  return (
    <span class="group others">
      <button type="button" aria-label="arrays before" disabled={first === 0} onClick={() => state.other(-1)}>
        ◂
      </button>
      {`array ${first + 1 < last ? `${first + 1}–${last}` : last} of ${of}`}
      <button type="button" aria-label="next arrays" disabled={last >= of} onClick={() => state.other(1)}>
        ▸
      </button>
    </span>
  );
}
