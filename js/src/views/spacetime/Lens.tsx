/** The lens: values of the tile that is pointed at, or that the keyboard follows, and where they came from. */
import { hex } from "../../model/color";
import { lensText } from "../../model/lens";
import type { Page } from "./page";

const WIDTH = 340;
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
  const middle = space.left + tile.device * space.pitch + space.tile / 2;
  const width = Math.min(WIDTH, space.width);
  const left = Math.max(0, Math.min(space.width - width, middle - width / 2));
  // Above its row where there is more room, so that the rows that follow stay in view.
  const above = row.y > space.height / 2;
  return (
    <div
      class={`tip ${above ? "above" : "below"}`}
      role="status"
      style={{
        left: `${left}px`,
        width: `${width}px`,
        "--arrow": `${Math.max(14, Math.min(width - 14, middle - left))}px`,
        ...(above ? { bottom: `${space.height - row.y + 10}px` } : { top: `${row.y + row.h + 10}px` }),
      }}
    >
      <div class="row">
        <b>{device}</b>
        <span class="end">{came}</span>
      </div>
      {blocks.slice(0, MOST).map(({ v, name, type, values }) => (
        <div key={v.id}>
          <div class="row">
            <span
              class="swatch"
              style={{ background: hex(layout.blockColor(v, tile.device, theme.scheme, v.unreduced)) }}
            />
            <b class="mono">{name}</b>
            <span class="mono end">{type}</span>
          </div>
          {values && <div class="soft">{values}</div>}
        </div>
      ))}
    </div>
  );
}
