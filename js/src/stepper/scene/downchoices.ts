/** A group that runs down: what may shrink where width is short, the best first. */
import { type Ask, groupsOf, stripped, tileFace } from "./ask";
import { FONTS, fewerBeside, GROWTH } from "./cells";
import { mapOver, wholeMesh } from "./downrows";
import { nested } from "./nest";

/** What shrinks when width is short: lanes first, then margins, then coordinates. */
interface Tight {
  lane: number;
  pad: number;
  coordinates: boolean;
  /** Whether a group over several axes has a rail of each. */
  rails: boolean;
}

const TIGHT: readonly Tight[] = [
  { lane: 62, pad: 10, coordinates: true, rails: true },
  { lane: 48, pad: 8, coordinates: true, rails: true },
  { lane: 34, pad: 4, coordinates: false, rails: true },
  { lane: 34, pad: 4, coordinates: false, rails: false },
];

/** What a stage shows, and how large. */
export interface Choice {
  whole: boolean;
  /** Whether the addition lies over the groups beside the picked one. */
  cover: boolean;
  /** Room for a whole array, beside the groups. */
  beside: number;
  /** Whether all groups hold their additions, instead of the picked one alone. */
  open: boolean;
  /** Whether a small map of the whole mesh is beside the group, or above it. */
  map: boolean;
  columns: number;
  tight: Tight;
  font: number;
  /** Extra width of cells. */
  grow: number;
  /** Copies without numbers: where there is no width for those of many chunks. */
  swatch: boolean;
  /** Width of a cell of blocks without numbers; 0 with them. */
  bare: number;
  /** Whether the cell that is looked at is then written out in every tile. */
  reads: boolean;
}

/** Choices that differ in margins and digits: the one that needs the least width, and all, the best first. */
export interface Choices {
  least: Choice;
  all: () => readonly Choice[];
}

/** What may shrink, the best first: lanes, margins, the size of digits, the other groups, numbers of copies, columns. */
export function* choicesOf(ask: Ask): Generator<Choices> {
  const { plan } = ask;
  const several = groupsOf(ask).length > 1;
  const whole = wholeMesh(ask) && groupsOf(ask).length * ask.least.w <= ask.width;
  const over = mapOver(ask);
  const natural = tileFace(ask, [1, 4096]).of[1] / (stripped(ask) ? plan.n : 1);
  const all = { cover: false, beside: 0, map: over, columns: 64, swatch: false, bare: 0, reads: false };
  const tights = nested(ask) ? TIGHT : TIGHT.slice(0, 3);
  const open = { ...all, whole, open: true };
  if (whole && ask.motion === "gather" && several && !ask.mixed)
    yield choices(open, TIGHT.slice(0, 2), [FONTS[0]], GROWTH);
  const copies = ask.motion === "permute" ? [false, true] : [false];
  const fewer = [16, 12, 8, 6, 4, 3, 2, 1].filter((columns) => columns < natural);
  const half = fewer.filter((columns) => 2 * columns >= natural);
  const mapped = (way: Partial<Choice>) => (over || !several ? [] : [{ ...way, map: true }]);
  const ways: Partial<Choice>[] = [
    ...(whole ? [{ whole }] : []),
    // Where all steps stand in the tiles of the whole mesh, columns are left out before groups.
    ...(whole && ask.mixed
      ? fewerBeside(natural).map(([columns, beside]) => ({ whole, columns, cover: true, beside }))
      : []),
    ...copies.flatMap((swatch) => [
      ...mapped({ swatch }),
      { columns: 64, swatch },
      // Copies have numbers before tiles have more than half of their columns, and a map shows other groups.
      ...(swatch
        ? []
        : half.flatMap((columns) => [...mapped({ columns }), ...(copies.length > 1 ? [{ columns }] : [])])),
    ]),
    ...fewer.filter((columns) => columns > 2).flatMap((columns) => copies.map((swatch) => ({ columns, swatch }))),
    // Of two columns one is left out before copies have no numbers.
    ...copies.flatMap((swatch) => fewer.filter((columns) => columns < 3).map((columns) => ({ columns, swatch }))),
  ];
  for (const way of ways) {
    const rest = { ...all, whole: false, open: false, ...way };
    yield choices(rest, tights, FONTS, [0]);
    // Before columns are left out, digits stand 3 px from the edges of their cells.
    if (!way.whole && !way.map && way.columns === 64) yield choices(rest, tights.slice(-1), FONTS.slice(-1), [CLOSE]);
  }
}

type Rest = Omit<Choice, "tight" | "font" | "grow">;

/** Off the width of a cell that has more margin than its digits need. */
const CLOSE = -2;

/** With all margins and digits; where there is more room than needed, numbers stand wider apart. */
function choices(rest: Rest, tights: readonly Tight[], fonts: readonly number[], grows: readonly number[]): Choices {
  const [font = 0, tight = TIGHT[0] as Tight] = [fonts.at(-1), tights.at(-1)];
  return {
    least: { ...rest, tight, font, grow: Math.min(0, ...grows) },
    all: () =>
      tights.flatMap((tight) =>
        fonts.flatMap((font) => {
          const wide = tight === TIGHT[0] && font === FONTS[0] ? GROWTH : grows;
          return wide.map((grow) => ({ ...rest, tight, font, grow }));
        }),
      ),
  };
}

/** Widths of cells without numbers. */
const BARE = [28, 24, 20, 16, 12, 9, 7, 5, 3, 2, 1];
/** Cells of which one is still told from the next. */
const TOLD = 7;

/** All ways in which blocks are shown without numbers, wider cells first, and the same with a map. */
const BLANK = [false, true].map((map) => {
  const tight = { lane: 26, pad: 3, coordinates: false, rails: false };
  const least = { whole: false, cover: false, beside: 0, open: false, map, columns: 1, tight, font: 10.5, grow: 0 };
  const all = [true, false].flatMap((reads) =>
    [false, true].flatMap((swatch) => BARE.map((bare): Choice => ({ ...least, bare, swatch, reads }))),
  );
  return [...all.filter(({ bare }) => bare >= TOLD), ...all.filter(({ bare }) => bare < TOLD)];
});

/** Where nothing else fits: blocks without numbers, in ever narrower cells; copies keep theirs while there is room. */
export function bareChoices(ask: Ask): readonly Choice[] {
  return BLANK[Number(mapOver(ask))] as readonly Choice[];
}
