/** The tree as a table. Of many lines only those in view are in the page. */

import { LEAVES } from "../core/columns.gen";
import { bytes } from "../core/format";
import { bringIntoView } from "./inview";
import { Line } from "./Line";
import { deviceHead, unitOf } from "./model/words";
import type { ModelState, Shown } from "./state";
import { NARROW } from "./state";

/** Heights of a line and of the words of a flag below it; on narrow cards both take two lines. */
const LINE = 27;
const WORDS = 23;
const TALL = 50;
const TALL_WORDS = 40;
/** Up to this many lines are all in the page. */
const MANY = 200;
/** Maximum height of the table, and lines above and below the view that are in the page too. */
const HEIGHT = 600;
const BEYOND = 12;

export function Table({ state, shown }: { state: ModelState; shown: Shown }) {
  const { tree, rows } = shown;
  const { top, node, width } = state.now;
  const [line, words] = width < NARROW ? [TALL, TALL_WORDS] : [LINE, WORDS];
  const tops = [0];
  for (const row of rows) tops.push((tops.at(-1) ?? 0) + line + (row.said.length > 0 ? words : 0));
  const total = tops.at(-1) ?? 0;
  const all = top === null || rows.length <= MANY;
  const first = all ? 0 : Math.max(0, tops.findLastIndex((y) => y <= (top ?? 0)) - BEYOND);
  const beyond = tops.findIndex((y) => y > (top ?? 0) + HEIGHT);
  const last = all || beyond < 0 ? rows.length : Math.min(rows.length, beyond + BEYOND);
  const at = rows.findIndex((row) => row.node === node);
  const most = Math.max(1, ...rows.map((row) => row.sums.here));
  const { figures } = shown;
  const device = deviceHead(tree, shown.device);
  // What differs from the unit of the card, which the tools say.
  const unit = unitOf(figures.all) === unitOf(figures.here) ? "" : `, ${unitOf(figures.all)}`;
  return (
    <div class="list">
      <div class="line heads" aria-hidden="true">
        {LEAVES.map(({ key, head }) => (
          <span class={key === "type" ? "type cut" : key} key={key}>
            {key === "here" ? device : key === "all" ? head + unit : head}
          </span>
        ))}
      </div>
      <div
        class="tree"
        role="treegrid"
        tabIndex={0}
        aria-label={`${state.name()}, ${bytes(tree.held[shown.device] ?? 0)} ${device}`}
        aria-rowcount={rows.length}
        aria-activedescendant={at < 0 ? undefined : `node-${node}`}
        onWheel={() => state.touched()}
        onPointerDown={() => state.touched()}
        onScroll={(event) => {
          if (!all) state.set({ top: event.currentTarget.scrollTop });
        }}
      >
        <div class="lines" style={{ height: `${total}px`, paddingTop: `${tops[first] ?? 0}px` }}>
          {/* The place of the line that the keyboard is at, also where the line itself is not in the page. */}
          {at >= 0 && (
            <i
              style={{ top: `${tops[at]}px`, bottom: `${total - (tops[at + 1] ?? 0)}px` }}
              ref={bringIntoView}
              key={`at ${at}`}
            />
          )}
          {rows.slice(first, last).map((row, i) => (
            <Line
              state={state}
              tree={tree}
              row={row}
              line={first + i}
              current={first + i === at}
              most={most}
              all={figures.all}
              here={figures.here}
              key={row.node}
            />
          ))}
          {rows.length === 0 && <p class="none">No array matches.</p>}
        </div>
      </div>
    </div>
  );
}
