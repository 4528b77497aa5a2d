/** What the signs of a picture mean. */
import type { ComponentChildren, JSX } from "preact";

/** A sign by its class, and what it means. */
type Sign = readonly [sign: string, means: ComponentChildren, style?: JSX.CSSProperties | undefined];

/** Signs that do not occur are left out. */
export function Legend({ of, label = "picture" }: { of: readonly (Sign | false)[]; label?: string }) {
  return (
    <ul class="legend" aria-label={label}>
      {of.map(
        (one) =>
          one && (
            <li key={one[0]}>
              <i class={one[0]} style={one[2]} aria-hidden="true" /> {one[1]}
            </li>
          ),
      )}
    </ul>
  );
}
