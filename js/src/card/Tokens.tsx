/** Text in which mesh axes take their colour. */
import type { Token } from "../core/text";
import { AXIS_DASH } from "../draw/marks";

export function Tokens({ tokens }: { tokens: readonly Token[] }) {
  return (
    <>
      {tokens.map((t, i) =>
        t.axis === null ? (
          t.text
        ) : (
          <b class={`ink${t.axis % AXIS_DASH.length}`} key={i}>
            {t.text}
          </b>
        ),
      )}
    </>
  );
}
