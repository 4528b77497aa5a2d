/** The second line of a head: the answer in one sentence, what belongs to it, and the way through what is to be looked at. */
import type { ComponentChildren } from "preact";

interface Props {
  /** Without a full stop; one line where it has room. */
  children: ComponentChildren;
  /** Said beside it, lighter; it goes first where there is no room. */
  also?: ComponentChildren;
  /** What there is to look at one after another; null where there is at most one. */
  walk?: Walk | null | undefined;
}

interface Walk {
  /** Index of the one that is looked at; -1: none yet. */
  at: number;
  of: number;
  go: (by: 1 | -1) => void;
}

export function Says({ children, also, walk }: Props) {
  return (
    <div class="says">
      <p role="status">
        <b>{children}</b>
        {also && [" ", <span class="soft">{also}</span>]}
      </p>
      {walk && walk.of > 1 && (
        <span class="walk group">
          <button type="button" aria-label="the one before" disabled={walk.at <= 0} onClick={() => walk.go(-1)}>
            ◂
          </button>
          <span class="mono">{walk.at < 0 ? walk.of : `${walk.at + 1} of ${walk.of}`}</span>
          <button
            type="button"
            aria-label="the next one"
            title="next (n)"
            disabled={walk.at === walk.of - 1}
            onClick={() => walk.go(1)}
          >
            ▸
          </button>
        </span>
      )}
    </div>
  );
}
