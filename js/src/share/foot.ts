/** Keeps an element at the end of a card's foot, whatever the card draws: the card's own tree knows nothing of it. */

/** Puts the element into the card; returns what takes it out again. */
export function keepInFoot(root: ShadowRoot, element: HTMLElement): () => void {
  const place = () => {
    const foot = root.querySelector("footer");
    if (foot && element.parentElement !== foot) foot.append(element);
  };
  // The card may draw its foot anew.
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
