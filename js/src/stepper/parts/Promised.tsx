/** The blocks that `out_specs` says are equal, beside one another: one place of the result, and which takes it is not said. */
import { hex } from "../../core/color";
import type { Variable } from "../../core/document.gen";
import { product } from "../../core/mesh";
import { AXIS_DASH } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { formatsOf } from "../model/formats";
import type { TraceModel } from "../model/trace";
import { faceOf } from "../scene/contents";
import { pictureWidth } from "../sizes";
import type { StepperState } from "../state";

/** Devices, and rows and columns of a block, that are drawn. */
const MOST = 4;
/** Width of a sign between two blocks, of what else stands in their row, and of how many there are. */
const SIGN = 34;
const BESIDE = 190;
const COUNT = 70;

export function Promised({ state, trace, v }: { state: StepperState; trace: TraceModel; v: Variable }) {
  const axis = trace.mesh.axisOf(trace.doc.error?.axes[0] ?? "");
  const size = trace.mesh.meshShape[axis] ?? 0;
  const face = faceOf(trace, v, [MOST, MOST]);
  const corner = trace.corner(v);
  const step = trace.steps.find((s) => s.outputs.includes(v.id)) ?? trace.steps.at(-1);
  const format = step && formatsOf(trace, step, [v]).get(v.id);
  const layout = state.layout();
  if (axis < 0 || size < 2 || !face || !corner || !format || !layout || face.columns === 0) return null;
  const stride = product(trace.mesh.meshShape.slice(axis + 1));
  const scheme = state.now.theme?.scheme ?? "light";
  const text = (p: number, element: number) => format.text(corner.elements.value(corner.start(p) + element));
  const all = Array.from({ length: Math.min(size, MOST) }, (_, k) => k * stride);
  const first = all[0] ?? 0;
  // In one row: two are enough to differ.
  const each = SIGN + face.columns * (8 + textWidth(text(first, face.elements.at(-1) ?? 0), 11, true));
  const room = pictureWidth(state.now.width) - BESIDE + SIGN;
  const most =
    size <= MOST && size * each <= room ? size : Math.max(2, Math.min(MOST, Math.floor((room - COUNT) / each)));
  const devices = all.slice(0, most);
  const written = (p: number) => face.elements.map((e) => text(p, e)).join();
  const part = face.rows < face.of[0] || face.columns < face.of[1];
  return (
    <div class="promised" aria-hidden="true">
      {devices.map((p, k) => [
        k > 0 && (
          <b class="differs" key={`sign ${p}`}>
            {written(p) === written(devices[k - 1] ?? first) ? "=" : "≠"}
          </b>
        ),
        <figure key={p}>
          <figcaption>
            <b>{trace.mesh.ids[p]}</b>{" "}
            <span class={`mono ink${axis % AXIS_DASH.length}`}>{k === 0 ? `${trace.mesh.axes[axis]?.name}=0` : k}</span>
          </figcaption>
          <table class="mono" style={{ background: hex(layout.blockColor(v, p, scheme)) }}>
            {Array.from({ length: face.rows }, (_, r) => (
              <tr key={r}>
                {face.elements.slice(r * face.columns, (r + 1) * face.columns).map((e) => (
                  <td key={e}>{text(p, e)}</td>
                ))}
              </tr>
            ))}
          </table>
        </figure>,
      ])}
      {size > most && <span class="soft">… {size} in all</span>}
      <figure>
        <figcaption class="soft">one place of the result{part ? ", part of each block" : ""}</figcaption>
        <p class="which">which?</p>
      </figure>
    </div>
  );
}
