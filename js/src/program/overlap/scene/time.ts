/** A call over time: what the device computes, where it waits, and below it a lane for each mesh axis. */
import type { Interval } from "../../../core/document.gen";
import { timeAxis } from "../../../core/format";
import { axisToken, BOLD, type Box, CENTER, type Color, label, type Mark, PAD } from "../../../draw/marks";
import { fit, textWidth } from "../../../draw/measure";
import { patternMarks } from "../../scene/lanes";
import { lanesOf, type OverlapModel } from "../model/overlap";

export interface Time {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  /** Pixels of a second. */
  readonly scale: number;
  readonly model: OverlapModel;
}

const TOP = 26;
const COMPUTE = 30;
const LANE = 20;
const GAP = 6;
const FOOT = 42;
/** Of what is hidden. */
const PALE = 0.36;

export function timeOf(model: OverlapModel, width: number): Time {
  const names = ["compute", ...model.lanes.map(nameOf)];
  const left = PAD + Math.min(110, Math.max(...names.map((n) => textWidth(n, 12, true)))) + 10;
  const height = TOP + COMPUTE + model.lanes.length * (LANE + GAP) + FOOT;
  return { width, height, left, scale: (width - left - PAD) / (model.now || 1), model };
}

function nameOf(lane: string): string {
  return lane || "irregular";
}

export function timeMarks(time: Time): Mark[] {
  const { model, left, width } = time;
  const end = width - PAD;
  const marks: Mark[] = [
    label(left - 8, TOP + 19, "compute", 12, "ink", { ...BOLD, anchor: "end" }),
    { kind: "rect", x: left, y: TOP, w: end - left, h: COMPUTE, fill: "panel" },
  ];
  model.lanes.forEach((lane, k) => {
    const y = laneTop(k);
    const color = inkOf(model, lane);
    marks.push(
      label(left - 8, y + 14, fit(nameOf(lane), left - PAD - 8, 12, true), 12, color, { ...BOLD, anchor: "end" }),
    );
    marks.push({ kind: "rect", x: left, y, w: end - left, h: LANE, fill: "panel" });
  });
  marks.push(...axisMarks(time));
  for (const i of model.doc.intervals) marks.push(...intervalMarks(time, i));
  return [...marks, ...loopMarks(time), ...legend(time)];
}

/** The chosen row's transfers, outlined. */
export function chosenMarks(time: Time, members: readonly number[]): Mark[] {
  const { model } = time;
  return model.doc.intervals
    .filter((i) => i.what === "transfer" && members.includes(i.transfer))
    .flatMap((i) => boxesOf(time, i))
    .map((b) => ({
      kind: "rect",
      ...{ x: b.x - 1.5, y: b.y - 1.5, w: b.w + 3, h: b.h + 3 },
      r: 2,
      stroke: { color: "ink", width: 2 },
    }));
}

/** The transfer at a point; null for none. Where the device waits, the one that it waits for. */
export function transferAt(time: Time, x: number, y: number): number | null {
  const near = time.model.doc.intervals.filter(
    (i) =>
      i.transfer >= 0 && boxesOf(time, i).some((b) => y >= b.y && y < b.y + b.h && x >= b.x - 3 && x < b.x + b.w + 3),
  );
  return near.at(-1)?.transfer ?? null;
}

function laneTop(k: number): number {
  return TOP + COMPUTE + GAP + k * (LANE + GAP);
}

function inkOf(model: OverlapModel, lane: string): Color {
  return lane ? axisToken(model.mesh.axisOf(lane)) : "muted";
}

/** Where an interval is drawn: in the lane of the device, or in those of its axes. */
function boxesOf({ model, left, scale }: Time, i: Interval): readonly Box[] {
  const across = { x: left + i.begin * scale, w: Math.max(0.8, i.seconds * scale) };
  if (i.what !== "transfer") return [{ ...across, y: TOP, h: COMPUTE }];
  const of = model.doc.transfers[i.transfer];
  return of ? lanesOf(of).map((lane) => ({ ...across, y: laneTop(model.lanes.indexOf(lane)), h: LANE })) : [];
}

