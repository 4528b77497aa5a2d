/** Instructions that could not be read: named, so that nothing is lost silently. */
import type { Program } from "../core/document.gen";
import { count } from "../core/text";

export function Unread({ doc }: { doc: Program }) {
  if (doc.unread.length === 0) return null;
  const it = doc.unread.length === 1 ? "looks like a collective" : "look like collectives";
  return (
    <details class="unread">
      <summary>
        {count(doc.unread.length, "instruction")} that {it} could not be read
      </summary>
      <ul class="mono">
        {doc.unread.map((text, i) => (
          <li key={i}>{text}</li>
        ))}
      </ul>
    </details>
  );
}
