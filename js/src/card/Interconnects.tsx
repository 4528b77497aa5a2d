/** Chooses the interconnect that times are estimated for. */
import { Select } from "./Tools";

interface Props {
  /** What stands before it. */
  label: string;
  names: readonly string[];
  value: number;
  choose: (index: number) => void;
}

export function Interconnects({ label, names, value, choose }: Props) {
  return (
    <label>
      {label}{" "}
      <Select
        aria-label="interconnect that times are estimated for"
        of={names.map((name, i) => [i, name])}
        {...{ value, choose }}
      />
    </label>
  );
}
