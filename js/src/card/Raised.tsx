/** An exception, in JAX's own words, across a card. */

interface Props {
  error: string;
  /** Who raised it. */
  by: string;
  said: string;
}

export function Raised({ error, by, said }: Props) {
  return (
    <div class="band error">
      <span class="sign" aria-hidden="true">
        !
      </span>
      <div>
        <p>
          <b class="mono">{error}</b> {by}
        </p>
        <pre>{said}</pre>
      </div>
    </div>
  );
}
