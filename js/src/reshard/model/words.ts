/** A plan in words: its head, a chunk, a group, an array. */
import type { MovedArray } from "../../core/document.gen";
import { bytes } from "../../core/format";
import type { Badge } from "../../core/text";
import { count, some } from "../../core/text";
import type { PlanModel } from "./reshard";

export function titleOf({ doc }: PlanModel): string {
  const [array] = doc.arrays;
  if (doc.direction === "device_put") return `device_put of ${array ? typeOf(array) : "nothing"}`;
  const arrays = count(doc.arrays.length, "array");
  return doc.direction === "spmd_to_mpmd"
    ? `${arrays} to groups of ${doc.axis}`
    : `${arrays} from groups of ${doc.axis}`;
}

/** What runs it: the function of JAX or JaxPP that does the same. */
export function callOf({ doc }: PlanModel): string {
  return { spmd_to_mpmd: "spmd_to_mpmd_reshard", mpmd_to_spmd: "mpmd_to_spmd_reshard", device_put: "jax.device_put" }[
    doc.direction
  ];
}

export function badgesOf(model: PlanModel): Badge[] {
  const freed = model.freedBytes;
  const heavy = model.tooHeavy.length;
  return [
    { tone: "plain", strong: bytes(model.peak.bytes), text: "on a device, the peak" },
    ...(freed > 0 ? [{ tone: "warn", strong: bytes(freed), text: "made, then freed" } as const] : []),
    ...(heavy > 0
      ? [
          {
            tone: "warn",
            strong: String(heavy),
            text: heavy === 1 ? "weighs more than it adds" : "weigh more than they add",
          } as const,
        ]
      : []),
  ];
}

/** `float32[1024,4096]`. */
export function typeOf({ dtype, shape }: MovedArray): string {
  return `${dtype}[${shape.join(",")}]`;
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

/** What a chunk adds and weighs, in one line. */
export function chunkText(model: PlanModel, chunk: number): string {
  const arrays = model.arraysOf(chunk);
  const text = `chunk ${chunk + 1} of ${model.chunks}: ${count(arrays.length, "array")}, adds ${bytes(model.chunkBytes(chunk))} on a device, weighs ${bytes(model.chunkWeight(chunk))}`;
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

/** What must move in all, next to what XLA's programs send. */
export function movesText({ doc }: PlanModel): string {
  const least = doc.arrays.reduce((sum, a) => sum + a.least_bytes, 0);
  return `Must move at least ${bytes(least)} in all; ${sentText(doc.arrays)}.`;
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

function sentText(arrays: readonly MovedArray[]): string {
  const sent = sentBytes(arrays);
  return sent === null ? "nothing is compiled" : `XLA's programs send ${bytes(sent)}`;
}
