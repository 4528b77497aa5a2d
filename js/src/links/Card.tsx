/** The card of device orders on chips: the answer first, then each order's links, and what crosses the one under the pointer. */

import { Foot } from "../card/Foot";
import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { Boards, Legend } from "./Boards";
import { KEYS } from "./keys";
import { factsOf } from "./model/links";
import type { LinksState } from "./state";

export function LinksCard({ state }: { state: LinksState }) {
  const { board } = state;
  const found = board.shown();
  if (!found) return null;
  const { doc, shown } = found;
  return (
    <div class="links">
      <Head
        title={shown.models[shown.at]?.order.name}
        axes={shown.models[0]?.mesh.axes}
        says={<Says>{doc.answer}</Says>}
      >
        <span class="soft">{factsOf(doc)}</span>
      </Head>
      <Boards board={board} select={(order) => state.select(order)} />
      <Foot keys={KEYS.filter(([names]) => !board.idle().includes(names))}>
        <Legend board={board} />
      </Foot>
    </div>
  );
}
