/** The foot of a card, the same in all: legends and choices, then keys; the menu that saves it comes to its end. */
import type { ComponentChildren } from "preact";

interface Props {
  /** Keys with what they do, the most useful first: as many are shown as have room. */
  keys?: readonly (readonly [keys: string, does: string])[];
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
              {names.split(" ").map((name) => [<kbd key={name}>{name}</kbd>, " "])}
              {does}
            </span>
          ))}
        </span>
      )}
    </footer>
  );
}
