/** Lines that are as their types say, as one: which they are, and that nothing is to be looked at. */

import { count } from "../core/text";
import type { LineProps } from "./line";
import type { Line } from "./model/lines";
import { rangeOf } from "./model/words";
import { ACROSS, rowProps } from "./roles";

export function SameLine(props: LineProps & { line: Line & { kind: "same" } }) {
  const { model, line } = props;
  const rows = line.of.flatMap(({ members }) => members);
  return (
    <div {...rowProps(props, "fold", line.open)}>
      <div {...ACROSS} class="source">
        <span class="number" aria-hidden="true">
          {line.open ? "▾" : "▸"}
        </span>
        <span class="what">
          <b class="mono">{rangeOf(model, line.of)}</b>
          <span class="soft">{count(rows.length, "operation")}</span> <span class="ok">✓ all same</span>
        </span>
      </div>
    </div>
  );
}
