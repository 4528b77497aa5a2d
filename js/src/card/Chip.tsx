/** Mesh axes as chips: line pattern, name, and what is said of the axis, mostly its size. */
import type { ComponentChildren, JSX } from "preact";
import { AXIS_DASH } from "../draw/marks";

interface Props extends Omit<JSX.ButtonHTMLAttributes, "name"> {
  name: string;
  /** Index in the mesh. */
  axis: number;
  children?: ComponentChildren;
}

/** A button where pressing it does something. */
export function Chip({ name, axis, children, ...rest }: Props) {
  const Tag = (rest.onClick ? "button" : "span") as "button";
  return (
    <Tag type={rest.onClick && "button"} class={`chip axis${axis % AXIS_DASH.length}`} {...rest}>
      <b>{name}</b> {children}
    </Tag>
  );
}
