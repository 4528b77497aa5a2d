/** The heads of a table. */
import type { Column } from "../core/columns.gen";

/** `figures`: columns of numbers, which stand at their end. */
export function Heads({ of, figures }: { of: readonly Column[]; figures?: ReadonlySet<string> }) {
  return (
    <thead>
      <tr>
        {of.map(({ key, head }) => (
          <th scope="col" class={figures?.has(key) ? "figure" : ""} key={key}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}
