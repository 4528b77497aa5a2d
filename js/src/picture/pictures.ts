/** The features whose documents can be drawn without a page. */
import algorithms from "../algorithms/picture";
import array from "../array/picture";
import comparison from "../comparison/picture";
import diff from "../diff/picture";
import exercise from "../exercise/picture";
import inspector from "../inspector/picture";
import kernel from "../kernel/picture";
import links from "../links/picture";
import mpmd from "../mpmd/picture";
import pipeline from "../pipeline/picture";
import memory from "../program/memory/picture";
import overlap from "../program/overlap/picture";
import program from "../program/picture";
import reshard from "../reshard/picture";
import run from "../run/picture";
import search from "../search/picture";
import stepper from "../stepper/picture";
import text from "../text/picture";
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
  diff,
  exercise,
  inspector,
  links,
  kernel,
  memory,
  mpmd,
  overlap,
  pipeline,
  program,
  reshard,
  run,
  search,
  stepper,
  text,
  tree,
];

/** The picture of a kind of document; an array's for kinds that nobody draws, whose reader says so. */
export function pictureOf(kind: unknown): Picture<SavedState> {
  return PICTURES.find(({ kinds }) => kinds.includes(String(kind))) ?? array;
}
