/** What the picture of a collective shows, in one line under it. */
import { crowded } from "./flights";
import { lineLoads } from "./links";
import type { CollectiveView } from "./view";

export function captionOf(view: CollectiveView): string {
  const { c, plan, model, options, group } = view;
  if (!c || options.lit !== null) return "";
  const says: string[] = [];
  if (view.moving && plan) {
    if (plan.rounds.length > 1) says.push(`round ${view.round + 1} of ${plan.rounds.length}`);
    if (view.reduces) says.push("hatched: a sum that is not complete");
    if (crowded(view)) says.push(`copies to device ${model.mesh.ids[options.device ?? group[0] ?? 0]} shown`);
    return says.join("; ");
  }
  if (options.phase >= 1) return "everything has arrived";
  const known = model.connection(c);
  if (c.pairs.length > 0) return "arrows: who sends to whom";
  if (known === "line" && model.lies(c)?.along.length === 1 && lineLoads(c.semantics, group.length))
    says.push("arrow width = blocks carried");
  else says.push(known === "unknown" ? "arrows: neighbours in a group" : "arrows: the links in use");
  if (known === "ring" && !view.stage.grid.ring) says.push("arrows out of the edge close the ring");
  if (known !== "unknown" && view.stage.density === "full") says.push("grey links idle");
  if (view.stage.density !== "full" && view.groups.length > 1) says.push(`${view.groups.length} groups, one shown`);
  return says.join("; ");
}
