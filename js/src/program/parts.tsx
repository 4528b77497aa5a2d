/** Small things that stand in several places of a program's card. */
import { Chip } from "../card/Chip";
import type { MeshModel } from "../core/mesh";
import type { ProgramState } from "./state";

/** A mesh axis, as a filter: its line pattern and name, with its size. Pointing at it draws its groups. */
export function AxisButton({ state, mesh, axis }: { state: ProgramState; mesh: MeshModel; axis: number }) {
  const a = mesh.axes[axis];
  if (!a) return null;
  const chosen = state.now.axis === a.name;
  return (
    <Chip
      name={a.name}
      axis={axis}
      aria-pressed={chosen}
      title={chosen ? "list all collectives" : `list only the collectives over ${a.name}`}
      onClick={() => state.list({ axis: chosen ? null : a.name })}
      onPointerEnter={() => state.set({ lit: axis })}
      onPointerLeave={() => state.set({ lit: null })}
      onFocus={() => state.set({ lit: axis })}
      onBlur={() => state.set({ lit: null })}
    >
      {a.size}
    </Chip>
  );
}
