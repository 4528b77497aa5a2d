/** A mesh axis to take in the hand, or `P.UNCONSTRAINED`. */
import { AXIS_DASH } from "../../scene/scene";

interface Props {
  /** Null for `P.UNCONSTRAINED`. */
  name: string | null;
  /** Index in the mesh; -1 for an axis that it does not have. */
  axis: number;
  size: number | null;
  /** Which of its place's axes. */
  index?: number;
  /** As in the hand now, or as used already. */
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
