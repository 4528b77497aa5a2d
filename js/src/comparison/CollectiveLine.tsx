/** A collective of the compiled program, where it does its work between the rows. */
import { Cell } from "../card/Cell";
import { AXIS_DASH } from "../draw/marks";
import { Gutter } from "./Gutter";
import type { LineProps } from "./line";
import { collectiveCells } from "./model/cells";
import type { Line } from "./model/lines";
import { Arrows } from "./parts";
import { cell, rowProps } from "./roles";

export function CollectiveLine(props: LineProps & { line: Line & { kind: "collective" } }) {
  const { model, line } = props;
  const row = model.row(line.row);
  const cells = row && collectiveCells(model, row, line.collective);
  if (!cells) return null;
  const { axis, semantics } = cells;
  return (
    <div {...rowProps(props, `collective ${axis === null ? "" : `axis${axis % AXIS_DASH.length}`}`)}>
      <Gutter way={props.way} ink={props.ink} />
      <div {...cell("source")}>
        <span class="number" />
        <span class="what">
          <Arrows semantics={semantics} axis={axis} /> <Cell of={cells.source} />
        </span>
      </div>
      {(["explicit", "auto", "concrete"] as const).map((key) => (
        <div {...cell(key)} key={key}>
          <Cell of={cells[key]} />
        </div>
      ))}
    </div>
  );
}