function intervalMarks(time: Time, i: Interval): Mark[] {
  const { model, scale } = time;
  const [first] = boxesOf(time, i);
  const of = model.doc.transfers[i.transfer];
  if (i.what === "compute" && first) {
    const gap = first.w > 3 ? 0.8 : 0;
    const text = i.source ? `line ${i.source.line}` : "";
    const fits = textWidth(text, 11, true) + 4 <= first.w;
    return [
      { kind: "rect", ...first, w: first.w - gap, fill: "k0" },
      ...(fits ? [label(first.x + first.w / 2, first.y + 19, text, 11, "ink", CENTER)] : []),
    ];
  }
  if (!of || !first) return [];
  if (i.what === "wait") {
    const color = inkOf(model, lanesOf(of)[0] ?? "");
    const thin = first.w < 4;
    return [
      { kind: "rect", ...first, fill: color, ...(thin ? { alpha: PALE } : { lines: true }) },
      ...(thin ? [] : [{ kind: "rect", ...first, w: first.w - 0.8, stroke: { color, width: 1 } } as const]),
    ];
  }
  return boxesOf(time, i).flatMap((box, k) => {
    const lane = lanesOf(of)[k] ?? "";
    const exposed = Math.min(box.w, i.exposed * scale);
    const shown = { ...box, x: box.x + box.w - exposed, w: exposed };
    const text = of.source ? `${of.kind}, line ${of.source.line}` : of.kind;
    const short = of.source ? `line ${of.source.line}` : "";
    const says = [text, short].find((t) => t && textWidth(t, 11, true) + 12 <= Math.max(exposed, box.w - exposed));
    const within = exposed >= box.w - exposed ? shown : { ...box, w: box.w - exposed };
    const color = inkOf(model, lane);
    return [
      { kind: "rect", ...box, fill: color, alpha: PALE } as const,
      ...(box.w > 4 ? [{ kind: "rect", ...box, stroke: { color, width: 0.8 } } as const] : []),
      ...(exposed > 0
        ? [{ kind: "rect", ...shown, fill: color } as const, ...patternMarks(model.mesh.axisOf(lane), shown)]
        : []),
      ...(says
        ? [
            label(within.x + within.w / 2, box.y + 14, says, 11, within === shown ? "bg" : "ink", {
              ...CENTER,
              weight: 600,
            }),
          ]
        : []),
    ];
  });
}

/** A bracket over each loop that is in no other: one of its turns is drawn as wide as all. */
function loopMarks({ model, left, scale }: Time): Mark[] {
  const { loops } = model.doc;
  const outer = loops.filter(
    (a) =>
      !loops.some(
        (b) => b !== a && b.begin <= a.begin && b.begin + b.seconds >= a.begin + a.seconds && b.seconds > a.seconds,
      ),
  );
  return outer.flatMap((loop) => {
    const [x, w] = [left + loop.begin * scale, loop.seconds * scale];
    if (w < 6) return [];
    const points = [
      [x + 1, TOP - 2],
      [x + 1, TOP - 7],
      [x + w - 1, TOP - 7],
      [x + w - 1, TOP - 2],
    ] as const;
    const where = loop.source ? `loop, line ${loop.source.line}${loop.backward ? ", backward" : ""}` : "loop";
    const says = [`${where}: ${loop.times} turns drawn as one`, `${where} ×${loop.times}`, `×${loop.times}`];
    const text = says.find((t) => textWidth(t, 11.5) * 1.08 <= w + 4);
    return [
      { kind: "line", points, stroke: { color: "ink", width: 1.3 } },
      ...(text ? [label(x + w / 2, TOP - 11, text, 11.5, "ink", { weight: 600, anchor: "middle" as const })] : []),
    ];
  });
}

function axisMarks({ model, left, scale, width, height }: Time): Mark[] {
  const step = tick((100 / (width - left - PAD)) * model.now);
  const write = timeAxis(step, model.now);
  const [top, bottom] = [TOP + COMPUTE, height - FOOT];
  return Array.from({ length: Math.floor(model.now / step) + 1 }, (_, k) => k * step).flatMap((at): Mark[] => {
    const x = left + at * scale;
    const points = [
      [x, top],
      [x, bottom],
    ] as const;
    const fits = x + textWidth(write(at), 11, true) / 2 <= width - 4;
    return [
      { kind: "line", points, stroke: { color: "line", width: 1 } },
      ...(fits ? [label(x, bottom + 13, write(at), 11, "muted", CENTER)] : []),
    ];
  });
}

/** A round number of seconds, at least this many. */
function tick(least: number): number {
  if (!(least > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(least));
  return unit * ([1, 2, 5, 10].find((k) => k * unit >= least) ?? 10);
}

function legend({ model, left, width, height }: Time): Mark[] {
  const color = inkOf(model, lanesOf(model.doc.transfers[0] ?? { axes: [] })[0] ?? "");
  const y = height - 17;
  const signs: [string, (box: Box) => Mark[], string?][] = [
    ["compute", (b) => [{ kind: "rect", ...b, fill: "k0" }]],
    [
      "waits for a collective",
      (b) => [
        { kind: "rect", ...b, fill: color, lines: true },
        { kind: "rect", ...b, stroke: { color, width: 1 } },
      ],
      "waits",
    ],
    ["exposed", (b) => [{ kind: "rect", ...b, fill: color }]],
    [
      "hidden: it runs beside other work",
      (b) => [
        { kind: "rect", ...b, fill: color, alpha: PALE },
        { kind: "rect", ...b, stroke: { color, width: 0.8 } },
      ],
      "hidden",
    ],
  ];
  const marks: Mark[] = [];
  const shown = model.doc.transfers.length > 0 ? signs : signs.slice(0, 1);
  const wideOf = (text: string) => 34 + textWidth(text, 11.5) + 16;
  const roomy = left + shown.reduce((sum, [text]) => sum + wideOf(text), -16) <= width - PAD;
  let x = left;
  for (const [long, sign, short = long] of shown) {
    const text = roomy ? long : short;
    const wide = wideOf(text);
    if (x + wide - 16 > width - PAD) break;
    marks.push(...sign({ x, y, w: 26, h: 11 }), label(x + 32, y + 10, text, 11.5, "muted"));
    x += wide;
  }
  return marks;
}
