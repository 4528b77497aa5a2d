/** What `jax.sharding.no_collectives` forbids of a reshard to a draft, in JAX's own words. */
import type { Forbids, MeshAxis, SpecDraft } from "../../core/document.gen";
import { setText, specCode } from "../../core/spec/spec";

export interface Forbidden {
  /** Class of the exception. */
  error: string;
  /** JAX's own words. */
  said: string;
  meaning: string;
}

/** The collectives that `jax.reshard(x, draft)` may not make, in the order in which JAX looks; it raises the first. */
export function forbiddenOf(draft: SpecDraft, forbids: Forbids, before: SpecDraft): readonly Forbidden[] {
  if (!isJudged(draft, before)) return [];
  const raised = (axis: string, said: string, meaning: string): Forbidden => ({
    error: forbids.error,
    said: said.replaceAll("{axis}", axis),
    meaning,
  });
  const lost = forbids.axes.flatMap((axis) => {
    if (draft.unreduced.includes(axis)) return [];
    if (before.unreduced.includes(axis)) {
      return [
        raised(axis, forbids.sums, `Along ${axis} devices hold parts of a sum: adding them up sends over ${axis}.`),
      ];
    }
    const gathers = dimsOf(before, axis).length > 0 && dimsOf(draft, axis).length === 0;
    return gathers ? [raised(axis, forbids.gathers, `Blocks along ${axis} would be gathered.`)] : [];
  });
  const moved = forbids.axes.flatMap((axis) => {
    const [from, to] = [dimsOf(before, axis), dimsOf(draft, axis)];
    if (from.length === 0 || to.length === 0 || String(from) === String(to)) return [];
    return [raised(axis, forbids.moves, `${axis} would split dim ${to} instead of dim ${from}: an all-to-all.`)];
  });
  return [...lost, ...moved];
}

/** What is forbidden, in code. */
export function forbidsCode(forbids: Forbids): string {
  return `no_collectives(${setText(forbids.axes)})`;
}

/** What is forbidden whatever the spec is, or what JAX makes of the draft. */
export function allowedText(draft: SpecDraft, forbids: Forbids, before: SpecDraft, refused: boolean): string {
  const axes = forbids.axes.join(" or ");
  if (!refused && isJudged(draft, before) && specCode(draft) !== specCode(before)) {
    return `JAX allows the reshard from ${specCode(before)}.`;
  }
  if (draft.axes.some((axis) => axis.type !== "Explicit")) {
    return "It is about types, which speak of Explicit axes alone: here nothing is forbidden.";
  }
  return `A reshard may not sum or gather over ${axes}, nor split another dimension over it.`;
}

/** JAX judges what is on Explicit axes, of one mesh. */
function isJudged(draft: SpecDraft, before: SpecDraft): boolean {
  const same = sizesOf(draft.axes) === sizesOf(before.axes) && String(draft.shape) === String(before.shape);
  return same && draft.axes.every((axis) => axis.type === "Explicit");
}

function sizesOf(axes: readonly MeshAxis[]): string {
  return JSON.stringify(axes.map(({ name, size, type }) => [name, size, type]));
}

function dimsOf(draft: SpecDraft, axis: string): number[] {
  return draft.entries.flatMap((entry, dim) => (entry.axes.includes(axis) ? [dim] : []));
}
