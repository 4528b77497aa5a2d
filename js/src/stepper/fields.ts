/** What a stepper remembers while it is on the page. */
import type { Algorithm } from "../collective/model/algorithm";
import type { Level } from "./model/levels";
import type { Moment } from "./model/timeline";
import type { TraceModel } from "./model/trace";
import type { Parts } from "./parts";
import type { Hit } from "./scene/view";

export const BEGINNING = {
  /** The trace at the level that is shown. */
  trace: null as TraceModel | null,
  /** What a step is: an equation, an expression or a statement. */
  level: "expression" as Level,
  moment: { step: 0, phase: 1 } as Moment,
  playing: false,
  /** Speed of playing: a factor, or as fast as sentences are read. */
  speed: 1 as number | "reading",
  algorithm: "meaning" as Algorithm,
  /** Names of watched variables. */
  watch: [] as readonly string[],
  /** Mesh position that is kept in view. */
  device: null as number | null,
  /** Which of its blocks; null for the result of the step. */
  slot: null as number | null,
  /** What the pointer is at. */
  hover: null as Hit | null,
  /** Whether the keyboard is at the devices. */
  keyboard: false,
  search: "",
  /** Scopes whose steps are shown one by one, and scopes that stay folded even at their own steps. */
  open: new Set<number>() as ReadonlySet<number>,
  shut: new Set<number>() as ReadonlySet<number>,
  /** Whether steps that only move shapes are left out of the list. */
  fold: false,
  /** Whether the list shows only collectives. */
  sends: false,
  interconnect: 0,
  /** Whether what sends nothing is skipped while playing. */
  collectives: false,
  /** A step in full, or all steps against all devices. */
  page: "tiles" as "tiles" | "space-time",
  /** What is loaded when it is first needed; null until then. */
  parts: null as Parts | null,
  /** The tile of space-time that is pointed at: the index of a row, a mesh position. */
  tile: null as { row: number; device: number } | null,
  /** Loops of the space-time whose iterations stand one by one; null until one was folded or opened. */
  loops: null as ReadonlySet<number> | null,
  /** The fix that the kernel traces the program with; null while it is not asked. */
  asked: null as number | null,
  /** Which menu is open where the source and the list have no column. */
  listed: null as "source" | "steps" | null,
};
export type Fields = typeof BEGINNING;
