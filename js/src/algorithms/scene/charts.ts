/** Bytes over time, and time over size: two lines each, in the ink and pattern of the algorithms. */

import { bytes, duration, timeAxis } from "../../core/format";
import { axisStroke, axisToken, type Box, label, type Mark } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import { type Course, equalSize, secondsOf, timesOf } from "../model/algorithms";

/** Sizes that a block may have: powers of two from 2⁶ to 2³⁰. */
export const SIZES = [6, 30] as const;

type Points = readonly (readonly [number, number])[];

/** Bytes that a device has sent, over the time of the slower one. */
export function trafficMarks(courses: readonly [Course, Course], seconds: number, box: Box): Mark[] {
  const whole = Math.max(...courses.map((c) => c.seconds));
  const most = Math.max(...courses.map((c) => c.sentAt(whole)));
  const x = (t: number) => box.x + (box.w * t) / whole;
  const y = (sent: number) => box.y + box.h - (box.h * sent) / most;
  const marks: Mark[] = [...frame(box, "bytes a device has sent")];
  const bytesStep = 2 ** Math.ceil(Math.log2(Math.max(1, most) / 4));
  for (let at = 0; at <= most; at += bytesStep) {
    if (at > 0) marks.push(across(box, y(at)));
    marks.push(label(box.x - 6, y(at) + 4, at === 0 ? "0" : bytes(at), 10.5, "muted", { anchor: "end" }));
  }
  const timeStep = niceStep(whole / 5);
  const timed = timeAxis(timeStep, whole);
  for (let k = 0; k * timeStep <= whole; k++) {
    const at = x(k * timeStep);
    if (k > 0) marks.push(down(box, at));
    marks.push(tick(box, at, k === 0 ? "0" : timed(k * timeStep)));
  }
  courses.forEach((course, k) => {
    const corners: [number, number][] = [[0, 0]];
    let sent = 0;
    course.ends.forEach((end, round) => {
      // While messages start, nothing is sent.
      corners.push([(course.ends[round - 1] ?? 0) + course.doc.start, sent]);
      sent += course.sent[round] ?? 0;
      corners.push([end, sent]);
    });
    const there = corners.filter(([t]) => t <= seconds);
    const now = [Math.min(seconds, course.seconds), course.sentAt(seconds)] as const;
    marks.push(
      line(
        corners.map(([t, b]) => [x(t), y(b)]),
        k,
        1.2,
        true,
      ),
      line(
        [...there, now].map(([t, b]) => [x(t), y(b)]),
        k,
        2.4,
      ),
    );
    marks.push(dot(x(now[0]), y(now[1]), k));
  });
  marks.push({
    kind: "line",
    points: [
      [x(seconds), box.y],
      [x(seconds), box.y + box.h],
    ],
    stroke: { color: "ink", width: 1 },
  });
  // When each is done stands at the end of its line.
  courses.forEach((course, k) => {
    const text = timesOf(courses)(course.seconds);
    const [ex, ey] = [x(course.seconds), y(course.sentAt(whole))];
    const w = textWidth(text, 11);
    const left = Math.max(box.x + 4, ex - w - 8);
    const under = courses[0].seconds === courses[1].seconds && k === 1 ? 30 : 16;
    marks.push({ kind: "rect", x: left - 2, y: ey + under - 11, w: w + 4, h: 14, fill: "bg" });
    marks.push(label(left, ey + under, text, 11, axisToken(k), { weight: 700 }));
  });
  return marks;
}

