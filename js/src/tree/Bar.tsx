/** The fullest device as one bar, with what is to be looked at. */
import { inside } from "../draw/marks";
import { numberOf, unitOf } from "./model/words";
import type { ModelState, Shown } from "./state";

export function Bar({ state, shown: { tree, bar, figures } }: { state: ModelState; shown: Shown }) {
  const [first] = bar.parts;
  if (!first) return null;
  const name = tree.nearlyAlike ? "One device" : `Device ${tree.devices[tree.fullest]?.id}, the fullest`;
  // Names of findings stand above their parts.
  const room = bar.parts.find(({ finding }) => finding)?.x ?? bar.width;
  const parts = bar.parts.map(({ bytes, finding, copies }) => {
    const what = finding ? `finding ${finding.number}` : copies ? "other copies" : "needed";
    return `${what} ${numberOf(figures.here(bytes))}`;
  });
  return (
    <div class="long">
      <p class="cut" style={{ maxWidth: `${room - 12}px` }}>
        <b>{name}</b> <span class="soft">in {unitOf(figures.here)}</span>
      </p>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the key n goes through the same */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div
        class="picture"
        style={{ width: `${bar.width}px`, height: `${bar.height}px` }}
        onClick={({ currentTarget, clientX }) => {
          const x = clientX - currentTarget.getBoundingClientRect().left;
          const { finding } = bar.parts.find((part) => inside(part, x, part.y)) ?? {};
          if (finding) state.goTo(finding);
        }}
      >
        <div role="img" aria-label={`${name}: ${parts.join(", ")}`} ref={state.barLayer.attach} />
      </div>
    </div>
  );
}
