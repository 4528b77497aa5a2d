/** The card of one placement: head, picture, notes, foot. A failure takes its place, never an empty cell. */
import { Card, Guard } from "../card/Card";
import { Failure } from "../card/Failure";
import { Foot } from "./Foot";
import { Head, Notes } from "./Head";
import type { Layers } from "./layers";
import { Picture } from "./Picture";
import type { ViewState } from "./state";

export function ArrayView({ state, layers }: { state: ViewState; layers: Layers }) {
  const broken = state.now.broken;
  const theme = state.now.theme;
  if (broken) return <Card theme={theme}>{<Failure error={broken} />}</Card>;
  if (!theme || state.now.width === 0) return null;
  return (
    <Card theme={theme}>
      <Guard key={state.now.generation}>
        <Head state={state} />
        <Picture state={state} layers={layers} />
        <Notes state={state} />
        <Foot state={state} />
        <div class="hidden" aria-live="polite">
          {state.now.announced}
        </div>
      </Guard>
    </Card>
  );
}
