/** The head of a card, the same in all: what is shown, its mesh axes, tabs, what it comes to. */
import type { ComponentChildren } from "preact";
import type { Badge } from "../core/text";
import { Chip } from "./Chip";

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
  /** What the card is about beside its mesh; tabs. */
  children?: ComponentChildren;
}

export function Head({ name, title, axes = [], chip, badges = [], children }: Props) {
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
      <Badges of={badges} />
    </header>
  );
}

/** What something comes to: figures, each with what it is of. */
export function Badges({ of }: { of: readonly Badge[] }) {
  return (
    of.length > 0 && (
      <ul class="badges">
        {of.map(({ strong, text, tone, title }) => (
          <li class={`badge ${tone}`} title={title} key={text}>
            <b>{strong}</b> {text}
          </li>
        ))}
      </ul>
    )
  );
}
