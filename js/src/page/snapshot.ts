/** A card as it stands, as a PNG, without Python: its elements in an SVG, which the browser draws. */

/** Pixels of the picture to one of the page. */
const SCALE = 2;

/**
 * Draws the card of a shadow root.
 *
 * @throws Error if the browser does not let a page read such a picture.
 */
export async function snapshot(root: ShadowRoot): Promise<Blob> {
  const card = root.querySelector<HTMLElement>(".card");
  if (!card) throw new Error("there is no card to draw");
  const { width, height } = card.getBoundingClientRect();
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(asSvg(root, card, width, height))}`;
  await picture.decode();
  const canvas = new OffscreenCanvas(Math.ceil(width * SCALE), Math.ceil(height * SCALE));
  const ctx = canvas.getContext("2d");
  ctx?.scale(SCALE, SCALE);
  ctx?.drawImage(picture, 0, 0, width, height);
  return canvas.convertToBlob();
}

function asSvg(root: ShadowRoot, card: HTMLElement, width: number, height: number): string {
  const copy = card.cloneNode(true) as HTMLElement;
  // The menu keeps its room, as the picture is as high as the card.
  for (const menu of copy.querySelectorAll<HTMLElement>(".save")) menu.style.visibility = "hidden";
  // What elements hold beside their attributes does not come along with a copy.
  pairs(card, copy, "canvas", (canvas, to) => {
    const image = document.createElement("img");
    image.className = to.className;
    image.style.cssText = to.style.cssText;
    image.src = canvas.toDataURL();
    to.replaceWith(image);
  });
  pairs(card, copy, "input", (input, to) => {
    to.setAttribute("value", input.value);
    to.toggleAttribute("checked", input.checked);
  });
  pairs(card, copy, "textarea", (area, to) => {
    to.textContent = area.value;
  });
  pairs(card, copy, "option", (option, to) => {
    to.toggleAttribute("selected", option.selected);
  });
  const style = document.createElement("style");
  style.textContent = root.adoptedStyleSheets.flatMap((sheet) => [...sheet.cssRules].map((r) => r.cssText)).join("");
  const page = document.createElement("div");
  page.append(style, copy);
  const html = new XMLSerializer().serializeToString(page);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width * SCALE}" height="${height * SCALE}" viewBox="0 0 ${width} ${height}"><foreignObject width="100%" height="100%">${html}</foreignObject></svg>`;
}

/** Does something with every element of a kind and its copy. */
function pairs<Tag extends keyof HTMLElementTagNameMap>(
  from: HTMLElement,
  to: HTMLElement,
  tag: Tag,
  each: (element: HTMLElementTagNameMap[Tag], copy: HTMLElementTagNameMap[Tag]) => void,
): void {
  const copies = [...to.querySelectorAll(tag)];
  [...from.querySelectorAll(tag)].forEach((element, i) => {
    const copy = copies[i];
    if (copy) each(element, copy);
  });
}
