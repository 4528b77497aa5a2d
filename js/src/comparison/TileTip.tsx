/** The tooltip of a tile of a small picture: which slice, how large, on which devices. */

import { Tip } from "../card/Tip";
import { tileText } from "./model/words";
import type { ComparisonState } from "./state";

export function TileTip({ state }: { state: ComparisonState }) {
  const { pointed } = state.now;
  if (!pointed) return null;
  const [slice, size, devices] = tileText(pointed.picture.placement, pointed.name, pointed.tile);
  return (
    <Tip at={pointed.at} keep={[]}>
      <b class="mono">{slice}</b>
      <span class="mono">{size}</span>
      <span>{devices}</span>
    </Tip>
  );
}
