/** What is alive at the step that is looked at: the largest first, each with its life on the chart's x. */
import { bytes, bytesColumn, type Format } from "../../core/format";
import { count } from "../../core/text";
import { axisToken } from "../../draw/marks";
import type { ProgramState } from "../state";
import type { Row } from "./model/memory";
import { cutText, namesOf, rowText } from "./model/words";
import type { MemoryPage, ShownMemory } from "./page";
import { inkColor, kindColor } from "./scene/chart";
import { xOf } from "./scene/layout";

const MORE = 200;

interface Props {
  state: ProgramState;
  page: MemoryPage;
  shown: ShownMemory;
}

export function Alive({ state, page, shown }: Props) {
  const { model, step, rows } = shown;
  const list = rows.slice(0, page.now.rows);
  const left = rows.slice(page.now.rows);
  const what = step === model.peak ? "alive at the peak" : `alive at instruction ${step + 1}`;
  const figure = bytesColumn(list.map((row) => row.bytes));
  const chosen = list.findIndex((r) => r.key === page.now.row);
  return (
    <>
      <p class="heading">
        <b>{what}</b> <span class="soft">the largest first, and when each is born and dies</span>
      </p>
      <div
        class="alive"
        role="listbox"
        tabIndex={0}
        aria-label={what}
        aria-activedescendant={chosen < 0 ? undefined : `alive-${chosen}`}
      >
        {list.map((row, k) => (
          <Line state={state} page={page} shown={shown} row={row} at={k} figure={figure} key={row.key} />
        ))}
      </div>
      {left.length > 0 && (
        <button type="button" class="more" onClick={() => page.set({ rows: page.now.rows + MORE })}>
          {bytes(left.reduce((n, r) => n + r.bytes, 0))} in {count(left.length, "smaller line")}: show more
        </button>
      )}
    </>
  );
}

interface LineProps extends Props {
  row: Row;
  at: number;
  figure: Format;
}

function Line({ state, page, shown, row, at, figure }: LineProps) {
  const { layout, lines } = shown;
  const { buffer, born, dies } = row;
  const { line } = page.now;
  const [name, below] = namesOf(buffer);
  const lit = line !== null && buffer.source?.line === lines[line]?.source.line && buffer.source !== null;
  const scheme = state.now.theme?.scheme ?? "light";
  const color = buffer.kind === "collective" ? inkColor(shown.model, buffer) : kindColor(buffer.kind, scheme);
  const from = xOf(layout, born) - layout.left;
  const width = Math.max(3, xOf(layout, dies + 1) - xOf(layout, born));
  const chosen = page.now.row === row.key;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list listens for keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list takes the focus
    <div
      role="option"
      id={`alive-${at}`}
      aria-selected={chosen}
      class={`row ${chosen ? "chosen" : ""} ${lit ? "lit" : ""}`}
      title={`${buffer.instruction || buffer.name}: instructions ${born + 1} to ${dies + 1}, ${cutText(buffer) || "axes not known"}`}
      onClick={() => page.choose(row.key)}
    >
      <span class="figure mono">{figure(row.bytes)}</span>
      <span class="what cut">
        <b class="mono">{name}</b> <span class="soft">{rowText(row)}</span>
      </span>
      <span class="where soft">{buffer.source ? `line ${buffer.source.line}` : ""}</span>
      <span class="type cut mono">
        {below}{" "}
        {buffer.axes?.length ? (
          <span aria-label={cutText(buffer)} role="img">
            {buffer.axes.map((name) => (
              <b style={{ color: `var(--${axisToken(shown.model.mesh.axisOf(name))})` }} key={name}>
                @{name}{" "}
              </b>
            ))}
          </span>
        ) : (
          <span class="soft">{cutText(buffer)}</span>
        )}
      </span>
      <span class="life" aria-hidden="true">
        <span
          style={{
            left: `${(100 * from) / layout.span}%`,
            width: `${(100 * width) / layout.span}%`,
            background: color.startsWith("#") ? color : `var(--${color})`,
          }}
        />
      </span>
      <span class="hidden">
        instructions {born + 1} to {dies + 1}
      </span>
    </div>
  );
}
