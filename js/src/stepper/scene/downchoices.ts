/** A group that runs down: what may shrink where width is short, the best first. */
import { type Ask, groupsOf, stripped, tileFace } from "./ask";
import { FONTS, GROWTH } from "./cells";
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

/**
 * What may shrink, the best first: lanes, margins, the size of digits, the other groups, numbers of copies, columns. Each
 * list ends with what needs the least width of it.
 */
export function* choicesOf(ask: Ask): Generator<readonly Choice[]> {
  const { plan } = ask;
  const several = groupsOf(ask).length > 1;
  const whole = wholeMesh(ask) && groupsOf(ask).length * ask.least.w <= ask.width;
  const over = mapOver(ask);
  const natural = tileFace(ask, [1, 4096]).of[1] / (stripped(ask) ? plan.n : 1);
  const all = { map: over, columns: 64, swatch: false, bare: 0, reads: false };
  const tights = nested(ask) ? TIGHT : TIGHT.slice(0, 3);
  if (whole && ask.motion === "gather" && several && !ask.mixed)
    yield TIGHT.slice(0, 2).flatMap((tight) =>
      GROWTH.map((grow) => ({ ...all, whole, open: true, tight, font: FONTS[0], grow })),
    );
  const copies = ask.motion === "lanes" || ask.motion === "permute" ? [false, true] : [false];
  const ways: Partial<Choice>[] = [
    ...(whole ? [{ whole }] : []),
    ...(over || !several ? [] : copies.map((swatch) => ({ map: true, swatch }))),
    ...[64, ...[16, 12, 8, 6, 4, 3, 2, 1].filter((columns) => columns < natural)].flatMap((columns) =>
      copies.map((swatch) => ({ columns, swatch })),
    ),
  ];
  for (const way of ways) {
    yield tights.flatMap((tight) =>
      FONTS.flatMap((font) => {
        // Where there is more room than needed, numbers stand wider apart.
        const grows = tight === TIGHT[0] && font === FONTS[0] ? GROWTH : [0];
        return grows.map((grow) => ({ ...all, whole: false, open: false, ...way, tight, font, grow }));
      }),
    );
  }
}

/** Widths of cells without numbers. */
const BARE = [28, 24, 20, 16, 12, 9, 7, 5, 3, 2, 1];
/** Cells of which one is still told from the next. */
const TOLD = 7;

/** Where nothing else fits: blocks without numbers, in ever narrower cells; copies keep theirs while there is room. */
export function bareChoices(ask: Ask): readonly Choice[] {
  const tight = { lane: 26, pad: 3, coordinates: false, rails: false };
  const least = { whole: false, open: false, map: mapOver(ask), columns: 1, tight, font: 10.5, grow: 0 };
  const all = [true, false].flatMap((reads) =>
    [false, true].flatMap((swatch) => BARE.map((bare) => ({ ...least, bare, swatch, reads }))),
  );
  return [...all.filter(({ bare }) => bare >= TOLD), ...all.filter(({ bare }) => bare < TOLD)];
}
