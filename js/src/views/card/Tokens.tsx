/** Text in which mesh axes take their colour. */
import type { Token } from "../../model/text";
import { AXIS_DASH } from "../../scene/scene";

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
