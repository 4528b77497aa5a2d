/**
 * The fullest device as one bar: what it needs, then what each finding costs there, then other copies.
 *
 *     needed             8,320 ÷ 8 = 1,040 ░░░░(1) 448░░░░░░░(2) 168░(3)
 */
import { BOLD, type Box, label, type Mark, MONO, outline } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { type Finding, ownBytes, type TreeModel } from "../model/tree";
import { type Figures, findingName, numberOf } from "../model/words";

export interface DeviceBar {
  parts: readonly Part[];
  width: number;
  height: number;
}

export interface Part extends Box {
  bytes: number;
  /** What is to be looked at there; null for what is needed, and for copies that nothing is said of. */
  finding: Finding | null;
  copies: boolean;
}

const TOP = 16;
const HIGH = 22;

export function layoutBar(tree: TreeModel, width: number): DeviceBar {
  const held = tree.held[tree.fullest] ?? 0;
  const own = ownBytes(tree)[tree.fullest] ?? 0;
  const flagged = tree.findings.filter(({ cost }) => cost > 0);
  const cost = flagged.reduce((sum, finding) => sum + finding.cost, 0);
  const ofCopies = flagged.filter(isOfCopies).reduce((sum, finding) => sum + finding.cost, 0);
  const other = Math.max(0, held - own - ofCopies);
  const all = [
    { bytes: Math.max(0, held - cost - other), finding: null, copies: false },
    ...flagged.map((finding) => ({ bytes: finding.cost, finding, copies: isOfCopies(finding) })),
    { bytes: other, finding: null, copies: true },
  ].filter(({ bytes }) => bytes > 0);
  const whole = all.reduce((sum, { bytes }) => sum + bytes, 0);
  let x = 0;
  const parts = all.map((part) => {
    const w = (width * part.bytes) / whole;
    x += w;
    return { ...part, x: x - w, y: TOP, w, h: HIGH };
  });
  return { parts, width, height: TOP + HIGH };
}

/** What is on one device alone is not there twice. */
const isOfCopies = ({ flags: [flag] }: Finding) => flag?.kind !== "one device";

export function barMarks(tree: TreeModel, bar: DeviceBar, picked: Finding | null, { all, here }: Figures): Mark[] {
  const marks: Mark[] = bar.parts.flatMap((part) => [
    { kind: "rect", ...place(part), ...(part.copies ? { copies: true } : { fill: "tick" }) },
    { kind: "rect", ...place(part), stroke: { color: "kedge", width: 0.8 } },
  ]);
  for (const part of bar.parts) {
    if (part.finding) marks.push(...findingMarks(tree, part, part.finding === picked, here));
    else if (!part.copies) marks.push(...neededMarks(tree, part, { all, here }));
    if (part.finding && part.finding === picked) marks.push(...outline(part, 3, 2));
  }
  return marks;
}

const place = ({ x, y, w, h }: Box) => ({ x, y, w, h });

/** What would be there if nothing were held twice; how it follows, where all of the tree is split over all devices. */
function neededMarks(tree: TreeModel, part: Part, { all, here }: Figures): Mark[] {
  const size = tree.devices.length;
  const even = size > 1 && Math.abs(tree.bytes / size - part.bytes) < 0.001 * part.bytes;
  const short = numberOf(here(part.bytes));
  const long = even && all(0) === here(0) ? `${numberOf(all(tree.bytes))} ÷ ${size} = ${short}` : short;
  const words = textWidth("needed", 12) + 20;
  const text = [long, short].find((one) => words + textWidth(one, 12, true) < part.w - 12);
  const y = part.y + 15.5;
  const name = words < part.w ? [label(part.x + 8, y, "needed", 12, "ink")] : [];
  return text ? [...name, label(part.x + part.w - 8, y, text, 12, "ink", { ...MONO, anchor: "end" })] : name;
}

function findingMarks(tree: TreeModel, part: Part, picked: boolean, here: Figures["here"]): Mark[] {
  const { finding } = part;
  if (!finding) return [];
  const marks = numberedMarks(part, finding.number, picked, numberOf(here(finding.cost)));
  const whole = findingName(tree, finding);
  const last = whole.slice(whole.lastIndexOf("/") + 1);
  const name = [whole, last].find((one) => textWidth(one, 11.5, true) < part.w - 4);
  return name ? [...marks, label(part.x, TOP - 5, name, 11.5, "muted", MONO)] : marks;
}

/** The number of a finding in the middle of a box, on a ground of its own, and words beside it where they have room. */
export function numberedMarks(box: Box, number: number, picked: boolean, words: string): Mark[] {
  const r = 7.5;
  const room = words ? textWidth(words, 12, true) + 10 : 0;
  const both = 2 * r + 2 + room <= box.w - 4;
  const w = 2 * r + 2 + (both ? room : 0);
  if (w > box.w - 1 || box.h < w - (both ? room : 0)) return [];
  const [x, y] = [box.x + box.w / 2 - w / 2, box.y + box.h / 2];
  const disc = { kind: "rect", x: x + 1, y: y - r, w: 2 * r, h: 2 * r, r } as const;
  return [
    { kind: "rect", x, y: y - r - 1, w, h: 2 * r + 2, r: r + 1, fill: "cpb" },
    picked ? { ...disc, fill: "ink" } : { ...disc, stroke: { color: "warn", width: 1.2 } },
    label(x + 1 + r, y + 4, String(number), 10.5, picked ? "bg" : "warn", { anchor: "middle", weight: 700 }),
    ...(both && words ? [label(x + 2 * r + 6, y + 4.5, words, 12, "ink", BOLD)] : []),
  ];
}
