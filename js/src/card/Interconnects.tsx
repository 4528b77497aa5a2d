/** Chooses the interconnect that times are estimated for. */

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
      <select
        value={String(value)}
        aria-label="interconnect that times are estimated for"
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {names.map((name, i) => (
          <option value={i} key={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
