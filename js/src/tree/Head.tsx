/** What the tree is called, its mesh axes as filters, and what it comes to. */
import { Chip } from "../card/Chip";
import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { Walk } from "../card/Walk";
import { count } from "../core/text";
import type { Sort } from "./model/rows";
import { answerOf, badgesOf } from "./model/words";
import { type ModelState, NARROW, type Shown } from "./state";

export function TreeHead({ state, shown: { tree, figures } }: { state: ModelState; shown: Shown }) {
  const { axes } = tree.mesh;
  const filter = (axis: number) => {
    const { name = "", size } = axes[axis] ?? {};
    const chosen = state.now.axis === name;
    return (
      <Chip
        name={name}
        axis={axis}
        aria-pressed={chosen}
        title={chosen ? "list all arrays" : `list the arrays that ${name} splits`}
        onClick={() => state.list({ axis: chosen ? null : name })}
        key={name}
      >
        {size}
      </Chip>
    );
  };
  const { says, also } = answerOf(tree, figures.here);
  const walk = <Walk at={state.now.finding ?? -1} of={tree.findings.length} go={(by) => state.walk(by)} />;
  return (
    <Head
      name={tree.doc.name}
      title={count(tree.arrays, "array")}
      axes={axes}
      chip={filter}
      badges={badgesOf(tree, figures).filter(({ to }) => to !== "finding" || state.now.width >= NARROW)}
      go={(to) => (to === "finding" ? state.walk(1) : state.sortBy(to as Sort))}
      at={[state.now.sort, state.now.finding === null ? "" : "finding"]}
      says={
        <Says also={also} walk={walk}>
          {says}
        </Says>
      }
    />
  );
}
