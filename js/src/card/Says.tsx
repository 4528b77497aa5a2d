/** The second line of a head: the answer in one sentence, what belongs to it, and the way through what is to be looked at. */
import type { ComponentChildren, VNode } from "preact";

interface Props {
  /** Without a full stop; one line where it has room. */
  children: ComponentChildren;
  /** Said beside it, lighter; it goes first where there is no room. */
  also?: ComponentChildren;
  /** A `Walk`. */
  walk?: VNode | null;
}

export function Says({ children, also, walk }: Props) {
  return (
    <div class="says">
      <p role="status">
        <b>{children}</b>
        {also && [" ", <span class="soft">{also}</span>]}
      </p>
      {walk}
    </div>
  );
}
