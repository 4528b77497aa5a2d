/** The tasks of a rank as blocks in their colours, put in order by pointer or by keys: the space bar picks one up. */
import { Component } from "preact";
import type { Scheme } from "../core/color";
import { colorOf, paletteOf } from "../pipeline/scene/public";
import { movedTo, type Task, taskOf } from "./model/moving";

interface Props {
  label: string;
  order: readonly string[];
  scheme: Scheme;
  fill: (order: readonly string[]) => void;
}

interface Cursor {
  /** The block that keys act on, and the one that is picked up. */
  at: number;
  picked: boolean;
}

export class TaskOrder extends Component<Props, Cursor> {
  override state: Cursor = { at: 0, picked: false };

  override render({ label, order, scheme }: Props, { at, picked }: Cursor) {
    const now = Math.min(at, order.length - 1);
    return (
      <div
        class="order"
        role="listbox"
        tabIndex={0}
        aria-label={`${label}, in order; the space bar picks one up, arrows move it`}
        aria-activedescendant={`task-${now}`}
        onKeyDown={(event) => this.#press(event)}
        onPointerDown={(event) => this.#grab(event)}
        onPointerMove={(event) => this.#drag(event)}
        onPointerUp={() => this.setState({ picked: false })}
        onPointerCancel={() => this.setState({ picked: false })}
      >
        {order.map((text, i) => (
          <div
            id={`task-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === now && picked}
            aria-label={`${text}, place ${i + 1} of ${order.length}${i === now && picked ? ", picked up" : ""}`}
            class={i === now ? "task mono here" : "task mono"}
            data-place={i}
            style={lookOf(taskOf(text), order, scheme)}
            key={text}
          >
            {text}
          </div>
        ))}
      </div>
    );
  }

  #press(event: KeyboardEvent): void {
    const { order } = this.props;
    const { at, picked } = this.state;
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -at, End: order.length - 1 - at }[
      event.key
    ];
    if (by !== undefined) {
      const to = Math.max(0, Math.min(order.length - 1, at + by));
      if (picked) this.#move(at, to);
      else this.setState({ at: to });
    } else if (event.key === " ") this.setState({ picked: !picked });
    else if (event.key === "Escape") this.setState({ picked: false });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #move(from: number, to: number): void {
    if (from !== to) this.props.fill(movedTo(this.props.order, from, to));
    this.setState({ at: to });
  }

  #grab(event: PointerEvent): void {
    const at = placeUnder(event);
    if (at === null || event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.setState({ at, picked: true });
  }

  #drag(event: PointerEvent): void {
    const to = this.state.picked && event.buttons > 0 ? placeUnder(event) : null;
    if (to !== null && to !== this.state.at) this.#move(this.state.at, to);
  }
}

/** The place of the block under the pointer. */
function placeUnder({ currentTarget, clientX, clientY }: PointerEvent): number | null {
  const blocks = [...(currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[data-place]")];
  const found = blocks.findIndex((block) => {
    const { left, right, top, bottom } = block.getBoundingClientRect();
    return clientX >= left && clientX < right && clientY >= top && clientY < bottom;
  });
  return found < 0 ? null : found;
}

/** The colour of its microbatch, and a width that says how long it takes. */
export function lookOf(task: Task | null, all: readonly string[], scheme: Scheme) {
  if (!task) return {};
  const microbatches = 1 + Math.max(0, ...all.map((text) => taskOf(text)?.microbatch ?? 0));
  const background = colorOf(paletteOf(microbatches, scheme), task.kind, task.microbatch);
  return { background, width: `${32 * task.long + 4 * (task.long - 1)}px` };
}
