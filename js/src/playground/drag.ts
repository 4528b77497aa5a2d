/** Dragging chips with mouse, pen or finger. */
import type { Place, Seat } from "../core/spec/spec";
import type { SpecEditor } from "./editor";

/** Pixels that a pointer moves before it drags. */
const SLACK = 5;

/** A chip that is let go this near to a slot, in pixels, lands in it. */
const NEAR = 28;

interface Press {
  id: number;
  name: string | null;
  from: Seat | null;
  x: number;
  y: number;
  dragged: boolean;
}

/** Pointer events of an editor's element, which keeps the pointer while chips come and go below it. */
export class Dragging {
  #press: Press | null = null;

  constructor(private readonly editor: () => SpecEditor) {}

  readonly down = (event: PointerEvent): void => {
    const chip = chipAt(event.currentTarget as HTMLElement, event.clientX, event.clientY);
    if (!chip || event.button !== 0 || !event.isPrimary) return;
    const place = chip.closest<HTMLElement>("[data-place]")?.dataset.place;
    const from = place === undefined ? null : { place: placeOf(place), index: Number(chip.dataset.index) };
    const name = chip.dataset.chip ?? null;
    this.#press = {
      id: event.pointerId,
      name: name === "" ? null : name,
      from,
      x: event.clientX,
      y: event.clientY,
      dragged: false,
    };
  };

  readonly move = (event: PointerEvent): void => {
    const press = this.#press;
    if (!press || event.pointerId !== press.id || event.buttons === 0) return;
    const root = event.currentTarget as HTMLElement;
    if (!press.dragged) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < SLACK) return;
      press.dragged = true;
      root.setPointerCapture(event.pointerId);
    } else if (!this.editor().now.drag) {
      // Cancelled, by a key or by an edit that came from elsewhere.
      this.#press = null;
      return;
    }
    const bounds = root.getBoundingClientRect();
    const { over, index } = under(root, event.clientX, event.clientY);
    const at = { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
    this.editor().dragTo({ name: press.name, from: press.from, over, ...at }, index);
  };

  readonly up = (event: PointerEvent): void => {
    if (event.pointerId !== this.#press?.id) return;
    this.#press = null;
    if (this.editor().now.drag) this.editor().release(true);
  };

  readonly cancel = (): void => {
    this.#press = null;
    if (this.editor().now.drag) this.editor().release(false);
  };
}

/** The chip at a point. Browsers differ in whether what is inside of a button is the target of an event. */
function chipAt(root: HTMLElement, x: number, y: number): HTMLElement | undefined {
  return [...root.querySelectorAll<HTMLElement>("[data-chip]")].find((chip) => contains(chip, x, y));
}

function contains(el: HTMLElement, x: number, y: number): boolean {
  const box = el.getBoundingClientRect();
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}

/** The place at a point or nearest to it, and which of its axes comes after the point. */
function under(root: HTMLElement, x: number, y: number): { over: Place | null; index: number } {
  const slots = [...root.querySelectorAll<HTMLElement>("[data-place]")].map((slot) => ({
    slot,
    far: away(slot, x, y),
  }));
  const { slot, far } = slots.reduce((a, b) => (b.far < a.far ? b : a), { slot: root, far: NEAR });
  if (far < NEAR) {
    const others = [...slot.querySelectorAll<HTMLElement>("[data-chip]")];
    const after = others.findIndex((chip) => {
      const b = chip.getBoundingClientRect();
      return x < b.left + b.width / 2;
    });
    const next = after < 0 ? undefined : Number(others[after]?.dataset.index);
    return { over: placeOf(slot.dataset.place ?? "0"), index: next ?? Number.POSITIVE_INFINITY };
  }
  return { over: null, index: 0 };
}

/** Pixels from a point to the nearest edge of an element; 0 inside. */
function away(el: HTMLElement, x: number, y: number): number {
  const box = el.getBoundingClientRect();
  return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
}

function placeOf(text: string): Place {
  return text === "unreduced" || text === "reduced" ? text : Number(text);
}
