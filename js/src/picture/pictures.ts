/** The features whose documents can be drawn without a page. */
import algorithms from "../algorithms/picture";
import array from "../array/picture";
import comparison from "../comparison/picture";
import exercise from "../exercise/picture";
import inspector from "../inspector/picture";
import mpmd from "../mpmd/picture";
import pipeline from "../pipeline/picture";
import memory from "../program/memory/picture";
import program from "../program/picture";
import reshard from "../reshard/picture";
import run from "../run/picture";
import stepper from "../stepper/picture";
import compared from "../tree/compared/picture";
import tree from "../tree/picture";
import type { Picture, SavedState } from "./picture";

/** For tests: what a playground says of a draft. */
export { draft } from "../playground/model/public";

const PICTURES: readonly Picture<SavedState>[] = [
  algorithms,
  array,
  comparison,
  compared,
  exercise,
  inspector,
  memory,
  mpmd,
  pipeline,
  program,
  reshard,
  run,
  stepper,
  tree,
];

/** The picture of a kind of document; an array's for kinds that nobody draws, whose reader says so. */
export function pictureOf(kind: unknown): Picture<SavedState> {
  return PICTURES.find(({ kinds }) => kinds.includes(String(kind))) ?? array;
}
