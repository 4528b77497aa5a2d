/** The foot of the card: what joins devices, keys. */
import { Foot } from "../card/Foot";
import { Tokens } from "../card/Tokens";
import type { ArrayState } from "./state";

const KEYS = [
  ["← ↑ ↓ →", "move"],
  ["Enter", "pin"],
  ["g", "go to device"],
] as const;

export function ArrayFoot({ state }: { state: ArrayState }) {
  return (
    <Foot keys={KEYS}>
      <Key state={state} />
    </Foot>
  );
}

/** What joins devices in the picture. */
export function Key({ state }: { state: ArrayState }) {
  const key = state.summary()?.key ?? [];
  return (
    key.length > 0 && (
      <span class="key">
        <i class="pip" aria-hidden="true">
          =
        </i>{" "}
        <Tokens tokens={key} />
      </span>
    )
  );
}
