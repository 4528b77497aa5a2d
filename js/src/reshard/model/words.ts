/** A plan in words: its head, a chunk, a group, an array. */
import type { MovedArray } from "../../core/document.gen";
import { bytes } from "../../core/format";
import type { Badge } from "../../core/text";
import { clauses, count, ranges, shortDtype, some } from "../../core/text";
import type { Moves, Piece } from "./moves";
import type { PlanModel } from "./reshard";

export function titleOf({ doc }: PlanModel): string {
  const [array] = doc.arrays;
  if (doc.direction === "device_put") return `device_put of ${array ? typeOf(array) : "nothing"}`;
  const arrays = count(doc.arrays.length, "array");
  return doc.direction === "spmd_to_mpmd"
    ? `${arrays} to groups of ${doc.axis}`
    : `${arrays} from groups of ${doc.axis}`;
}

/** What must move next to what the compiled programs send: the answer, in one sentence. */
export function answerOf({ doc }: PlanModel): string {
  const least = doc.arrays.reduce((sum, a) => sum + a.least_bytes, 0);
  const sent = sentBytes(doc.arrays);
  if (least === 0)
    return sent
      ? `Nothing must move, the programs send ${bytes(sent)}`
      : "Nothing moves: every device keeps its blocks";
  const must = `${bytes(least)} must move between devices`;
  return sent === null
    ? must
    : sent === least
      ? `${must}, and no more is sent`
      : `${must}, the programs send ${bytes(sent)}`;
}

/** Over which mesh axes, and what is not known. */
export function clauseOf(model: PlanModel): string {
  const over = new Set(model.doc.arrays.flatMap((a) => a.axes));
  const names = model.axes.flatMap((a) => (over.has(a.name) ? [a.name] : []));
  const unknown = model.doc.arrays.some((a) => a.collectives === null) ? "nothing is compiled" : "";
  return clauses([names.length > 0 ? `over ${names.join(", ")}` : "", unknown]);
}

export function badgesOf(model: PlanModel): Badge[] {
  const freed = model.freedBytes;
  return [
    {
      tone: "plain",
      strong: bytes(model.peak.bytes),
      text: "peak on a device",
      to: model.axis < 0 ? undefined : "peak",
    },
    ...(freed > 0
      ? [
          {
            tone: "warn",
            strong: bytes(freed),
            text: "made, then freed",
            to: model.axis < 0 ? undefined : "freed",
          } as const,
        ]
      : []),
  ];
}

/** `f32[1024,4096]`. */
export function typeOf({ dtype, shape }: MovedArray): string {
  return `${shortDtype(dtype)}[${shape.join(",")}]`;
}

/** What is called a group, `stage=2`, or several, `stage=2 to 5`. */
export function groupName({ doc, axis }: PlanModel, first: number, many = 1): string {
  if (axis < 0) return "a device";
  return many > 1 ? `${doc.axis}=${first} to ${first + many - 1}` : `${doc.axis}=${first}`;
}

/** What a device of a group holds while a chunk runs. */
export function heldText(model: PlanModel, chunk: number, group: number): string {
  const { waiting, kept, made, freed, total } = model.held(chunk, group);
  const parts = [
    ...(waiting > 0 ? [`${bytes(waiting)} not moved yet`] : []),
    ...(kept > 0 ? [`${bytes(kept)} kept`] : []),
    ...(made > 0 ? [`${bytes(made)} made and kept`] : []),
    ...(freed > 0 ? [`${bytes(freed)} made, then freed`] : []),
  ];
  const name = groupName(model, group);
  const most = model.peaks[group] ?? 0;
  const peak =
    total === most ? "its peak" : `its peak is ${bytes(most)}, in chunk ${(model.peakChunks[group] ?? 0) + 1}`;
  return `${name}, chunk ${chunk + 1} of ${model.chunks}: a device holds ${bytes(total)}, ${peak}: ${parts.join(", ") || "nothing"}`;
}

