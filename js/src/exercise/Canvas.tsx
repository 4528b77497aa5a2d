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

/** Maximum height of a panel: the fields are above it. Of two pictures each has less. */
const HIGH = 280;
const LOW = 160;
/** Room for outlines below a panel. */
const EDGE = 8;
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

function layoutOf(model: PlacementModel, width: number, low: boolean): Layout {
  const at = (w: number) => layoutBody(model, WHOLE, Math.min(w, WIDE), false, low ? LOW : HIGH);
  // At least as high as in a wider cell.
  const wider = Array.from({ length: Math.max(0, Math.ceil((WIDE - width) / 60)) }, (_, i) => width + 60 * (i + 1));
  return { ...at(width), height: Math.max(...[width, ...wider].map((w) => at(w).height)) };
}

/** Whether a low picture is no higher than it should be, so that another can stand beside it. */
export function fitsBeside(placement: Placement, width: number): boolean {
  return layoutOf(new PlacementModel(placement), width, true).height <= HIGH + EDGE;
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
    const { height, mesh } = this.#layout(model, width, low);
    return (
      <div class="picture" style={{ height: `${height}px` }}>
        <div role="img" aria-label={words(model, title)} ref={(el) => el?.replaceChildren(this.#canvas)} />
        {over?.((position) => deviceBox(model, mesh, position))}
      </div>
    );
  }

  #paint() {
    const model = this.#model(this.props.placement);
    this.#draw(model, this.#layout(model, this.props.width, this.props.low), this.props.theme);
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
