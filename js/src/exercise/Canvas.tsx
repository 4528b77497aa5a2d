/** A placement as a still picture. */
import { Component, type ComponentChildren } from "preact";
import { bodyMarks, type Layout, layoutBody, paintsOf, WHOLE } from "../array/scene/public";
import { drawLayer, newLayer } from "../card/canvas";
import { memo } from "../card/store";
import type { Placement } from "../core/document.gen";
import { PlacementModel } from "../core/placement";
import { count } from "../core/text";
import { deviceBox } from "../draw/grid";
import type { Box } from "../draw/marks";
import type { Theme } from "../draw/paint/theme";

/** Maximum height of a panel: the fields are above it. Of two pictures each has less, if its buttons allow it. */
const HIGH = 222;
const LOW = 160;
const BUTTONS = [190, HIGH, 280];
/** Least height of a button. */
const TARGET = 24;
/** Maximum height of a picture beside another. */
const BESIDE = 288;
/** Maximum width of a picture: a wider one would be higher. */
const WIDE = 1100;

interface Props {
  placement: Placement;
  title: string;
  theme: Theme;
  width: number;
  /** Whether another picture stands above or below. */
  low: boolean;
  /** What stands over the picture, from where each device is drawn. */
  over?: ((boxOf: (position: number) => Box) => ComponentChildren) | undefined;
}

/** `pressed`: whether its devices are buttons, which a low picture has room for. */
function layoutOf(model: PlacementModel, width: number, low: boolean, pressed: boolean): Layout {
  const body = (w: number, high: number) => layoutBody(model, WHOLE, Math.min(w, WIDE), false, high);
  const enough = (high: number) => !pressed || deviceBox(model, body(width, high).mesh, 0).h >= TARGET;
  const high = [low ? LOW : HIGH, ...BUTTONS].find(enough) ?? HIGH;
  const at = (w: number) => body(w, high);
  // At least as high as in a wider cell.
  const wider = Array.from({ length: Math.max(0, Math.ceil((WIDE - width) / 60)) }, (_, i) => width + 60 * (i + 1));
  return { ...at(width), height: Math.max(...[width, ...wider].map((w) => at(w).height)) };
}

/** Whether a low picture is no higher than it should be, so that another can stand beside it. */
export function fitsBeside(placement: Placement, width: number): boolean {
  return layoutOf(new PlacementModel(placement), width, true, false).height <= BESIDE;
}

export class Canvas extends Component<Props> {
  readonly #canvas = newLayer();
  readonly #model = memo((placement: Placement) => new PlacementModel(placement));
  readonly #layout = memo(layoutOf);
  readonly #draw = memo((model: PlacementModel, layout: Layout, theme: Theme) => {
    drawLayer(
      this.#canvas,
      layout,
      bodyMarks(model, layout, paintsOf(model, theme.scheme, "position", new Map())),
      theme,
    );
  });

  override componentDidMount() {
    this.#paint();
  }

  override componentDidUpdate() {
    this.#paint();
  }

  override render() {
    const { placement, title, width, low, over } = this.props;
    const model = this.#model(placement);
    const { height, mesh } = this.#layout(model, width, low, Boolean(over));
    return (
      <div class="picture" style={{ height: `${height}px` }}>
        <div role="img" aria-label={words(model, title)} ref={(el) => el?.replaceChildren(this.#canvas)} />
        {over?.((position) => deviceBox(model, mesh, position))}
      </div>
    );
  }

  #paint() {
    const model = this.#model(this.props.placement);
    const { width, low, over, theme } = this.props;
    this.#draw(model, this.#layout(model, width, low, Boolean(over)), theme);
  }
}

/** What the picture says, for screen readers. */
function words(model: PlacementModel, title: string): string {
  const axes = model.axes.map((a) => `${a.name}=${a.size}`).join(", ");
  const mesh = `mesh ${axes || count(model.size, "device")}`;
  if (model.doc.shape === null) return [title, mesh].filter((t) => t !== "").join(": ");
  const block = `blocks of ${model.tileShape(0).join("×")}, ${count(model.copies, "copy", "copies")} of each`;
  const cuts = model.doc.dims.map((d, i) => `dim ${i} ${d.axes.length > 0 ? `over ${d.axes.join(", ")}` : "whole"}`);
  return [title, `array ${model.doc.shape.join("×")}`, ...cuts, block, mesh].filter((t) => t !== "").join("; ");
}
