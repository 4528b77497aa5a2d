/** What a stepper remembers while it is on the page. */
import type { Algorithm } from "../collective/model/algorithm";
import type { Level } from "./model/levels";
import type { Moment } from "./model/timeline";
import type { TraceModel } from "./model/trace";
import type { Parts } from "./parts";
import type { Hit } from "./scene/view";

export interface Fields {
  /** The trace at the level that is shown. */
  trace: TraceModel | null;
  /** What a step is: an equation, an expression or a statement. */
  level: Level;
  moment: Moment;
  playing: boolean;
  /** Speed of playing: a factor, or as fast as sentences are read. */
  speed: number | "reading";
  algorithm: Algorithm;
  /** Names of watched variables. */
  watch: readonly string[];
  /** Mesh position that is kept in view. */
  device: number | null;
  /** Which of its blocks; null for the result of the step. */
  slot: number | null;
  /** What the pointer is at. */
  hover: Hit | null;
  /** Whether the keyboard is at the devices. */
  keyboard: boolean;
  search: string;
  /** Scopes whose steps are shown one by one, and scopes that stay folded even at their own steps. */
  open: ReadonlySet<number>;
  shut: ReadonlySet<number>;
  /** Whether steps that only move shapes are left out of the list. */
  fold: boolean;
  /** Whether the list shows only collectives. */
  sends: boolean;
  help: boolean;
  interconnect: number;
  /** Whether what sends nothing is skipped while playing. */
  collectives: boolean;
  /** A step in full, or all steps against all devices. */
  page: "tiles" | "space-time";
  /** What is loaded when it is first needed; null until then. */
  parts: Parts | null;
  /** The tile of space-time that is pointed at: the index of a row, a mesh position. */
  tile: { row: number; device: number } | null;
  /** Loops of the space-time whose iterations stand one by one; null until one was folded or opened. */
  loops: ReadonlySet<number> | null;
  /** Which menu is open where the source and the list have no column. */
  listed: "source" | "steps" | null;
}

export const BEGINNING: Fields = {
  trace: null,
  level: "expression",
  moment: { step: 0, phase: 1 },
  playing: false,
  speed: 1,
  algorithm: "meaning",
  watch: [],
  device: null,
  slot: null,
  hover: null,
  keyboard: false,
  search: "",
  open: new Set(),
  shut: new Set(),
  fold: false,
  sends: false,
  help: false,
  interconnect: 0,
  collectives: false,
  listed: null,
  page: "tiles",
  parts: null,
  tile: null,
  loops: null,
};