/** What a chunk makes and what of the threshold it takes, in one line. */
export function chunkText(model: PlanModel, chunk: number): string {
  const arrays = model.arraysOf(chunk);
  const text = `chunk ${chunk + 1} of ${model.chunks}: ${count(arrays.length, "array")}, ${bytes(model.chunkBytes(chunk))} made on a device, ${bytes(model.chunkWeight(chunk))} of the threshold`;
  const axes = axesOf(model, chunk);
  return `${text}${axes.length > 0 ? `, moves over ${axes.join(", ")}` : ", moves nothing"}; ${collectivesText(arrays.map((i) => model.doc.arrays[i] as MovedArray))}`;
}

/** Mesh axes over which a chunk moves data, in mesh order. */
export function axesOf(model: PlanModel, chunk: number): string[] {
  const over = new Set(model.arraysOf(chunk).flatMap((i) => model.doc.arrays[i]?.axes ?? []));
  return model.axes.flatMap((a) => (over.has(a.name) ? [a.name] : []));
}

/** The compiled collectives of arrays, equal ones counted. */
export function collectivesText(arrays: readonly MovedArray[]): string {
  if (arrays.some((a) => a.collectives === null)) return "not compiled";
  const counts = new Map<string, number>();
  for (const c of arrays.flatMap((a) => a.collectives ?? [])) {
    const name = c.axes.length > 0 ? `${c.kind} over ${c.axes.join(", ")}` : c.kind;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, n]) => (n > 1 ? `${n} × ${name}` : name)).join(", ") || "no collective";
}

/** Groups that keep an array, or of those that have it the one that gives it. */
export function groupsText({ doc }: PlanModel, array: MovedArray): string {
  if (doc.direction === "device_put") return "";
  return doc.direction === "spmd_to_mpmd" ? `to ${some(array.groups, 4)}` : `from ${array.groups[0] ?? 0}`;
}

/** Bytes that the compiled programs of arrays send, on all devices; null where one was not compiled. */
export function sentBytes(arrays: readonly MovedArray[]): number | null {
  let sum = 0;
  for (const { collectives } of arrays) {
    if (collectives === null) return null;
    for (const c of collectives) sum += c.total_bytes;
  }
  return sum;
}

/** What a device sends and gets, of the arrays that are drawn. */
export function movesText(model: PlanModel, panels: readonly { moves: Moves }[], id: number): string {
  const parts = panels.map(({ moves }) => {
    const { array, before, after, pieces } = moves;
    const [from, to] = [before.ids.indexOf(id), after.ids.indexOf(id)];
    const sum = (some: readonly Piece[]) => bytes(some.reduce((n, piece) => n + piece.bytes, 0));
    const gets = pieces.filter((p) => p.target === to && !p.stays);
    const gives = pieces.filter((p) => p.source === from && !p.stays);
    const stays = pieces.filter((p) => p.target === to && p.stays);
    const receivers = ranges([...new Set(gives.map((p) => after.ids[p.target] ?? 0))]);
    const senders = ranges([...new Set(gets.map((p) => before.ids[p.source] ?? 0))]);
    const words = [
      gives.length > 0 ? `sends ${sum(gives)} to ${receivers}` : "",
      gets.length > 0 ? `gets ${sum(gets)} from ${senders}` : "",
      stays.length > 0 ? `keeps ${sum(stays)}` : "",
      to >= 0 && !moves.keeps[to] ? "frees its block" : "",
    ];
    return `${array.path}: ${clauses(words, ", ") || "nothing"}`;
  });
  const at = model.axis < 0 ? undefined : ` at ${coordinatesOf(model, id)}`;
  return `device ${id}${at}. ${parts.join("; ")}`;
}

function coordinatesOf(model: PlanModel, id: number): string {
  const digits = model.digits(model.ids.indexOf(id));
  return model.axes.map((a, i) => `${a.name}=${digits[i] ?? 0}`).join(", ");
}
