/** The place of a part that the stepper loads: empty until it is there. */
import type { Draw } from "./parts";

export function Loaded({ draw }: { draw: Draw | undefined }) {
  return <div ref={(host) => void (host && draw?.(host))} />;
}
