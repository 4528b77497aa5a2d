/** What the tree is called, its mesh axes as filters, and what it comes to. */
import { Chip } from "../card/Chip";
import { Head } from "../card/Head";
import { count } from "../core/text";
import type { TreeModel } from "./model/tree";
import { badgesOf } from "./model/words";
import type { ModelState } from "./state";

export function TreeHead({ state, tree }: { state: ModelState; tree: TreeModel }) {
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
  return (
    <Head name={tree.doc.name} title={count(tree.arrays, "array")} axes={axes} chip={filter} badges={badgesOf(tree)} />
  );
}
