/** Space, pressed beside steppers: in a notebook's command mode, or where nothing of a page has the focus. */

interface Played {
  readonly frame: HTMLElement;
  toggle(): void;
}

/** The steppers of the page, in the order in which they came. */
const cards: Played[] = [];

/** Plays or pauses a stepper when Space is pressed beside it; returns a function that ends this. */
export function spaceBeside(card: Played): () => void {
  if (cards.length === 0) addEventListener("keydown", listen, true);
  cards.push(card);
  return () => {
    cards.splice(cards.indexOf(card), 1);
    if (cards.length === 0) removeEventListener("keydown", listen, true);
  };
}

/** Goes to the last stepper in view: of the cell that has the focus, else of its notebook, else of the page. */
function listen(event: KeyboardEvent): void {
  const focused = event.composedPath()[0] as Element;
  if (event.key !== " " || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const last = (place: Element | null) => cards.findLast(({ frame }) => stands(frame, place));
  const card = last(focused) ?? (focused.matches?.(".jp-Cell") ? last(focused.closest(".jp-Notebook")) : null);
  if (!card) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat) card.toggle();
}

/** Whether the middle of a card is seen, and stands there: the body of a page has cards in shadow roots, too. */
function stands(frame: HTMLElement, place: Element | null): boolean {
  const { x, y, width, height } = frame.getBoundingClientRect();
  const root = frame.getRootNode() as ShadowRoot;
  const there = place === document.body || place?.contains(frame);
  return there === true && root.elementFromPoint(x + width / 2, y + height / 2) === frame;
}
