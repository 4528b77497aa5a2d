/** Algorithms as Python wrote them: `python -m tests.fixtures`. */
import { Course, decodeAlgorithms } from "../../src/algorithms/model/algorithms";
import type { Algorithm, Algorithms, Network } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import cases from "./algorithms.json";

export type Name = keyof typeof cases;
export const NAMES = Object.keys(cases) as Name[];

export function wire(name: Name): Algorithms {
  return reviveBytes(cases[name].document) as unknown as Algorithms;
}

/** What Python says of times and equal sizes. */
export const said = (name: Name) => cases[name];

/** Sizes of blocks that `seconds` are for. */
export const SIZES = [1, 2 ** 12, 2 ** 30] as const;

/** On the first interconnect of a topology, the first and the last algorithm. */
export function courses(
  name: Name,
  nbytes: number,
  topology: Network["topology"] = "torus",
): readonly [Course, Course] {
  const doc = decodeAlgorithms(wire(name));
  const network = doc.networks.find((one) => one.topology === topology) as Network;
  const course = (one: Algorithm | undefined) => new Course(doc, one as Algorithm, network, nbytes);
  return [course(doc.algorithms[0]), course(doc.algorithms.at(-1))];
}
