/** The foot of a card, the same in all: legends, then keys; the menu that saves it comes to its end. */
import type { ComponentChildren } from "preact";

/** Keys with what they do, the most useful first. */
export type KeyWords = readonly (readonly [keys: string, does: string])[];

interface Props {
  /** As many are shown as have room. */
  keys?: KeyWords;
  children?: ComponentChildren;
}

export function Foot({ keys, children }: Props) {
  return (
    <footer>
      {children}
      {keys && (
        <span class="keys">
          {keys.map(([names, does]) => (
            <span key={names}>
              <Keys of={names} />
              {does}
            </span>
          ))}
        </span>
      )}
    </footer>
  );
}

export function Keys({ of }: { of: string }) {
  return <>{of.split(" ").map((name) => [<kbd key={name}>{name}</kbd>, " "])}</>;
}
