/** The change from one placement to another, as it is shown once. */
import { Clock, motionless } from "../../card/clock";
import { easeInOut } from "../../draw/ease";
import type { Mark } from "../../draw/marks";
import { canMorph, morphMarks, type Shown } from "../scene/morph";

/** Milliseconds that it takes. */
const CHANGE_MS = 450;

/** Whether there is one to show. */
export function changes(from: Shown, to: Shown): boolean {
  return !motionless() && canMorph(from, to);
}

/** Draws it frame by frame over what stays; returns what stops it. */
export function showChange(
  from: Shown,
  to: Shown,
  body: readonly Mark[],
  draw: (marks: () => readonly Mark[]) => void,
  done: () => void,
): () => void {
  const clock = new Clock();
  let t = 0;
  clock.play((elapsed) => {
    t += elapsed / CHANGE_MS;
    if (t < 1) draw(() => [...body, ...morphMarks(from, to, easeInOut(t))]);
    else done();
    return t < 1;
  });
  return () => clock.stop();
}
