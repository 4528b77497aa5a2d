/** A mesh axis that can be dragged, or `P.UNCONSTRAINED`. */
import { Chip } from "../card/Chip";
import { AXIS_DASH } from "../draw/marks";

interface Props {
  /** Null for `P.UNCONSTRAINED`. */
  name: string | null;
  /** Index in the mesh; -1 for an axis that it does not have. */
  axis: number;
  size: number | null;
  /** Which of its place's axes. */
  index?: number;
  /** Drawn as being dragged, or as already used. */
  look?: "away" | "used" | "";
}

export function Draggable({ name, axis, size, index = 0, look = "" }: Props) {
  const kind = name === null ? "loose" : axis < 0 ? "strange" : `axis${axis % AXIS_DASH.length}`;
  return (
    <Chip
      name={name ?? "UNCONSTRAINED"}
      axis={axis}
      class={`chip ${kind} ${look}`}
      data-chip={name ?? ""}
      data-index={index}
    >
      {size !== null && <span>{size}</span>}
    </Chip>
  );
}
