/** Transfers that are under way over several steps, as rails: a filled disc where they start, a hollow one where they are received. */
import type { RailOf } from "./parts";

export function Rails({ of = [] }: { of: readonly RailOf[] | undefined }) {
  return of.map(({ look, style }, i) => <i class={look} style={style} key={i} />);
}
