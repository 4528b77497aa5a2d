/** What every device holds, and how that compares with before the last cell. */

import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { Walk } from "../card/Walk";
import { answerOf, badgesOf, deviceWords } from "./model/words";
import { type InspectorState, type Shown, WIDE } from "./state";

export function InspectorHead({ state, shown }: { state: InspectorState; shown: Shown }) {
  const { model, mesh } = shown;
  const words = deviceWords(model);
  const { says, also } = answerOf(model);
  const { cell } = model.doc;
  const kinds = [...new Set(model.meshes.map(({ mesh: of }) => of.kind || of.platform))];
  const platforms = model.devices.length > 0 ? `${model.devices.length} × ${kinds.join(", ")}` : undefined;
  return (
    <>
      <Head
        name={cell > 0 ? "Arrays" : ""}
        title={cell > 0 ? `after cell ${cell}` : "Arrays"}
        axes={model.mesh?.axes}
        badges={badgesOf(model).filter(({ to }) => to !== "flagged" || state.now.width >= WIDE)}
        go={(to) => state.go(to)}
        at={state.now.filter}
        says={
          <Says also={also} walk={<Walk {...state.walk()} />}>
            {says}
          </Says>
        }
      />
      {mesh && (
        <div class="holds">
          <p class="sums" title={platforms}>
            <b>On each device</b> <span class="soft">{words.held}</span>
            <span class="soft end">{words.change}</span>
          </p>
          <div class="picture" style={{ width: `${mesh.width}px`, height: `${mesh.height}px` }}>
            <div
              role="img"
              aria-label={`Bytes on devices: ${words.held}. ${words.change}`}
              ref={state.meshLayer.attach}
            />
          </div>
          {words.limit && <p class="sums soft">{words.limit}</p>}
        </div>
      )}
    </>
  );
}
