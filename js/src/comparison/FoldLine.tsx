/** The head of what is folded: a scope, with what in it is worth a look, or lines that are as their types say. */
import { Cell } from "../card/Cell";
import { Badges } from "../card/Head";
import { Gutter } from "./Gutter";
import type { LineProps } from "./line";
import { foldOf } from "./model/cells";
import { type Line, stopOf } from "./model/lines";
import { tallyBadges } from "./model/words";
import { ACROSS, rowProps } from "./roles";

export function FoldLine(props: LineProps & { line: Line & { kind: "fold" | "same" } }) {
  const { model, line } = props;
  return (
    <div {...rowProps(props, "fold", line.open)}>
      <Gutter way={props.way} ink={props.ink} />
      <div {...ACROSS} class="source">
        <span class="number" aria-hidden="true">
          {line.open ? "▾" : "▸"}
        </span>
        <span class="what">
          <Cell of={[foldOf(model, line)]} />
          {(line.kind === "fold" || line.times > 0) && <Badges of={tallyBadges(model.tally(line.row, stopOf(line)))} />}
        </span>
      </div>
    </div>
  );
}
