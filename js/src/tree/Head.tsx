/** What the tree is called, its mesh axes as filters, and what it comes to. */
import { count } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import type { TreeModel } from "./model/tree";
import { badgesOf } from "./model/words";
import type { ModelState } from "./state";

export function Head({ state, tree }: { state: ModelState; tree: TreeModel }) {
  return (
    <header>
      <h2 class="mono">
        {tree.doc.name && <span class="soft">{tree.doc.name} </span>}
        {count(tree.arrays, "array")}
      </h2>
      <span class="chips">
        {tree.mesh.axes.map((a, axis) => {
          const chosen = state.now.axis === a.name;
          return (
            <button
              type="button"
              class={`chip axis${axis % AXIS_DASH.length}`}
              aria-pressed={chosen}
              title={chosen ? "list all arrays" : `list the arrays that ${a.name} splits`}
              onClick={() => state.list({ axis: chosen ? null : a.name })}
              key={a.name}
            >
              <b>{a.name}</b> {a.size}
            </button>
          );
        })}
      </span>
      <ul class="badges">
        {badgesOf(tree).map((b) => (
          <li class={`badge ${b.tone}`} key={b.text}>
            <b>{b.strong}</b> {b.text}
          </li>
        ))}
      </ul>
    </header>
  );
}
