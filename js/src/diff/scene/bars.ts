/** Bars in the ink and the pattern of mesh axes; neutral where there are none. */
import { AXIS_DASH, axisToken, type Box, type Color, type Mark } from "../../draw/marks";

/** A bar; stripes of all where it is over several axes. The pattern of an axis is cut into its edges. */
export function barMarks(axes: readonly number[], box: Box): Mark[] {
  const [axis] = axes;
  if (axis === undefined) return [{ kind: "rect", ...box, fill: "k0", stroke: { color: "kedge", width: 0.8 } }];
  if (axes.length > 1) return stripes(axes.map(axisToken), box);
  return [{ kind: "rect", ...box, fill: axisToken(axis) }, ...notches(axis, box)];
}

function stripes(colors: readonly Color[], { x, y, w, h }: Box): Mark[] {
  const step = 4;
  return Array.from({ length: Math.max(1, Math.ceil(w / step)) }, (_, i): Mark => {
    const at = x + i * step;
    return { kind: "rect", x: at, y, w: Math.min(step, x + w - at), h, fill: colors[i % colors.length] ?? "muted" };
  });
}

/** Where the pattern has gaps, a third of the bar is left out above and below. */
function notches(axis: number, { x, y, w, h }: Box): Mark[] {
  const dash = AXIS_DASH[axis % AXIS_DASH.length] ?? [];
  if (dash.length === 0) return [];
  const boxes: number[] = [];
  for (let at = 0, k = 0; at < w; at += dash[k % dash.length] ?? 1, k++) {
    if (k % 2 === 0) continue;
    const wide = Math.min(dash[k % dash.length] ?? 1, w - at);
    boxes.push(at, 0, wide, h / 3, at, (2 * h) / 3, wide, h / 3);
  }
  return [{ kind: "bars", x, y, w, h, color: "bg", boxes }];
}
