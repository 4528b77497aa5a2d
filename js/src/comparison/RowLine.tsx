/** A row: the user's line, the value three ways, and what differs. */
import type { ComponentChildren } from "preact";
import { Cell } from "../card/Cell";
import type { Compared, Row } from "../core/document.gen";
import { count } from "../core/text";
import { Details } from "./Details";
import { Gutter } from "./Gutter";
import type { LineProps } from "./line";
import { sourceOf, verdictOf } from "./model/cells";
import type { ComparisonModel } from "./model/comparison";
import type { Line } from "./model/lines";
import { INSPECTED, trailText } from "./model/words";
import { Placed } from "./parts";
import type { Pictures } from "./pictures";
import { cell, rowProps } from "./roles";

/** Values of a row that stand in the table, and one that is left over; more are in its details. */
const MOST = 4;

export function RowLine(props: LineProps & { line: Line & { kind: "row" } }) {
  const { model, pictures, line, selected, feeds } = props;
  const row = model.row(line.row);
  if (!row) return null;
  const values = row.values.length > MOST + 1 ? row.values.slice(0, MOST) : row.values;
  const more = row.values.length - values.length;
  const differs = row.values.some((v) => v.agreement === "differs");
  const several = row.values.length > 1 ? " several" : "";
  const same = row.values.every((v) => v.agreement === "same") && !row.error;
  const shared = { model, pictures, values, plain: row.values.length > 1 };
  return (
    <>
      <div
        {...rowProps(
          props,
          `row${several ? " many" : ""}${feeds ? " feeds" : ""}${line.row >= model.waiting ? " untrue" : ""}`,
          selected,
        )}
      >
        <Gutter way={props.way} ink={props.ink} />
        <SourceCell {...props} row={row} />
        <div {...cell(`explicit${row.error ? " stopped" : several}`)}>
          {row.error ? <Stopped name={row.error.error} /> : <Sides {...shared} which="explicit" />}
          {more > 0 && <span class="soft">{count(more, "more value")}</span>}
        </div>
        <div {...cell("auto mono soft")}>
          {values.map((v, i) => (
            <span class="value" title={v.auto} key={i}>
              {v.auto}
            </span>
          ))}
        </div>
        <div {...cell(`concrete${several}${differs || row.remark ? " differs" : ""}`)}>
          {!same && <Sides {...shared} which="concrete" />}
          {row.inspected && (
            <span class="soft inspected" title={INSPECTED}>
              as inspected
            </span>
          )}
          <span class="verdict">
            {verdictOf(model, row, line.row).map((said, i) => (
              <span key={i}>
                <Cell of={[said]} />
              </span>
            ))}
          </span>
        </div>
      </div>
      {selected && <Details {...props} row={row} index={line.row} level={line.depth + 2} />}
    </>
  );
}

/** Code that breaks after a bracket, a comma or an operator rather than inside a name. */
function breakable(code: string): ComponentChildren {
  return code.split(/(?<=[(,=@+*/])/).map((part, i) => [i > 0 && <wbr />, part]);
}

function SourceCell({
  state,
  model,
  row,
  line,
  news,
  selected,
}: LineProps & { row: Row; line: Line & { kind: "row" } }) {
  const { members, head } = line;
  const apart = state.now.apart.has(head);
  const trail = trailText(model, line.trail);
  const { number, text, primitive } = sourceOf(row, line);
  return (
    <div {...cell("source")}>
      <span class="number mono">{number}</span>
      <span class="what">
        {text && (
          <code class="mono" title={text}>
            {selected ? breakable(text) : text}
          </code>
        )}
        {primitive && (
          <span class={text ? "soft" : "soft mono"}>
            {news && (
              <b class="news" title="the fix changed it">
                ~{" "}
              </b>
            )}
            {primitive}
          </span>
        )}
        {(members.length > 1 || (apart && line.row === head)) && (
          <button type="button" class="ops" aria-expanded={apart} tabIndex={-1} onClick={() => state.part(head)}>
            {apart ? "▾ one line" : `▸ ${members.length} operations`}
          </button>
        )}
        {row.decision && (
          <span class="decision" title="a decision about sharding that the program makes itself">
            {row.decision === row.primitive ? "yours" : `yours: ${row.decision}`}
          </span>
        )}
        {trail && <span class="soft trail">{trail}</span>}
      </span>
    </div>
  );
}

function Sides({
  model,
  pictures,
  values,
  which,
  plain,
}: {
  model: ComparisonModel;
  pictures: Pictures;
  values: readonly Compared[];
  which: "explicit" | "concrete";
  plain: boolean;
}) {
  return (
    <>
      {values.map((value, i) => {
        const layout = value[which];
        return (
          <span class="value" data-value={i} key={i}>
            {layout ? (
              <Placed
                model={model}
                pictures={pictures}
                value={value}
                layout={layout}
                which={which}
                named={plain && which === "explicit"}
                plain={plain}
              />
            ) : (
              <span class="soft" title="not known">
                –
              </span>
            )}
          </span>
        );
      })}
    </>
  );
}

function Stopped({ name }: { name: string }) {
  return (
    <span class="error mono">
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        <circle cx="10" cy="10" r="9" fill="currentColor" />
        <path d="M10 4.5v7M10 14v2" stroke="var(--bg)" stroke-width="2.4" />
      </svg>
      {name}
    </span>
  );
}
