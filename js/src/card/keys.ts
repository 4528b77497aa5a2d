/** Keys of a whole card. */

/** What keys do; other keys are not handled. */
export type Acts = Readonly<Record<string, () => void>>;

/** Finds an element of the card. */
export type Find = (selector: string) => HTMLElement | null | undefined;

/**
 * Listens on a card's frame; returns a function that stops listening. `acts` is asked for every key except those that
 * the focused element keeps for itself; in a search field for ArrowDown, Enter and Escape alone. A card that is open in
 * this one has keys of its own.
 */
export const cardKeys =
  <State>(acts: (state: State, target: Element, find: Find, key: string) => Acts) =>
  (state: State, frame: HTMLElement): (() => void) => {
    const find: Find = (selector) => frame.shadowRoot?.querySelector<HTMLElement>(selector);
    const listen = (event: KeyboardEvent) => {
      const target = event.composedPath()[0];
      if (!(target instanceof Element) || event.ctrlKey || event.metaKey || event.altKey) return;
      const elsewhere = target !== frame && target.getRootNode() !== frame.shadowRoot;
      if (elsewhere || keeps(target)?.test(event.key)) return;
      const does = acts(state, target, find, event.key)[event.key];
      if (!does) return;
      event.preventDefault();
      event.stopPropagation();
      does();
    };
    frame.addEventListener("keydown", listen);
    return () => frame.removeEventListener("keydown", listen);
  };

/** What the keys of a list do: its cursor is on a line. */
export function lineKeys(state: { line(): number; move(to: number): void }): Acts {
  const line = state.line();
  return {
    ArrowDown: () => state.move(line + 1),
    ArrowUp: () => state.move(line - 1),
    PageDown: () => state.move(line + 10),
    PageUp: () => state.move(line - 10),
    Home: () => state.move(0),
    End: () => state.move(Number.MAX_SAFE_INTEGER),
  };
}

/** What keys do in a search: they empty it, or go to the list that it filters. None if the target is not one. */
export function searchKeys(
  target: Element,
  state: { list(change: { search: string }): void },
  list: () => HTMLElement | null | undefined,
): Acts | null {
  const go = () => list()?.focus();
  return isSearch(target) ? { Escape: () => state.list({ search: "" }), Enter: go, ArrowDown: go } : null;
}

function isSearch(target: Element): boolean {
  return target instanceof HTMLInputElement && target.type === "search";
}

/** Keys that an element keeps. */
function keeps(target: Element): RegExp | undefined {
  if (isSearch(target)) return /^(?!ArrowDown$|Enter$|Escape$)/;
  if (target instanceof HTMLInputElement && target.type !== "range" && target.type !== "checkbox") return /^/;
  return KEEPS[target.tagName];
}

const KEEPS: Readonly<Record<string, RegExp>> = {
  BUTTON: /^( |Enter)$/,
  SUMMARY: /^( |Enter)$/,
  INPUT: /^( |Home|End|Arrow.*|Page.*)$/,
  SELECT: /^([^,.[\]?/]|Home|End|Enter|Arrow.*)$/,
};
