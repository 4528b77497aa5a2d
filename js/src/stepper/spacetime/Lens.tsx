/** The lens: values of the tile that is pointed at, or that the keyboard follows, and where they came from. */

import { Tip } from "../../card/Tip";
import { hex } from "../../core/color";
import { lensText } from "./model/lens";
import type { Page } from "./page";

/** Blocks of a row that are described. */
const MOST = 3;

export function Lens({ page }: { page: Page }) {
  const { trace, theme } = page.state.now;
  const layout = page.state.layout();
  const space = page.layout();
  const tile = page.tile();
  const row = tile && space?.rows[tile.row];
  if (!trace || !theme || !layout || !space || !row) return null;
  const { device, came, blocks } = lensText(trace, row.row, tile.device);
  const at = { x: space.left + tile.device * space.pitch, y: row.y, w: space.tile, h: row.h };
  // The rows before and after stay in view.
  const whole = { ...at, x: space.left, w: trace.mesh.size * space.pitch };
  return (
    <Tip at={at} keep={[whole]}>
      <div class="row">
        <b>{device}</b>
        <span>{came}</span>
      </div>
      {blocks.slice(0, MOST).map(({ v, name, type, values }) => (
        <div key={v.id}>
          <div class="row">
            <span class="swatch" style={{ background: hex(layout.blockColor(v, tile.device, theme.scheme)) }} />
            <b class="mono">{name}</b>
            <span class="mono">{type}</span>
          </div>
          {values && <div class="soft">{values}</div>}
        </div>
      ))}
    </Tip>
  );
}
