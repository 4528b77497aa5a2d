/** Keys of the whole card, as its help lists them. */
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
  const listen = (event: KeyboardEvent) => {
    const target = event.composedPath()[0];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const table = target instanceof HTMLElement && target.matches(".table");
    if (target instanceof HTMLInputElement && target.type === "search") {
      if (event.key === "ArrowDown" || event.key === "Enter") find(".table")?.focus();
      else if (event.key === "Escape") state.list({ search: "" });
      else return;
    } else {
      const own = target instanceof HTMLElement ? OWN[target.tagName] : undefined;
      const act = own?.test(event.key) ? undefined : (table && walk(state, event.key)) || whole(state, find, event.key);
      if (!act) return;
      act();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  frame.addEventListener("keydown", listen);
  return () => frame.removeEventListener("keydown", listen);
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
    Enter: () => state.select(rows[cursor] ?? null),
    Escape: () => state.select(null),
  };
  return act[key];
}

/** Keys that an element keeps. */
const OWN: Readonly<Record<string, RegExp>> = {
  BUTTON: /^( |Enter)$/,
  SUMMARY: /^( |Enter)$/,
  INPUT: /^( |Home|End|Arrow.*|Page.*)$/,
  SELECT: /^([^,.[\]?/]|Home|End|Enter|Arrow.*)$/,
};
