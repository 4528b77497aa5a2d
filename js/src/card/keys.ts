/** Keys of a whole card. */

/** What a key does; undefined for a key that is not handled here. */
export type Act = (() => void) | undefined;

/**
 * Listens on the frame; returns a function that stops listening. `act` is called for every key except those that the
 * focused element keeps for itself; in a search field it is called for ArrowDown, Enter and Escape.
 */
export function cardKeys(frame: HTMLElement, act: (key: string, target: Element) => Act): () => void {
  const listen = (event: KeyboardEvent) => {
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (keeps(target)?.test(event.key)) return;
    const does = act(event.key, target);
    if (!does) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  };
  frame.addEventListener("keydown", listen);
  return () => frame.removeEventListener("keydown", listen);
}

/** What the keys of a list do: its cursor is on a line. */
export function lineKeys(state: { line(): number; move(to: number): void }): Readonly<Record<string, () => void>> {
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

export function isSearch(target: Element): boolean {
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
