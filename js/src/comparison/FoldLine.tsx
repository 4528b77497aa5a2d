/** The head of a scope: what rows are folded in it, and what of them is worth a look. */

import { Chip } from "../card/Chip";
import { Badges } from "../card/Head";
import { count } from "../core/text";
import type { LineProps } from "./line";
import type { Line } from "./model/lines";
import { kindOf, tallyBadges } from "./model/words";
import { ACROSS, rowProps } from "./roles";

export function FoldLine(props: LineProps & { line: Line & { kind: "fold" } }) {
  const { model, line } = props;
  const scope = model.doc.scopes[line.scope];
  if (!scope) return null;
  const outside = model.axisTypes(scope.parent);
  return (
    <div {...rowProps(props, "fold", line.open)}>
      <div {...ACROSS} class="source">
        <span class="number" aria-hidden="true">
          {line.open ? "▾" : "▸"}
        </span>
        <span class="what">
          <b class="mono">{scope.name}</b> <span class="soft">{kindOf(scope)}</span>
          {scope.axis_types.length > 0 && (
            <span class="types">
              {scope.axis_types.map((type, axis) => (
                <Chip name={model.mesh.axes[axis]?.name ?? ""} axis={axis} key={model.mesh.axes[axis]?.name}>
                  {type === outside[axis] ? type : `${outside[axis]} → ${type}`}
                </Chip>
              ))}
            </span>
          )}
          <span class="soft">{count(line.stop - line.row, "row")}</span>
          <Badges of={tallyBadges(model.tally(line.row, line.stop))} />
        </span>
      </div>
    </div>
  );
}
