/** What happens in a collective, in words: what is drawn, and how to read it. */

import type { Played, Transfer } from "../../collective/model/plan";
import type { Collective, Step, Variable } from "../../core/document.gen";
import { ranges, some } from "../../core/text";
import { exchanges, gathers, permutes, ragged, reducesAll, tells } from "./semantics";
import type { Flow, Moment } from "./timeline";
import type { TraceModel } from "./trace";

/** What a caption is about. */
export interface Captioned {
  trace: TraceModel;
  step: Step;
  moment: Moment;
  collective: Collective | null;
  played: Played | null;
  flow: Flow;
  finished: boolean;
  hops: boolean;
  adds: boolean;
  /** Mesh position of the receiver that is drawn, and the group that it is in. */
  receiver: number;
  stage: {
    group: readonly number[];
    motion: string;
    bars: boolean;
    carried: { chunks: number; swatch: boolean };
  };
  output: Variable | null;
  options: { rules?: { transitText(trace: TraceModel, at: number): readonly [string, string] } | null };
}

/** A sentence, and how to read the signs; of a local step, what is under way meanwhile. */
export function caption(of: Captioned): readonly [string, string] {
  const { trace, collective: c, stage } = of;
  if (!c || trace.end(of.step) === "start") return of.options.rules?.transitText(trace, of.moment.step) ?? ["", ""];
  const id = (p: number | undefined) => trace.mesh.ids[p ?? 0] ?? 0;
  const receiver = id(of.receiver);
  if (of.hops) return hopCaption(of, id);
  const others = stage.group.filter((p) => p !== of.receiver).map(id);
  if (exchanges(c) || ragged(c)) {
    // Of a ragged exchange some members may have nothing to send.
    const takes = ragged(c)
      ? "the rows that are sent to it, and its own"
      : `its chunk of every block. Senders: ${ranges(others)}, and itself`;
    return [`Device ${receiver} takes ${takes}.`, "colour and tag: the sender; all devices receive at once"];
  }
  if (gathers(c)) {
    const all = `every device ends with all ${stage.group.length}, in rank order`;
    return [`Device ${receiver} receives the blocks of ${ranges(others)}; ${all}.`, ""];
  }
  if (permutes(c)) return permutation(of, id);
  if (tells(c)) return [`One device's block is sent to all others; the copy to device ${receiver} is drawn.`, ""];
  return ["", ""];
}

function hopCaption(
  { collective: c, played, flow, finished, adds, stage }: Captioned,
  id: (p: number | undefined) => number,
): readonly [string, string] {
  const rounds = played?.rounds.length ?? 0;
  const n = stage.group.length;
  if (finished) return [`All ${rounds} hops are done.`, ""];
  const round = played?.rounds[flow.round] ?? [];
  const adding = round.some((t) => t.op === "add");
  const part = reducesAll(c) ? (adding ? ", reduce-scatter" : ", all-gather") : "";
  const does = adding ? "the receiver adds what arrives" : "each device passes on what it has";
  const { chunks, swatch } = stage.carried;
  const counted = stage.motion === "lanes" && !swatch && round.some((t) => t.chunks.length > chunks);
  const sign = [
    ...(swatch ? ["a copy has the colour of its chunk"] : []),
    ...(counted ? [chunks > 1 ? "+n: n pieces more" : "×n: n pieces"] : []),
    adds
      ? `${stage.bars ? `bar: whose of the ${n} terms a chunk holds; ` : ""}pale: passed on`
      : "number in an empty place: the hop that fills it",
    "framed: receives in this hop",
    ...(c && c.axes.length > 1 ? ["colour = axis crossed"] : []),
  ].join("; ");
  return [
    `Hop ${flow.round + 1} of ${rounds}${part}: ${does}.${stage.motion === "lanes" ? pairsOf(round, stage, id) : ""}`,
    sign,
  ];
}

/** Who sends to whom in a round: ` 0 ↔ 4, 1 ↔ 5 …`. */
function pairsOf(
  round: readonly Transfer[],
  { group }: Captioned["stage"],
  id: (p: number | undefined) => number,
): string {
  const sends = (from: number, to: number) => round.some((t) => t.source === from && t.destination === to);
  const pairs = new Set(
    round.flatMap(({ source: a, destination: b }) => {
      if (sends(b, a)) return a < b ? [`${id(group[a])} ↔ ${id(group[b])}`] : [];
      return [`${id(group[a])} → ${id(group[b])}`];
    }),
  );
  return ` ${some([...pairs], 4)}.`;
}

function permutation({ played, stage }: Captioned, id: (p: number | undefined) => number): readonly [string, string] {
  const pairs = played?.rounds[0] ?? [];
  const without = (end: "source" | "destination") =>
    stage.group.flatMap((p, r) => (pairs.some((t) => t[end] === r) ? [] : [id(p)]));
  const [unsent, zeros] = [without("source"), without("destination")];
  const device = (ids: readonly number[]) => `${ids.length === 1 ? "device" : "devices"} ${ranges(ids)}`;
  const said = [
    zeros.length > 0 ? `Nobody sends to ${device(zeros)}, so JAX fills in zeros.` : "",
    unsent.length > 0 ? `Nothing is sent by ${device(unsent)}.` : "",
  ];
  return [said.join(" ").trim() || "Every device sends its block and receives one.", ""];
}
