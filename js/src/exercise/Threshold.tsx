/** A threshold as a slider under the arrays that it cuts into chunks. */

import { hex, positionColor, type Scheme } from "../core/color";
import type { Field } from "../core/document.gen";
import { bytes } from "../core/format";
import { count } from "../core/text";
import { textWidth } from "../draw/measure";
import { startsOf } from "../reshard/model/public";
import { thresholdOf, thresholdsOf, thresholdText } from "./model/moving";

interface Props {
  field: Field;
  text: string;
  scheme: Scheme;
  fill: (text: string) => void;
}

/** The last steps of a path that have room: arrays of one layer begin alike. */
function ending(path: string, width: number): string {
  const steps = path.split("/");
  while (steps.length > 1 && textWidth(steps.join("/"), 12, true) > width - 6) steps.shift();
  return steps.join("/");
}

export function Threshold({ field, text, scheme, fill }: Props) {
  const { options, sizes } = field;
  const steps = thresholdsOf(sizes);
  const threshold = thresholdOf(text) ?? steps.at(-1) ?? 1;
  const at = Math.max(
    0,
    steps.findLastIndex((step) => step <= threshold),
  );
  const starts = startsOf([...sizes.keys()], sizes, threshold);
  const chunks = starts.slice(0, -1).map((start, k) => [...sizes.keys()].slice(start, starts[k + 1]));
  const most = Math.max(1, ...sizes);
  const widthOf = (i: number) => Math.round(26 + (90 * (sizes[i] ?? 0)) / most);
  return (
    <div class="threshold">
      <ol aria-label="chunks">
        {chunks.map((arrays, k) => (
          <li key={String(k)}>
            <span class="soft">
              chunk {k + 1}, {bytes(arrays.reduce((sum, i) => sum + (sizes[i] ?? 0), 0))}
            </span>
            <span class="blocks">
              {arrays.map((i) => (
                <span
                  class="task mono"
                  title={`${options[i]}, ${bytes(sizes[i] ?? 0)}`}
                  style={{
                    background: hex(positionColor(i, sizes.length, 0, 1, scheme)),
                    width: `${widthOf(i)}px`,
                  }}
                  key={String(i)}
                >
                  {ending(options[i] ?? "", widthOf(i))}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
      <label class="slider">
        threshold
        <input
          type="range"
          min={0}
          max={steps.length - 1}
          step={1}
          value={at}
          aria-valuetext={`${bytes(threshold)}: ${count(chunks.length, "chunk")}`}
          onInput={(event) => fill(thresholdText(steps[event.currentTarget.valueAsNumber] ?? threshold))}
        />
        <output class="mono">{bytes(threshold)}</output>
      </label>
    </div>
  );
}