/** Estimated time over the bytes of a block, both logarithmic; where both are equal there is a disc. */
export function sizeMarks(courses: readonly [Course, Course], nbytes: number, box: Box): Mark[] {
  const [a, b] = courses;
  const { doc, network } = a;
  const sizes = Array.from({ length: (SIZES[1] - SIZES[0]) * 2 + 1 }, (_, i) => 2 ** (SIZES[0] + i / 2));
  const seconds = (c: Course, size: number) => secondsOf(doc, c.algorithm, network, size);
  const all = courses.flatMap((c) => [seconds(c, sizes[0] ?? 1), seconds(c, sizes.at(-1) ?? 1)]);
  const [low, high] = [Math.log(Math.min(...all)), Math.log(Math.max(...all))];
  const y = (t: number) => box.y + box.h - (box.h * (Math.log(t) - low)) / Math.max(1e-9, high - low);
  const x = (size: number) => sizeX(size, box);
  const marks: Mark[] = [...frame(box, "estimated time by block size")];
  for (let power = Math.ceil(low / Math.LN10); power * Math.LN10 <= high; power++) {
    const at = y(10 ** power);
    marks.push(across(box, at));
    marks.push(label(box.x - 6, at + 4, duration(10 ** power), 10.5, "muted", { anchor: "end" }));
  }
  for (const power of box.w > 300 ? [10, 15, 20, 25, 30] : [10, 20, 30]) {
    marks.push(down(box, x(2 ** power)), tick(box, x(2 ** power), bytes(2 ** power)));
  }
  courses.forEach((c, k) => {
    marks.push(
      line(
        sizes.map((size) => [x(size), y(seconds(c, size))]),
        k,
        2,
      ),
    );
  });
  marks.push({
    kind: "line",
    points: [
      [x(nbytes), box.y],
      [x(nbytes), box.y + box.h],
    ],
    stroke: { color: "ink", width: 1 },
  });
  courses.forEach((c, k) => {
    marks.push(dot(x(nbytes), y(seconds(c, nbytes)), k));
  });
  const equal = equalSize(doc, network, a.algorithm, b.algorithm);
  if (equal !== null && equal >= (sizes[0] ?? 1) && equal <= (sizes.at(-1) ?? 1)) {
    const at = [x(equal), y(seconds(a, equal))] as const;
    marks.push({ kind: "disc", x: at[0], y: at[1], r: 7, color: "ink", hollow: true, sign: "=" });
    const text = `equal at ${bytes(equal)}`;
    // No curve passes above the disc on its left; where that is too narrow, none reaches the corner above.
    const w = textWidth(text, 11);
    const start = Math.max(box.x + 6, at[0] - 4 - w);
    const baseline = start > box.x + 6 ? Math.max(box.y + 10, at[1] - 12) : box.y + 10;
    marks.push({ kind: "rect", x: start - 2, y: baseline - 10, w: w + 4, h: 13, fill: "bg" });
    marks.push(label(start, baseline, text, 11, "ink"));
  }
  return marks;
}

/** Where a size stands, and the size at a place: a whole power of two. */
function sizeX(nbytes: number, box: Box): number {
  const power = Math.min(SIZES[1], Math.max(SIZES[0], Math.log2(nbytes)));
  return box.x + (box.w * (power - SIZES[0])) / (SIZES[1] - SIZES[0]);
}

export function sizeAt(x: number, box: Box): number {
  const power = Math.round(SIZES[0] + ((x - box.x) / box.w) * (SIZES[1] - SIZES[0]));
  return 2 ** Math.min(SIZES[1], Math.max(SIZES[0], power));
}

/** Lines of a scale, and a number under the axis, which ends with it. */
function across({ x, w }: Box, y: number): Mark {
  return { kind: "rect", x, y: y - 0.5, w, h: 1, fill: "line" };
}

function down({ y, h }: Box, x: number): Mark {
  return { kind: "rect", x: x - 0.5, y, w: 1, h, fill: "line" };
}

function tick(box: Box, at: number, text: string): Mark {
  const half = textWidth(text, 10.5) / 2;
  const x = Math.min(at, box.x + box.w + 10 - half);
  return label(x, box.y + box.h + 14, text, 10.5, "muted", { anchor: "middle" });
}

/** 1, 2 or 5 times a power of ten, at least so much. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((step) => step * power >= least) ?? 10);
}

function frame(box: Box, title: string): Mark[] {
  return [
    label(box.x - 52, box.y - 7, fit(title, box.w + 52, 11.5), 11.5, "muted"),
    {
      kind: "line",
      points: [
        [box.x, box.y],
        [box.x, box.y + box.h],
        [box.x + box.w, box.y + box.h],
      ],
      stroke: { color: "faint", width: 1 },
    },
  ];
}

function line(points: Points, ink: number, width: number, faint = false): Mark {
  const stroke = axisStroke(ink, width);
  return { kind: "line", points, stroke: faint ? { ...stroke, color: "faint" } : stroke };
}

function dot(x: number, y: number, ink: number): Mark {
  return {
    kind: "rect",
    x: x - 4,
    y: y - 4,
    w: 8,
    h: 8,
    r: 4,
    fill: axisToken(ink),
    stroke: { color: "bg", width: 1.5 },
  };
}
