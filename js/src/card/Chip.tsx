/** Mesh axes as chips: line pattern, name, and what is said of the axis, mostly its size. */
import type { ComponentChildren, JSX } from "preact";
import { AXIS_DASH } from "../draw/marks";

interface Props extends Omit<JSX.ButtonHTMLAttributes, "name"> {
  name: string;
  /** Index in the mesh. */
  axis: number;
  children?: ComponentChildren;
}

export function Chip({ name, axis, children, ...rest }: Props) {
  return (
    <Pressed class={`chip axis${axis % AXIS_DASH.length}`} {...rest}>
      <b>{name}</b> {children}
    </Pressed>
  );
}

/** A button where pressing it does something, else words. */
export function Pressed(props: JSX.ButtonHTMLAttributes) {
  return props.onClick ? <button type="button" {...props} /> : <span {...(props as object)} />;
}
