/** The place of a part that a card loads when it is opened: empty until it is there. */

/** Renders into an element: a tree of its own, of the Preact that came with the part. */
export type Draw = (host: Element) => void;

export function Brought({ draw }: { draw: Draw | undefined }) {
  return <div class="brought" ref={(host) => void (host && draw?.(host))} />;
}
