/** What the lens of the space-time view says of one device at one row: its blocks, their values, who sent them. */

import type { Variable } from "../../../core/document.gen";
import { some } from "../../../core/text";
import { blockTip, deviceText } from "../../model/blocktip";
import { permutes } from "../../model/semantics";
import type { TraceModel } from "../../model/trace";
import { linksOf, type SpaceRow } from "./spacetime";

export interface LensText {
  /** `device 5 at seq=5`. */
  device: string;
  /** How its blocks came there: `sent by device 4`. */
  came: string;
  blocks: readonly {
    v: Variable;
    /** `k of device 3`. */
    name: string;
    type: string;
    values: string;
  }[];
}

export function lensText(trace: TraceModel, row: SpaceRow, device: number): LensText {
  const blocks = row.shown.map((v) => {
    const { name, type, values } = blockTip(trace, v, device, null);
    return { v, name, type, values };
  });
  return { device: deviceText(trace, device), came: cameFrom(trace, row, device), blocks };
}

/** Mesh positions whose blocks of the row before are in a device's block; none for a local step. */
export function sendersTo(trace: TraceModel, { steps }: SpaceRow, device: number): readonly number[] {
  const senders = steps.flatMap((i) => {
    const step = trace.step(i);
    const { pairs, knots } = step?.collective && trace.communicates(step) ? linksOf(trace, step.collective) : NONE;
    return [
      ...knots.filter((group) => group.includes(device)).flat(),
      ...pairs.flatMap(([from, to]) => (to === device ? [from] : [])),
    ];
  });
  return [...new Set(senders)];
}

const NONE = { pairs: [], knots: [] } as const;

function cameFrom(trace: TraceModel, row: SpaceRow, device: number): string {
  const c = row.collective;
  const id = (p: number) => String(trace.mesh.ids[p] ?? p);
  if (!c) return "";
  const senders = sendersTo(trace, row, device);
  const names = some(senders.map(id), 8);
  if (c.semantics.combines !== "") return `${c.semantics.combines} over devices ${names}`;
  if (senders.length > 0) return `sent by ${senders.length === 1 ? "device" : "devices"} ${names}`;
  return permutes(c) ? "no sender: zeros" : "";
}
