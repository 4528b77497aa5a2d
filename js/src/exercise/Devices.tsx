/** The devices of a mesh as buttons, on its picture or standing as the mesh does; arrow keys move along its axes. */
import type { Part } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import { product } from "../core/mesh";
import type { Box } from "../draw/marks";

/** With more devices, ids are typed. */
export const MOST_BUTTONS = 64;

interface Props {
  mesh: MeshModel;
  chosen: ReadonlySet<number>;
  part: Part | undefined;
  fill: (ids: number[]) => void;
  /** Where each position of the mesh is drawn already; without it the buttons are a mesh of their own. */
  boxOf?: (position: number) => Box;
}

export function Devices({ mesh, chosen, part, fill, boxOf }: Props) {
  const across = mesh.meshShape.length > 1 ? product(mesh.meshShape.slice(1)) : mesh.size > 8 ? 8 : mesh.size;
  // A mesh of two axes has a rail along each, as in every picture of it.
  const rails = mesh.axes.length === 2 && !boxOf;
  const sorted = [...chosen].sort((a, b) => a - b);
  const toggle = (id: number) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    fill([...next].sort((a, b) => a - b));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys move between the buttons inside, which act
    <div
      class={boxOf ? "drawn" : "devices mono"}
      style={
        boxOf ? {} : { gridTemplateColumns: `${rails ? "max-content " : ""}repeat(${across}, minmax(40px, 84px))` }
      }
      onKeyDown={(event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across }[event.key];
        const buttons = [...event.currentTarget.querySelectorAll("button")];
        const at = buttons.indexOf(event.target as HTMLButtonElement);
        const next = by === undefined ? undefined : buttons[at + by];
        if (!next) return;
        event.preventDefault();
        next.focus();
      }}
    >
      {rails && <span />}
      {rails && Array.from({ length: across }, (_, k) => <Rail mesh={mesh} axis={1} at={k} key={k} />)}
      {[...mesh.ids].map((id, position) => {
        const at = mesh.axes.map((a, i) => `${a.name}=${mesh.digits(position)[i] ?? 0}`).join(", ");
        const verdict = chosen.has(id) ? part?.cells[sorted.indexOf(id)] : undefined;
        return [
          rails && position % across === 0 && <Rail mesh={mesh} axis={0} at={position / across} key={`x${id}`} />,
          <button
            type="button"
            aria-pressed={chosen.has(id)}
            aria-label={`device ${id}${at && ` at ${at}`}${verdict === undefined ? "" : verdict ? ", right" : ", not one of them"}`}
            title={at}
            class={verdict === undefined ? "" : verdict ? "right" : "off"}
            style={boxOf && place(boxOf(position))}
            onClick={() => toggle(id)}
            key={id}
          >
            {boxOf ? "" : id}
          </button>,
        ];
      })}
    </div>
  );
}

function place({ x, y, w, h }: Box) {
  return { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` };
}

/** The coordinate of a row or a column of devices. */
function Rail({ mesh, axis, at }: { mesh: MeshModel; axis: number; at: number }) {
  return (
    <span class={`rail ink${axis}`} aria-hidden="true">
      {mesh.axes[axis]?.name}={at}
    </span>
  );
}
