/**
 * The tasks of all ranks as blocks on a time axis, moved by pointer or by keys: the space bar picks one up. The task at
 * which most activations are kept is marked with Enter, or a click.
 */
import { Component } from "preact";
import type { Scheme } from "../core/color";
import { colorOf, paletteOf } from "../pipeline/scene/public";
import { idleOf, keptAt, lengthOf, type Rows, type Starts, shifted } from "./model/timeline";

interface Props {
  label: string;
  rows: Rows;
  starts: Starts;
  scheme: Scheme;
  /** What was answered, where nothing was moved since. */
  answered: string;
  move: (starts: Starts) => void;
  mark: (kept: number) => void;
}

interface Place {
  rank: number;
  task: number;
}

interface Cursor extends Place {
  picked: boolean;
  marked: Place | null;
}

export class Timeline extends Component<Props, Cursor> {
  override state: Cursor = { rank: 0, task: 0, picked: false, marked: null };
  /** Where the pointer holds a block, in units from its start; and whether it has moved. */
  #grip = 0;
  #moved = false;

  override render({ label, rows, starts, scheme }: Props, { rank, task, picked, marked }: Cursor) {
    const length = lengthOf(rows);
    const microbatches = 1 + Math.max(0, ...rows.flat().map(({ microbatch }) => microbatch));
    const palette = paletteOf(microbatches, scheme);
    const part = (units: number) => `${(100 * units) / length}%`;
    return (
      <>
        <div
          class="timeline"
          role="listbox"
          tabIndex={0}
          aria-label={`${label}: tasks of ${rows.length} ranks over time; the space bar picks one up, arrows move it, Enter marks it`}
          aria-activedescendant={`at-${rank}-${task}`}
          style={{ "--units": length }}
          onKeyDown={(event) => this.#press(event)}
          onPointerDown={(event) => this.#grab(event)}
          onPointerMove={(event) => this.#drag(event)}
          onPointerUp={() => this.#drop()}
          onPointerCancel={() => this.setState({ picked: false })}
        >
          {rows.map((row, r) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
            <div class="lane" role="group" aria-label={`rank ${r}`} key={String(r)}>
              <span class="soft mono">{r}</span>
              <div class="axis">
                {row.map((one, k) => {
                  const here = r === rank && k === task;
                  const start = starts[r]?.[k] ?? 0;
                  return (
                    <div
                      id={`at-${r}-${k}`}
                      role="option"
                      tabIndex={-1}
                      aria-selected={here && picked}
                      aria-label={`${one.microbatch}: ${one.text} of rank ${r}, from ${start} to ${start + one.long}${here && picked ? ", picked up" : ""}`}
                      class={`task mono ${here ? "here" : ""} ${marked?.rank === r && marked.task === k ? "marked" : ""}`}
                      data-at={`${r} ${k}`}
                      style={{
                        left: part(start),
                        width: part(one.long),
                        background: colorOf(palette, one.kind, one.microbatch),
                      }}
                      key={one.text}
                    >
                      {one.microbatch}
                    </div>
                  );
                })}
              </div>
            </div>
          ))}
        </div>
        <output class="reading">{this.#reading()}</output>
      </>
    );
  }

  #reading(): string {
    const { rows, starts, answered } = this.props;
    const { marked } = this.state;
    const { idle, all } = idleOf(rows, starts);
    const first = answered || `idle ${idle} of ${all} units`;
    const one = marked && rows[marked.rank]?.[marked.task];
    if (!marked || !one)
      return `${first}. Move tasks to where they can start; mark one at which a rank keeps the most.`;
    return `${first}; marked ${one.text} of rank ${marked.rank}, ${keptAt(rows[marked.rank] ?? [], marked.task)} kept.`;
  }

  #press(event: KeyboardEvent): void {
    const { rows, starts } = this.props;
    const { rank, task, picked } = this.state;
    const last = (rows[rank]?.length ?? 1) - 1;
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const across = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (along && picked) this.#move((starts[rank]?.[task] ?? 0) + along);
    else if (along) this.setState({ task: Math.max(0, Math.min(last, task + along)) });
    else if (across && !picked) {
      const to = Math.max(0, Math.min(rows.length - 1, rank + across));
      this.setState({ rank: to, task: Math.min(task, (rows[to]?.length ?? 1) - 1) });
    } else if (event.key === " ") this.setState({ picked: !picked });
    else if (event.key === "Enter") this.#mark({ rank, task });
    else if (event.key === "Escape") this.setState({ picked: false });
    else if (!across) return;
    event.preventDefault();
    event.stopPropagation();
  }

  #move(to: number): void {
    const { rows, starts, move } = this.props;
    const { rank, task } = this.state;
    const next = shifted(rows, starts, rank, task, to);
    if (next[rank]?.some((start, k) => start !== starts[rank]?.[k])) move(next);
  }

  #mark(at: Place): void {
    this.setState({ marked: at });
    this.props.mark(keptAt(this.props.rows[at.rank] ?? [], at.task));
  }

  #grab(event: PointerEvent): void {
    const at = (event.composedPath()[0] as HTMLElement).closest<HTMLElement>("[data-at]")?.dataset.at;
    if (!at || event.button !== 0) return;
    const [rank = 0, task = 0] = at.split(" ").map(Number);
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.#grip = this.#timeAt(event) - (this.props.starts[rank]?.[task] ?? 0);
    this.#moved = false;
    this.setState({ rank, task, picked: true });
  }

  #drag(event: PointerEvent): void {
    const { picked, rank, task } = this.state;
    if (!picked || event.buttons === 0) return;
    const to = Math.round(this.#timeAt(event) - this.#grip);
    if (to === this.props.starts[rank]?.[task]) return;
    this.#moved = true;
    this.#move(to);
  }

  #drop(): void {
    const { picked, rank, task } = this.state;
    if (picked && !this.#moved) this.#mark({ rank, task });
    this.setState({ picked: false });
  }

  /** The time under the pointer. */
  #timeAt({ currentTarget, clientX }: PointerEvent): number {
    const axis = (currentTarget as HTMLElement).querySelector(".axis");
    const { left = 0, width = 1 } = axis?.getBoundingClientRect() ?? {};
    return ((clientX - left) / width) * lengthOf(this.props.rows);
  }
}
