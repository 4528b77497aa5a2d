/** What a row holds beyond its cells: every value, what a device holds of it, where it is written. */

import { Tokens } from "../card/Tokens";
import type { Compared, Row } from "../core/document.gen";
import { bytes } from "../core/format";
import { sentenceTokens } from "../core/text";
import { Gutter } from "./Gutter";
import type { LineProps } from "./line";
import type { ComparisonModel } from "./model/comparison";
import { below } from "./model/gutter";
import { trailText } from "./model/words";
import { Placed } from "./parts";
import type { Pictures } from "./pictures";
import { ACROSS, details } from "./roles";
import { WhyPanel } from "./WhyPanel";

interface Props extends LineProps {
  row: Row;
  index: number;
  level: number;
}

export function Details({ state, model, pictures, row, index, level, way, ink }: Props) {
  const { source, library } = row;
  const where = [
    source ? `${source.file}:${source.line} in ${source.function}` : "",
    trailText(model, model.trail(index)),
    source && row.inputs.length > 0 ? `from ${row.inputs.join(", ")}` : "",
  ].filter((s) => s !== "");
  return (
    <div {...details(level)}>
      <Gutter way={below(way)} ink={ink} />
      <div {...ACROSS}>
        <WhyPanel state={state} model={model} row={index} />
        {source?.text && (
          <p>
            <code class="mono">{source.text}</code>
          </p>
        )}
        {library && (
          <p>
            <span class="soft">which runs </span>
            <code class="mono">{library.text}</code>
            <span class="soft">{` ${library.file}:${library.line} in ${library.function}`}</span>
          </p>
        )}
        {where.length > 0 && <p class="soft">{where.join(" · ")}</p>}
        {row.values.map((value, i) => (
          <ValueDetails model={model} pictures={pictures} value={value} at={i} key={i} />
        ))}
      </div>
    </div>
  );
}

function ValueDetails({
  model,
  pictures,
  value,
  at,
}: {
  model: ComparisonModel;
  pictures: Pictures;
  value: Compared;
  at: number;
}) {
  const sides = [
    ["explicit type", value.explicit],
    ["compiled", value.concrete],
  ] as const;
  return (
    <dl class="facts" data-value={at}>
      {value.name && (
        <>
          <dt class="mono">{value.name}</dt>
          <dd class="mono">{value.auto}</dd>
        </>
      )}
      {sides.map(([title, layout]) => {
        const placement = layout && model.placement(value, layout);
        return (
          layout && (
            <>
              <dt>{title}</dt>
              <dd>
                <Placed
                  model={model}
                  pictures={pictures}
                  value={value}
                  layout={layout}
                  which={title === "compiled" ? "concrete" : "explicit"}
                />
                {placement && (
                  <span class="soft">
                    {bytes(placement.bytesPerDevice)} of {bytes(placement.bytes)} on each device
                  </span>
                )}
              </dd>
            </>
          )
        );
      })}
      {value.note && (
        <>
          <dt>why</dt>
          <dd>
            <span>
              <Tokens tokens={sentenceTokens(value.note, model.mesh)} />
            </span>
          </dd>
        </>
      )}
    </dl>
  );
}
