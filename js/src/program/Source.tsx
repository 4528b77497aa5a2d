/** The user's lines, each with the collectives that it causes: which of them communicate is seen at a glance. */

import { keepInView } from "../card/scroll";
import type { HloCollective, Source as Line } from "../core/document.gen";
import { count } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import type { Group } from "./model/groups";
import type { ProgramModel } from "./model/program";
import type { ProgramState } from "./state";

interface Props {
  state: ProgramState;
  model: ProgramModel;
  /** The collective on the mesh. */
  c: HloCollective | null;
  rows: readonly Group[];
}

export function Source({ state, model, c, rows }: Props) {
  const listing = c?.source && model.listing(c.source);
  if (!listing) return null;
  const current = new Set(linesOf(c).flatMap((s) => (s.file === listing.file ? [s.line] : [])));
  const caused = model.causedIn(listing);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
    <section class="code" aria-label={`source of ${state.name()}`} tabIndex={0}>
      <p class="soft small">{listing.file}</p>
      <ol class="mono">
        {listing.lines.map((text, i) => {
          const line = listing.first_line + i;
          const here = caused.get(line) ?? [];
          const first = rows.find((g) => here.includes(g.at))?.at ?? here[0];
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the table selects by keyboard
            <li
              class={`${current.has(line) ? "current" : ""} ${first === undefined ? "" : "causes"}`}
              ref={current.has(line) && c?.source?.line === line ? keepInView : null}
              onClick={first === undefined ? undefined : () => state.select(first)}
              key={line}
            >
              <span class="marks" title={here.length > 0 ? count(here.length, "collective") : undefined}>
                {marksOf(model, here).map(([key, axis, n]) => (
                  <span class={axis} key={key}>
                    {n}
                  </span>
                ))}
              </span>
              <span class="number">{line}</span>
              <code>{text}</code>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** How many collectives over each set of mesh axes: a mark of the first axis's colour and a number. */
function marksOf(model: ProgramModel, here: readonly number[]) {
  const counts = new Map<string, readonly [string, string, number]>();
  for (const at of here) {
    const axes = model.collectives[at]?.axes ?? [];
    const key = axes.join();
    const kind = axes[0] === undefined ? "" : `axis${model.mesh.axisOf(axes[0]) % AXIS_DASH.length}`;
    counts.set(key, [key, kind, (counts.get(key)?.[2] ?? 0) + 1]);
  }
  return [...counts.values()].slice(0, MOST);
}

/** Marks before a line; more would crowd it. */
const MOST = 2;

function linesOf(c: HloCollective): readonly Line[] {
  return c.source ? [c.source, ...c.also] : [];
}
