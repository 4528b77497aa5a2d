/** Keys of the whole card, as its help lists them. */
import { cardKeys, isSearch } from "../card/keys";
import type { ProgramState } from "./state";

export const KEYS: readonly (readonly [string, string])[] = [
  ["↑ ↓", "the table's lines, or devices"],
  ["Enter", "shows the line's collective"],
  ["Space", "plays it"],
  [", .", "the round before, the next one"],
  ["a", "the next algorithm"],
  ["p", "mesh or physical"],
  ["/", "search"],
  ["g", "to the devices"],
];

/** Listens on the frame; returns what ends it. */
export function programKeys(state: ProgramState, frame: HTMLElement): () => void {
  const find = (selector: string) => frame.shadowRoot?.querySelector<HTMLElement>(selector);
  return cardKeys(frame, (key, target) => {
    if (isSearch(target)) return key === "Escape" ? () => state.list({ search: "" }) : () => find(".table")?.focus();
    return (target.matches(".table") ? walk(state, key) : undefined) ?? whole(state, find, key);
  });
}

type Find = (selector: string) => HTMLElement | null | undefined;

function whole(state: ProgramState, find: Find, key: string): (() => void) | undefined {
  const act: Readonly<Record<string, () => void>> = {
    " ": () => state.toggle(),
    ",": () => state.hop(-1),
    ".": () => state.hop(1),
    a: () => state.nextAlgorithm(),
    p: () => state.set({ physical: !state.now.physical && state.model()?.box() !== null }),
    "/": () => find("input[type=search]")?.focus(),
    g: () => find("[role=listbox]")?.focus(),
  };
  return act[key];
}

/** What a key does in the table. */
function walk(state: ProgramState, key: string): (() => void) | undefined {
  const { cursor, limit } = state.now;
  const rows = state.shown()?.rows ?? [];
  const act: Readonly<Record<string, () => void>> = {
    ArrowDown: () => state.move(cursor + 1),
    ArrowUp: () => state.move(cursor - 1),
    PageDown: () => state.move(cursor + 10),
    PageUp: () => state.move(cursor - 10),
    Home: () => state.move(0),
    End: () => state.move(Math.min(rows.length, limit) - 1),
    Enter: () => state.select(rows[cursor]?.at ?? null),
    Escape: () => state.select(null),
  };
  return act[key];
}
