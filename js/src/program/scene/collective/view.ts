/** A collective on the devices at a moment: its groups, who stands in full, how far it has come. */

import type { Played } from "../../../collective/model/plan";
import type { Scheme } from "../../../core/color";
import type { HloCollective, Plan } from "../../../core/document.gen";
import type { Box } from "../../../draw/marks";
import type { ProgramModel } from "../../model/program";
import { roundAt } from "../../model/rounds";
import type { Stage } from "./stage";

export interface ViewOptions {
  scheme: Scheme;
  algorithm: Plan["algorithm"];
  /** From 0, before anything moves, to 1, when all has arrived. */
  phase: number;
  /** The group that stands out. */
  group: number;
  /** The device that is looked at. */
  device: number | null;
  /** A mesh axis whose groups are shown in place of the collective's. */
  lit: number | null;
  /** Arrows at once, in place of copies on their way. */
  still: boolean;
}

export class CollectiveView {
  readonly groups: readonly (readonly number[])[];
  readonly group: readonly number[];
  readonly plan: Plan | null;
  readonly played: Played | null;
  readonly round: number;
  /** How far the round has come. */
  readonly progress: number;
  /** Rounds that are over. */
  readonly arrived: number;
  /** Whether copies are on their way. */
  readonly moving: boolean;
  /** Tiles that stand in full, by mesh position. */
  readonly seats: ReadonlyMap<number, Box>;
  /** Index of the mesh axis whose colour it has; null where its groups are irregular. */
  readonly axis: number | null;
  readonly #groupOf: ReadonlyMap<number, number>;

  constructor(
    readonly model: ProgramModel,
    readonly stage: Stage,
    readonly c: HloCollective | null,
    readonly options: ViewOptions,
  ) {
    const { lit, phase, algorithm } = options;
    this.groups = lit !== null ? model.groupsOfAxis(lit) : c ? model.groups(c) : [];
    this.#groupOf = new Map(this.groups.flatMap((group, g) => group.map((p) => [p, g] as const)));
    this.group = this.groups[options.group] ?? this.groups[0] ?? [];
    this.axis = lit ?? (c?.axes[0] === undefined ? null : model.mesh.axisOf(c.axes[0]));
    this.plan = c && lit === null ? model.plan(c, algorithm) : null;
    this.played = this.plan && model.played(this.plan);
    const rounds = this.plan?.rounds.length ?? 0;
    const { round, progress } = roundAt(rounds, phase);
    this.round = round;
    this.progress = phase >= 1 ? 1 : progress;
    this.arrived = this.progress >= 1 ? round + 1 : round;
    this.moving = this.played !== null && phase > 0 && this.arrived < rounds;
    const inFull = (this.group.length > 0 ? this.group : everyone(model.mesh.size)).slice(0, stage.seats.length);
    this.seats =
      stage.density === "full"
        ? new Map(stage.boxes.map((box, p) => [p, box]))
        : new Map(inFull.map((p, i) => [p, stage.seats[i] as Box]));
  }

  groupOf(position: number): number | null {
    return this.#groupOf.get(position) ?? null;
  }

  /** The groups whose copies are drawn: all, or the one in full. */
  get shown(): readonly (readonly number[])[] {
    return this.stage.density === "full" ? this.groups : [this.group];
  }

  /** Whether its chunks are combined on their way. */
  get reduces(): boolean {
    return (this.plan?.semantics.combines ?? "") !== "";
  }
}

function everyone(n: number): number[] {
  return Array.from({ length: n }, (_, p) => p);
}
