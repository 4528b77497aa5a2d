/** The card of a document that is words: its first line is the answer. */
import { Foot } from "../card/Foot";
import { Head } from "../card/Head";
import { Says } from "../card/Says";
import type { TextState } from "./state";

export function TextCard({ state }: { state: TextState }) {
  const { name, first, lines } = state.words();
  return (
    <div class="text">
      <Head title={name} says={<Says>{first}</Says>} />
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
        <pre class="mono" tabIndex={0}>
          {lines.join("\n")}
        </pre>
      )}
      <Foot />
    </div>
  );
}
