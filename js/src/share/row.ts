/** Keeps an element in a card's row of controls, whatever the card draws: the card's own tree knows nothing of it. */

/** Where it stands: in the first of these that there is, at its end. */
const PLACES = [
  ".bill",
  ".tools",
  "footer",
  ".band.code",
  ".transport",
  ".totals",
  ".basis",
  "header",
  "caption",
] as const;

/** Puts the element into the card; returns what takes it out again. */
export function keepInRow(root: ShadowRoot, element: HTMLElement): () => void {
  const place = () => {
    const row = PLACES.map((selector) => root.querySelector(selector)).find((found) => found !== null);
    if (row && element.parentElement !== row) row.append(element);
  };
  // The card may redraw the row that this is in.
  const watch = new MutationObserver(place);
  watch.observe(root, { childList: true, subtree: true });
  place();
  return () => {
    watch.disconnect();
    element.remove();
  };
}

/** Adds a style sheet to a card. */
export function adopt(root: ShadowRoot, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

/** Hands bytes over as a file among the browser's downloads. */
export function download(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
