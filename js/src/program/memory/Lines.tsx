/** The user's lines, and when the schedule works on each. */

import type { ProgramState } from "../state";
import type { MemoryPage, ShownMemory } from "./page";
import { LINE } from "./scene/lines";

interface Props {
  state: ProgramState;
  page: MemoryPage;
  shown: ShownMemory;
}

export function Lines({ state, page, shown }: Props) {
  const { model, lines, layout, step } = shown;
  const here = model.workAt(step)?.line.at;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: many lines are scrolled by keyboard
    <section class="bands" aria-label={`source lines over time, ${state.name()}`} tabIndex={0}>
      <div class="within" style={{ height: `${lines.length * LINE}px` }}>
        <div class="behind" ref={page.bands.attach} />
        <ol class="mono">
          {lines.map(({ source, at, forward, backward }) => (
            <li
              class={`${at === here ? "current" : ""} ${page.now.line === at ? "lit" : ""}`}
              title={`${source.file}:${source.line}  ${source.text}`}
              onPointerEnter={() => page.set({ line: at })}
              onPointerLeave={() => page.set({ line: null })}
              key={at}
            >
              <span class="number">{source.line}</span>
              <code class="cut" style={{ width: `${layout.left - 44}px` }}>
                {source.text}
              </code>
              <span class="hidden">
                {forward.length} instructions forward, {backward.length} back
              </span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
