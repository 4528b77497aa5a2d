/** What is said of what is pointed at: over neither what it explains nor a legend or list, in whole lines, and the card is as high as before. */
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { overlap } from "../src/draw/beside";
import type { Box } from "../src/draw/marks";
import { frames, type Mounted, settle } from "./harness";
import { mount as mountStepper, loaded as stepperLoaded } from "./stepper/harness";
import { trace } from "./stepper/traces";
import { ARRAYS, type Mount, OTHERS } from "./views";

const boxOf = (part: Element): Box => {
  const { x, y, width: w, height: h } = part.getBoundingClientRect();
  return { x, y, w, h };
};

const ACROSS = 11;
const DOWN = 8;

/** Places all over the pictures of a card. */
function places({ root, frame }: Mounted): { x: number; y: number }[] {
  const card = boxOf(frame);
  const all = [...root.querySelectorAll(".picture, canvas, svg")].flatMap((part) => {
    const { x, y, w, h } = boxOf(part);
    return Array.from({ length: ACROSS * DOWN }, (_, i) => ({
      x: x + (w * ((i % ACROSS) + 0.5)) / ACROSS,
      y: y + (h * (Math.floor(i / ACROSS) + 0.5)) / DOWN,
    }));
  });
  // Of what is scrolled inside, some is not seen.
  return all.filter((at) => overlap(card, { ...at, w: 1, h: 1 }) === 1);
}

/** What is wrong with what is said of a place. */
function faults({ root, frame }: Mounted, at: { x: number; y: number }): string[] {
  return [...root.querySelectorAll(".tip")].flatMap((tip) => {
    const box = boxOf(tip);
    const card = boxOf(frame);
    const kept = "footer, .legend, .key, .steps, .source, .transport, .headline";
    const legends = [...root.querySelectorAll(kept)].filter((legend) => legend.checkVisibility());
    const lines = [...tip.children].map(boxOf);
    const crossed = lines.some((a, i) => lines.slice(i + 1).some((b) => overlap(a, b) > 1));
    const out = box.x < card.x - 1 || box.x + box.w > card.x + card.w + 1 || box.y + box.h > card.y + card.h + 1;
    return [
      ...(overlap(box, { ...at, w: 1, h: 1 }) > 0 ? ["over its target"] : []),
      ...legends
        .filter((legend) => overlap(box, boxOf(legend)) > 4)
        .map((legend) => `over ${legend.className || legend.localName}`),
      ...(out ? ["out of the card"] : []),
      ...(crossed || tip.scrollWidth > tip.clientWidth + 1 ? ["its lines are cut or cross"] : []),
    ];
  });
}

async function look(view: Mounted): Promise<string[]> {
  const before = boxOf(view.frame).h;
  const found: string[] = [];
  for (const at of places(view)) {
    const under = view.root.elementFromPoint(at.x, at.y);
    if (!under) throw new Error("a place is out of the window");
    const event = { clientX: at.x, clientY: at.y, bubbles: true, composed: true };
    under.dispatchEvent(new PointerEvent("pointermove", event));
    await settle();
    found.push(...faults(view, at));
    const higher = Math.round(boxOf(view.frame).h - before);
    if (Math.abs(higher) > 1) found.push(`${higher} px higher`);
  }
  return [...new Set(found)];
}

const STEPS: Record<string, Mount> = Object.fromEntries(
  (["psum", "all_gather", "cube", "under way"] as const).map((name) => [
    `stepper: ${name}`,
    async (width) => {
      const view = await mountStepper(trace(name), { step: 3 }, { width });
      await stepperLoaded(view);
      return view;
    },
  ]),
);

const WIDTHS = [1100, 934, 700, 480, 360];
/** Steps at all widths, other cards with three of them, so that each width comes to cards of every kind. */
const CARDS = [
  ...Object.entries({ ...ARRAYS, ...OTHERS }).map(
    ([name, mount], k) => [name, mount, WIDTHS.filter((_, i) => (i + k) % WIDTHS.length < 3)] as const,
  ),
  ...Object.entries(STEPS).map(([name, mount]) => [name, mount, WIDTHS] as const),
];

test.each(CARDS)(
  "%s: what is said of a place covers neither it nor a legend, and moves nothing",
  async (_, mount, widths) => {
    for (const width of widths) {
      await page.viewport(width + 40, 2000);
      const view = await mount(width);
      await frames();
      expect(await look(view), `${width} px`).toEqual([]);
      view.stop();
    }
  },
);
