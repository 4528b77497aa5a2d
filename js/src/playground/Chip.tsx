/** A mesh axis that can be dragged, or `P.UNCONSTRAINED`. */
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

export function Chip({ name, axis, size, index = 0, look = "" }: Props) {
  const kind = name === null ? "loose" : axis < 0 ? "strange" : `axis${axis % AXIS_DASH.length}`;
  return (
    <span class={`chip ${kind} ${look}`} data-chip={name ?? ""} data-index={index}>
      <b>{name ?? "UNCONSTRAINED"}</b>
      {size !== null && ` ${size}`}
    </span>
  );
}
