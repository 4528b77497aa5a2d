/** What stands in rows of tools: the search, and choices of one, side by side or in a menu. */
import type { ComponentChildren, JSX } from "preact";

interface SearchProps {
  /** What is searched for, as words in the empty field; what is searched. */
  hint: string;
  label: string;
  value: string;
  search: (text: string) => void;
}

export function Search({ hint, label, value, search }: SearchProps) {
  return (
    <input
      type="search"
      placeholder={hint}
      aria-label={label}
      aria-keyshortcuts="/"
      value={value}
      onInput={(event) => search(event.currentTarget.value)}
    />
  );
}

interface SegmentsProps<Value> {
  legend: string;
  of: readonly Segment<Value>[];
  value: Value;
  choose: (value: Value) => void;
}

type Segment<Value> = readonly [
  value: Value,
  text?: ComponentChildren,
  more?: { disabled?: boolean; title?: string; class?: string },
];

/** Tabs and choices: one of several, all in view. */
export function Segments<Value extends string | number>({ legend, of, value, choose }: SegmentsProps<Value>) {
  return (
    <fieldset class="segments">
      <legend>{legend}</legend>
      {of.map(([one, text, more]) => (
        <button type="button" aria-pressed={one === value} onClick={() => choose(one)} {...more} key={one}>
          {text ?? one}
        </button>
      ))}
    </fieldset>
  );
}

interface SelectProps<Value> extends Omit<JSX.SelectHTMLAttributes, "value"> {
  of: readonly Segment<Value>[];
  value: Value | undefined;
  choose: (value: Value) => void;
}

/** The same as a menu. */
export function Select<Value extends string | number>({ of, value, choose, ...rest }: SelectProps<Value>) {
  return (
    <select
      value={String(value)}
      onChange={({ currentTarget }) => {
        const chosen = of[currentTarget.selectedIndex];
        if (chosen) choose(chosen[0]);
      }}
      {...rest}
    >
      {of.map(([one, text, more]) => (
        <option value={one} {...more} key={one}>
          {text ?? one}
        </option>
      ))}
    </select>
  );
}
