/** Every card on paper: no control is left, and what a menu has chosen is text. */
import { expect, test } from "vitest";
import { type Mounted, onPaper } from "./harness";
import { MORE, VIEWS } from "./views";

const seen = (part: Element) => part.checkVisibility({ visibilityProperty: true });

/** Controls that are no content: what moves, switches, filters or opens. */
function controls({ root }: Mounted): string[] {
  const gone =
    "input[type=range], input[type=search], input[type=number], footer, :is(.transport, .tools, .segments, .buttons, .player, .remedies) :is(button, input, select)";
  return [...root.querySelectorAll(gone)].filter(seen).map((part) => `${part.localName}.${part.className}`);
}

/** Menus that look like more than the words in them. */
function menus({ root }: Mounted): string[] {
  return [...root.querySelectorAll("select")].filter(seen).flatMap((menu) => {
    const { appearance, borderTopWidth, backgroundColor } = getComputedStyle(menu);
    const plain = appearance === "none" && borderTopWidth === "0px" && backgroundColor === "rgba(0, 0, 0, 0)";
    return plain ? [] : [`${menu.ariaLabel ?? menu.className}: ${appearance}, ${borderTopWidth}, ${backgroundColor}`];
  });
}

test.each(
  Object.entries({ ...VIEWS, ...Object.fromEntries(Object.entries(MORE).map(([k, v]) => [`second ${k}`, v])) }),
)("%s has no controls on paper", async (_, mount) => {
  await onPaper();
  const view = await mount(682);
  expect(controls(view)).toEqual([]);
  expect(menus(view)).toEqual([]);
});
