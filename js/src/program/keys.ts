/** Keys of the whole card, as its help lists them. */
import { cardKeys, isSearch } from "../card/keys";
import type { ProgramState } from "./state";

export const KEYS: readonly (readonly [string, string])[] = [
  ["↑ ↓", "rows of the table, or devices"],
  ["Enter", "shows the row's collective"],
  ["Space", "plays it"],
  [", .", "previous, next round"],
  ["a", "next algorithm"],
  ["p", "mesh or physical"],
  ["/", "search"],
  ["g", "go to the devices"],
  ["m", "memory"],
];

export const MEMORY_KEYS: readonly (readonly [string, string])[] = [
  ["← →", "previous, next instruction"],
  ["[ ]", "previous, next loop"],
  ["↑ ↓", "buffers"],
  ["p", "go to the peak"],
  ["drag", "to the peak of a range"],
  ["c", "collectives"],
];

/** Listens on the frame; returns a function that stops listening. */
export function programKeys(state: ProgramState, frame: HTMLElement): () => void {
  const find = (selector: string) => frame.shadowRoot?.querySelector<HTMLElement>(selector);
  return cardKeys(frame, (key, target) => {
    if (state.now.page === "memory") return memory(state, find, key, target);
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
    m: () => state.turnTo("memory"),
  };
  return act[key];
}

/** Keys of the memory page: on the list arrows choose buffers, elsewhere they move over the schedule. */
function memory(state: ProgramState, find: Find, key: string, target: Element): (() => void) | undefined {
  const page = state.memory;
  const list = target.matches(".alive");
  const act: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => page.move(-1),
    ArrowRight: () => page.move(1),
    PageUp: () => page.move(-50),
    PageDown: () => page.move(50),
    ArrowUp: () => page.step(-1),
    ArrowDown: () => page.step(1),
    Home: () => (list ? page.step(Number.NEGATIVE_INFINITY) : page.move(Number.NEGATIVE_INFINITY)),
    End: () => (list ? page.step(Number.POSITIVE_INFINITY) : page.move(Number.POSITIVE_INFINITY)),
    "[": () => page.loop(-1),
    "]": () => page.loop(1),
    p: () => page.release(),
    Escape: () => page.release(),
    g: () => find(".alive")?.focus(),
    c: () => state.turnTo("collectives"),
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
