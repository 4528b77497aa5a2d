/** What a step shows, the same at every moment of it: worked out once, and read by everything that is drawn. */
import { isEmpty } from "../../collective/model/chunks";
import type { Played } from "../../collective/model/plan";
import type { Collective, Plan, Step, Variable } from "../../core/document.gen";
import { unpack } from "../../core/ints";
import { product } from "../../core/mesh";
import type { Box } from "../../draw/marks";
import type { Formats } from "../model/formats";
import { reducesAll } from "../model/semantics";
import { reduces, type TraceModel } from "../model/trace";
import { type Contents, slotsOf } from "./contents";
import type { Lane, Stage } from "./stage";

export interface Setting {
  trace: TraceModel;
  step: Step;
  show: Contents;
  /** The variables of `show`, in the order in which keys go through them. */
  slots: readonly Variable[];
  formats: Formats;
  /** Mesh positions that run the step; null for all. */
  active: ReadonlySet<number> | null;
  stage: Stage;
  /** Mesh positions whose tiles stand in full, and their boxes. */
  seats: ReadonlyMap<number, Box>;
  input: Variable | null;
  output: Variable | null;
  /** What the step communicates; null for a local one. */
  collective: Collective | null;
  plan: Plan | null;
  /** The algorithm without chunks that have no element; null for a sum, whose copies all go at once. */
  played: Played | null;
  /** Mesh axis of the collective, which chooses its ink. */
  axis: number;
  /** Whether blocks are combined, and by which operation; empty where they are only moved. */
  adds: boolean;
  combines: string;
  /** Whether copies go from tile to tile, in rounds. */
  hops: boolean;
  /** Chunks without elements, because there are more chunks than elements. */
  empty: ReadonlySet<number>;
  /** The group of each mesh position, in rank order. */
  groupOf: ReadonlyMap<number, readonly number[]>;
  /** Mesh position of the receiver whose addition is drawn. */
  receiver: number;
  /** Lanes in the order in which their terms are added: the receiver's own first. */
  order: readonly Lane[];
}

export function settingOf(
  trace: TraceModel,
  step: Step,
  { show, formats }: Pick<Setting, "show" | "formats">,
  plan: Plan | null,
  stage: Stage,
): Setting {
  const collective = trace.sends(step);
  const [input, output] = [trace.variable(step.inputs[0] ?? -1), trace.given(step)];
  const groups = collective ? trace.groups(collective) : [];
  const empty = emptyChunks(collective, input, stage.chunks);
  const own = stage.lanes[stage.receiver];
  return {
    trace,
    step,
    show,
    slots: slotsOf(show),
    formats,
    active: step.active && new Set(unpack(step.active)),
    stage,
    seats: new Map(
      stage.tiles.flatMap(({ members, box }) =>
        members.length === 1 && !stage.covered.has(members[0] ?? 0) ? [[members[0] ?? 0, box] as const] : [],
      ),
    ),
    input,
    output,
    collective,
    plan,
    played: plan && stage.motion !== "gather" ? existing(trace.played(plan), empty) : null,
    axis: trace.mesh.axisOf(collective?.axes[0] ?? ""),
    adds: reduces(collective),
    combines: collective?.semantics.combines ?? "",
    hops: stage.motion === "gutters" || stage.motion === "lanes",
    empty,
    groupOf: new Map(groups.flatMap((group) => group.map((p) => [p, group] as const))),
    receiver: own?.members[0] ?? stage.group[0] ?? 0,
    order: own ? [own, ...stage.lanes.filter((lane) => lane !== own)] : stage.lanes,
  };
}

function emptyChunks(c: Collective | null, input: Variable | null, n: number): ReadonlySet<number> {
  const size = product(input?.shape ?? []);
  const every = n > 1 && reducesAll(c) ? Array.from({ length: n }, (_, k) => k) : [];
  return new Set(every.filter((k) => isEmpty(size, n, k)));
}

/** An algorithm without chunks that are not there. */
function existing(played: Played, empty: ReadonlySet<number>): Played {
  if (empty.size === 0) return played;
  const rounds = played.rounds.map((round) =>
    round.flatMap((t) => {
      const chunks = t.chunks.filter((k) => !empty.has(k));
      return chunks.length > 0 ? [{ ...t, chunks }] : [];
    }),
  );
  return { ...played, rounds };
}
