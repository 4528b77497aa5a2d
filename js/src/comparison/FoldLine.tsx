/** The head of a scope: what rows are folded in it, and what of them is worth a look. */

import { count } from "../core/text";
import type { LineProps } from "./line";
import type { Line } from "./model/lines";
import { kindOf } from "./model/words";
import { AxisChip } from "./parts";
import { ACROSS, rowProps } from "./roles";

export function FoldLine(props: LineProps & { line: Line & { kind: "fold" } }) {
  const { model, line } = props;
  const scope = model.doc.scopes[line.scope];
  if (!scope) return null;
  const { errors, differs, inserted, replications } = model.tally(line.row, line.stop);
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
                <AxisChip
                  mesh={model.mesh}
                  axis={axis}
                  type={type === outside[axis] ? type : `${outside[axis]} → ${type}`}
                  key={model.mesh.axes[axis]?.name}
                />
              ))}
            </span>
          )}
          <span class="soft">{count(line.stop - line.row, "row")}</span>
          {errors > 0 && <span class="badge error">{count(errors, "type error")}</span>}
          {differs > 0 && (
            <span class="badge warn">
              {differs} differ{differs === 1 ? "s" : ""}
            </span>
          )}
          {replications > 0 && <span class="badge warn">{count(replications, "replication")}</span>}
          {inserted > 0 && <span class="badge plain">{count(inserted, "collective")}</span>}
        </span>
      </div>
    </div>
  );
}
