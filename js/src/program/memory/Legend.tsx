/** The kinds of bytes with their sums at the step that is looked at. */
import { bytes, bytesColumn } from "../../core/format";
import type { ProgramState } from "../state";
import { legendOf } from "./model/words";
import type { ShownMemory } from "./page";
import { kindColor } from "./scene/chart";

interface Props {
  state: ProgramState;
  shown: ShownMemory;
}

export function Legend({ state, shown: { model, step } }: Props) {
  const { theme } = state.now;
  const { donated } = model;
  const color = (kind: Parameters<typeof kindColor>[0]) => {
    const found = kindColor(kind, theme?.scheme ?? "light");
    return found.startsWith("#") ? found : `var(--${found})`;
  };
  const kinds = legendOf(model, step);
  const figure = bytesColumn([...kinds.map((k) => k.bytes), model.total[step] ?? 0]);
  return (
    <div class="legend">
      <dl>
        {kinds.map(({ kind, name, bytes: n }) => (
          <div key={kind}>
            <dt>
              <span class={`swatch ${kind}`} style={{ background: kind === "collective" ? undefined : color(kind) }} />
              {name}
            </dt>
            <dd class="mono">{figure(n)}</dd>
          </div>
        ))}
        <div class="sum">
          <dt>{step === model.peak ? "at the peak" : `at instruction ${step + 1}`}</dt>
          <dd class="mono">{figure(model.total[step] ?? 0)}</dd>
        </div>
      </dl>
      {donated > 0 && <p class="soft small">{bytes(donated)} of the arguments are donated</p>}
    </div>
  );
}
