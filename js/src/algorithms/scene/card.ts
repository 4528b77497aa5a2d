/** Two algorithms of a collective at one moment: a ring of devices each, bytes over time, time over size. */

import { bytes } from "../../core/format";
import { BOLD, label, type Mark, PAD, type Scene, shift } from "../../draw/marks";
import { fit } from "../../draw/measure";
import { type Course, verdict } from "../model/algorithms";
import { sizeMarks, trafficMarks } from "./charts";
import { type AlgorithmsLayout, layoutAlgorithms } from "./layout";
import { ringMarks } from "./ring";

export function algorithmsMarks(
  courses: readonly [Course, Course],
  layout: AlgorithmsLayout,
  nbytes: number,
  seconds: number,
): Mark[] {
  const [left, right] = layout.panels;
  return [
    ...ringMarks(courses[0], seconds, 0, left),
    ...ringMarks(courses[1], seconds, 1, right),
    ...trafficMarks(courses, seconds, layout.traffic),
    ...sizeMarks(courses, nbytes, layout.sizes),
  ];
}

/** `psum of 1 MiB on 8 devices`. */
export function titleOf({ doc }: Course, nbytes: number): string {
  return `${doc.collective} of ${bytes(nbytes)} on ${doc.n} devices`;
}

/** As one picture, half way through the faster one. */
export function algorithmsScene(courses: readonly [Course, Course], nbytes: number, width: number): Scene {
  const layout = layoutAlgorithms(width - 2 * PAD);
  const seconds = Math.min(...courses.map((c) => c.seconds)) / 2;
  const height = layout.height + 92;
  const [words, room] = [verdict(courses[0], courses[1], nbytes), width - 2 * PAD];
  const frame = { kind: "rect", x: 0.5, y: 0.5, w: width - 1, h: height - 1, r: 8 } as const;
  return {
    width,
    height,
    marks: [
      { ...frame, fill: "bg", stroke: { color: "line", width: 1 } },
      label(PAD, 28, fit(titleOf(courses[0], nbytes), room, 16, true), 16, "ink", BOLD),
      ...shift(algorithmsMarks(courses, layout, nbytes, seconds), PAD, 44),
      label(PAD, height - 16, fit(words, room, 12), 12, "muted"),
    ],
  };
}
