/** The way through what there is to look at, one after another. */

interface Props {
  /** Index of the one that is looked at; -1: none yet. */
  at: number;
  /** How many there are. */
  of: number;
  go: (by: 1 | -1) => void;
}

/** Nothing where there is at most one. */
export function Walk({ at, of, go }: Props) {
  if (of < 2) return null;
  return (
    <span class="walk group">
      <button type="button" aria-label="the one before" disabled={at <= 0} onClick={() => go(-1)}>
        ◂
      </button>
      <span class="mono">{at < 0 ? of : `${at + 1} of ${of}`}</span>
      <button type="button" aria-label="the next one" title="next (n)" disabled={at === of - 1} onClick={() => go(1)}>
        ▸
      </button>
    </span>
  );
}
