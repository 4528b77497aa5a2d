/** Zooming with two fingers, or with the wheel events of a trackpad's pinch. */

/** Pixels of the wheel that zoom once. */
const STEP = 70;

export class Pinch {
  readonly #fingers = new Map<number, PointerEvent>();
  #turned = 0;

  constructor(private readonly zoom: (closer: boolean) => void) {}

  /** Takes any pointer event; returns whether two fingers are down. */
  readonly finger = (event: PointerEvent): boolean => {
    const before = this.#spread();
    if (event.type !== "pointerdown" && event.type !== "pointermove") this.#fingers.delete(event.pointerId);
    else if (event.pointerType === "touch") this.#fingers.set(event.pointerId, event);
    const after = this.#spread();
    if (before > 0 && after > 0) this.#turn(after - before);
    return after > 0;
  };

  readonly wheel = (event: WheelEvent): void => {
    // Browsers report a pinch as a wheel with Ctrl. A wheel without Ctrl scrolls the page.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.#turn(-event.deltaY);
  };

  #spread(): number {
    const [a, b] = this.#fingers.values();
    return a && b ? Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) : 0;
  }

  #turn(by: number): void {
    this.#turned += by;
    if (Math.abs(this.#turned) < STEP) return;
    this.zoom(this.#turned > 0);
    this.#turned = 0;
  }
}
