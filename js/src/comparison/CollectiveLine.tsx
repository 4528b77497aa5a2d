/** A collective of the compiled program, where it does its work between the rows. */

import { Chip } from "../card/Chip";
import { Tokens } from "../card/Tokens";
import { bytes } from "../core/format";
import { sentenceTokens } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import type { LineProps } from "./line";
import type { Line } from "./model/lines";
import { purpose, timesText } from "./model/words";
import { Arrows } from "./parts";
import { cell, rowProps } from "./roles";

export function CollectiveLine(props: LineProps & { line: Line & { kind: "collective" } }) {
  const { model, line } = props;
  const row = model.row(line.row);
  const op = model.collective(line.collective);
  if (!row || !op) return null;
  const axes = op.axes.map((name) => model.mesh.axisOf(name));
  const axis = axes[0] ?? null;
  const times = timesText(op);
  return (
    <div {...rowProps(props, `collective ${axis === null ? "" : `axis${axis % AXIS_DASH.length}`}`)}>
      <div {...cell("source")}>
        <span class="number" />
        <span class="what">
          <Arrows semantics={op.semantics} axis={axis} /> <b class="mono">{op.kind}</b>{" "}
          {axes.map((a) => (
            <Chip name={model.mesh.axes[a]?.name ?? ""} axis={a} key={a}>
              {model.mesh.axes[a]?.size}
            </Chip>
          ))}
          {op.irregular && <span class="soft">irregular groups</span>}
        </span>
      </div>
      <div {...cell("explicit")}>
        <span class="mono">{op.shapes.join(", ")}</span>
        <span title={op.arithmetic}>
          {" "}
          · <b class="mono">{bytes(op.bytes_per_device)}</b>/device {times}
        </span>
      </div>
      <div {...cell("auto soft")}>{op.by_user ? "your own" : "inserted by the compiler"}</div>
      <div {...cell("concrete soft")}>
        <Tokens tokens={sentenceTokens(purpose(row, op), model.mesh)} />
      </div>
    </div>
  );
}
