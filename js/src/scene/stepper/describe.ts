/** What the tooltip says of a device or a block, and where that is. */
import { type BlockTip, blockTip, deviceText } from "../../model/blocktip";
import type { Rgb } from "../../model/color";
import type { Variable } from "../../model/document.gen";
import { unravel } from "../../model/mesh";
import type { Source } from "../../model/sources";
import { count, some } from "../../model/text";
import { deviceBox } from "../grid";
import type { Box } from "../scene";
import type { Hit, StepView } from "./view";

/** A block that is described: where it is drawn, and what is said. */
export interface Shown {
  box: Box;
  text: BlockTip;
  color: Rgb | null;
  /** How the element was made; empty where there is nothing to say. */
  from: string;
}

/** What is said of a device, or of its block; null where nothing is drawn. */
export function describe(view: StepView, { device, slot, cell }: Hit): Shown | null {
  const { trace, stage, seats } = view;
  const runs = !view.active || view.active.has(device);
  const tile = seats.get(device) ?? (stage.map && deviceBox(trace.mesh, stage.map, device));
  const v = slot === null || !runs ? undefined : view.slots[slot];
  if (!v) {
    const values = runs ? "" : "does not run this step";
    const text = { name: "", type: "", device: deviceText(trace, device), copies: "", values };
    return tile && { box: tile, color: null, text, from: "" };
  }
  const box = view.drawn.find((d) => d.device === device && d.v.id === v.id)?.box ?? tile;
  const text = blockTip(trace, v, device, cell);
  const later = view.show.after.includes(v) && !view.finished ? "when the step is done: " : "";
  return (
    box && {
      box,
      text: { ...text, values: text.values && later + text.values },
      color: view.color(v, device, v.unreduced),
      from: fromText(view, v, device, cell),
    }
  );
}

/** `s[0,1] on device 4: 8 + 4 = 12; from 2 elements on devices 4, 5`; empty where the result has no such element. */
export function worked(view: StepView): string {
  const { element, input, output, receiver: device, trace } = view;
  const shape = (v: Variable | null) => v && trace.corner(v)?.shape.join();
  if (!view.options.rules || element === null || !output || shape(input) !== shape(output)) return "";
  const place = placeOf(view, { v: output, device, element });
  return `${place} on device ${trace.mesh.ids[device]}: ${fromText(view, output, device, element)}.`;
}

/** `c[0,1] = 5 + 4 = 9, from devices 4, 5`, or that it is not known. */
function fromText(view: StepView, v: Variable, device: number, cell: number | null): string {
  const { trace, step } = view;
  const { rules } = view.options;
  if (!rules || cell === null || !view.show.after.includes(v) || step.inputs.length === 0) return "";
  const sources = rules.sourcesOf(trace, step, v, device, cell);
  if (sources === null) return STEPS.has(step.primitive) ? "" : "which elements it came from is not known";
  if (sources.length === 0) return "no sender: zeros";
  const said = rules.arithmetic(
    trace,
    step,
    sources,
    (s) => view.text(s.v, s.device, s.element ?? -1),
    view.text(v, device, cell),
  );
  const devices = [...new Set(sources.map((s) => s.device))].map((p) => trace.mesh.ids[p] ?? 0);
  const away = devices.length > 1 || sources[0]?.device !== device;
  const places = sources.length === 1 ? placeOf(view, sources[0]) : count(sources.length, "element");
  const where = away ? ` on ${devices.length === 1 ? "device" : "devices"} ${some(devices, 6)}` : "";
  return [said, `from ${places}${where}`].filter((t) => t !== "").join("; ");
}

/** Ends of a region: a block is a part of an array, or an array is made of blocks. */
const STEPS: ReadonlySet<string> = new Set(["in_specs", "out_specs", "error"]);

function placeOf({ trace }: StepView, source: Source | undefined): string {
  const shape = source && trace.corner(source.v)?.shape;
  if (!source || !shape) return "";
  if (source.element === null) return `an element of ${source.v.name} that is not shown`;
  return `${source.v.name}${shape.length > 0 ? `[${unravel(source.element, shape).join(",")}]` : ""}`;
}
