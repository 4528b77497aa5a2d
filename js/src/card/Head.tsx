/** The head of a card, the same in all: what is shown, its mesh axes, tabs, what it comes to. */
import type { ComponentChildren } from "preact";
import type { Badge } from "../core/text";
import { Chip, Pressed } from "./Chip";

interface Axis {
  name: string;
  size: number;
}

interface Props {
  /** What stands before the title, lighter. */
  name?: string;
  title: ComponentChildren;
  axes?: readonly Axis[] | undefined;
  /** A mesh axis that does more than say its name and size. */
  chip?: (axis: number) => ComponentChildren;
  badges?: readonly Badge[];
  /** Where a badge goes that goes somewhere; and where the card is, of those that can be left again. */
  go?: ((to: string) => void) | undefined;
  at?: string | readonly string[] | undefined;
  /** The second line: what the card has to say first, see `Says`. */
  says?: ComponentChildren;
  /** What the card is about beside its mesh; tabs. */
  children?: ComponentChildren;
}

export function Head({ name, title, axes = [], chip, badges = [], go, at, says, children }: Props) {
  return (
    <header>
      <h2 class="mono">
        {name && <span class="soft">{name} </span>}
        {title}
      </h2>
      {axes.length > 0 && (
        <span class="chips">
          {axes.map((a, axis) => chip?.(axis) || <Chip name={a.name} axis={axis} children={a.size} key={a.name} />)}
        </span>
      )}
      {children}
      <Badges of={badges} go={go} at={at} />
      {says}
    </header>
  );
}

/** What something comes to: figures, each with what it is of; a button where there is more of it to see, else plain words. */
export function Badges({ of, go, at }: Pick<Props, "go" | "at"> & { of: readonly Badge[] }) {
  return (
    of.length > 0 && (
      <ul class="badges">
        {of.map(({ strong, text, tone, title, to }) => (
          <li key={text}>
            <Pressed
              class={`badge ${tone}`}
              title={title}
              aria-pressed={(to && at?.includes(to)) as boolean | undefined}
              onClick={go && to ? () => go(to) : undefined}
            >
              <b>{strong}</b> {text}
            </Pressed>
          </li>
        ))}
      </ul>
    )
  );
}
