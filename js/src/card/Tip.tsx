/** A tooltip beside what it explains. */
import type { ComponentChildren } from "preact";
import { placeBeside } from "../draw/beside";
import type { Box } from "../draw/marks";

interface Props {
  /** What it explains, and what it must not cover, in the picture's pixels. */
  at: Box;
  keep: readonly Box[];
  children: ComponentChildren;
}

export function Tip({ at, keep, children }: Props) {
  return (
    <div class="tip" ref={(el) => stand(el, at, keep)}>
      {children}
    </div>
  );
}

/** Moves a tooltip, whose size only the page knows, to its place in the card; beside lists, in the picture. */
function stand(el: HTMLElement | null, at: Box, keep: readonly Box[]): void {
  if (!el) return;
  el.style.translate = "";
  const { x, y, width: w, height: h } = el.getBoundingClientRect();
  const { x: left, y: top, width, bottom } = (el.closest(".view, .card") ?? el).getBoundingClientRect();
  // What signs mean stands in the foot.
  const end = el.closest(".card")?.querySelector("footer")?.getBoundingClientRect().y ?? bottom;
  const room = { x: left - x, y: top - y, w: width, h: end - top };
  const place = placeBeside(at, { w, h }, room, keep);
  el.style.translate = `${place.x}px ${place.y}px`;
}
