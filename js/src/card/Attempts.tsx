/** What Python compiles in other ways, one after another, and the button that asks for it. */
import type { ComponentChildren } from "preact";

/** How many were compiled; what was found, or why not. */
export interface Attempts<Found> {
  /** The number of the request. */
  n: number;
  done?: number;
  of?: number;
  found?: readonly Found[];
  trouble?: string;
}

/** Whether Python has still to answer the request of a number. */
export function isWaiting(last: Attempts<unknown> | null, n: number): boolean {
  return !(last?.n === n && (last.found !== undefined || last.trouble !== undefined));
}

interface Props {
  last: Attempts<unknown> | null;
  waiting: boolean;
  ask: () => void;
  children: ComponentChildren;
}

export function AskButton({ last, waiting, ask, children }: Props) {
  const step = last?.of === undefined ? "" : ` ${(last.done ?? 0) + 1} of ${last.of}`;
  return (
    <button type="button" disabled={waiting} onClick={ask}>
      {waiting ? `compiling${step} …` : children}
    </button>
  );
}
