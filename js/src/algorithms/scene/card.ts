/** Two algorithms of a collective at one moment: a ring of devices each, bytes over time, time over size. */

import type { Scheme } from "../../core/color";
import { bytes } from "../../core/format";
import { type Badge, count } from "../../core/text";
import { framed, headBand, rule, saysBand, stack } from "../../draw/bands";
import { type Mark, PAD, type Scene, shift } from "../../draw/marks";
import { answerOf, type Course, sizesText, timesOf } from "../model/algorithms";
import { sizeMarks, trafficMarks } from "./charts";
import { type AlgorithmsLayout, layoutAlgorithms } from "./layout";
import { ringMarks } from "./ring";

export function algorithmsMarks(
  courses: readonly [Course, Course],
  layout: AlgorithmsLayout,
  nbytes: number,
  seconds: number,
  scheme: Scheme,
): Mark[] {
  const [left, right] = layout.panels;
  return [
    ...ringMarks(courses[0], seconds, 0, left, scheme),
    ...ringMarks(courses[1], seconds, 1, right, scheme),
    ...(layout.traffic ? trafficMarks(courses, seconds, layout.traffic) : []),
    ...(layout.sizes ? sizeMarks(courses, nbytes, layout.sizes) : []),
  ];
}

/** `16 MiB on 8 devices`. */
export function titleOf({ doc }: Course, nbytes: number): string {
  return `${bytes(nbytes)} on ${doc.n} devices`;
}

/** What each takes, in its own words; its rounds where there is room. */
export function badgesOf(courses: readonly [Course, Course], narrow = false): Badge[] {
  return courses
    .filter((c, k) => k === 0 || c.name !== courses[0].name)
    .map((c) => ({
      strong: timesOf(courses)(c.seconds),
      text: narrow ? c.name : `${c.name}, ${count(c.rounds, "round")}`,
      tone: "plain",
      to: c.name,
    }));
}

/** As one picture, half way through the faster one. */
export function algorithmsScene(
  courses: readonly [Course, Course],
  nbytes: number,
  width: number,
  scheme: Scheme,
): Scene {
  const layout = layoutAlgorithms(width - 2 * PAD);
  const [a, b] = courses;
  const seconds = Math.min(a.seconds, b.seconds) / 2;
  const body = stack([
    headBand(`${a.doc.collective} ${titleOf(a, nbytes)}`, { axes: [] }, badgesOf(courses), width),
    saysBand(answerOf(a, b), [{ text: sizesText(a, b) }], width),
    { marks: [rule(0, 0, width)], height: 12 },
    { marks: shift(algorithmsMarks(courses, layout, nbytes, seconds, scheme), PAD, 0), height: layout.height + 8 },
  ]);
  return framed(width, Math.ceil(body.height), body.marks);
}
