/** What is drawn, as a list for keyboard and screen reader: one stop, and one option in the page, what is looked at. */
import type { JSX, RefCallback } from "preact";
import type { Box } from "../draw/marks";

interface Props extends Omit<JSX.HTMLAttributes<HTMLDivElement>, "label"> {
  label: string;
  /** What is looked at, in words; nothing where that is empty. */
  said: string;
  /** Where it is; without, everywhere. */
  at?: JSX.CSSProperties | undefined;
  id?: string;
  selected?: boolean;
  place?: { readonly index: number; readonly of: number };
  seen?: RefCallback<HTMLDivElement>;
}

export function Listbox(props: Props) {
  const { label, said, at = ALL, id = "at", selected = true, place, seen, children, ...rest } = props;
  return (
    <div
      class="panel"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={said ? id : undefined}
      style={ALL}
      {...rest}
    >
      {children}
      {said && (
        <div
          id={id}
          class="option"
          role="option"
          tabIndex={-1}
          aria-selected={selected}
          aria-posinset={place && place.index + 1}
          aria-setsize={place?.of}
          aria-label={said}
          style={at}
          ref={seen ?? null}
        />
      )}
    </div>
  );
}

const ALL = { inset: "0" };

export function boxStyle({ x, y, w, h }: Box): JSX.CSSProperties {
  return { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` };
}
