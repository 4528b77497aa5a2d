/** Arrays on groups as Python wrote them: `python -m tests.fixtures`. */
import type { MpmdPlacement } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { decodeMpmd, MpmdModel } from "../../src/mpmd/model/mpmd";
import mpmds from "./mpmds.json";

export type MpmdName = keyof typeof mpmds;
export const MPMDS = Object.keys(mpmds) as MpmdName[];

/** A wire document of its own. */
export function wire(name: MpmdName): MpmdPlacement {
  return reviveBytes(mpmds[name]) as unknown as MpmdPlacement;
}

export function mpmd(name: MpmdName): MpmdModel {
  return new MpmdModel(decodeMpmd(wire(name)));
}
