/** The arrays of a session as one scene, for the picture without a page: what devices hold, and a line a name. */

import { hex, type Scheme, tileColors } from "../../core/color";
import type { Holder } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { axisTokens, count } from "../../core/text";
import { type Band, framed, headBand, rule, saysBand, stack } from "../../draw/bands";
import { broken } from "../../draw/broken";
import { deviceMarks, layoutDevices } from "../../draw/devices";
import { BOLD, label, type Mark, MONO, PAD, type Scene, shift, spans } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { NamespaceModel } from "../model/namespace";
import { answerOf, badgesOf, deltaText, deviceWords, nameOf, outstanding, sizeText, typeText } from "../model/words";

export interface NamespacePicture {
  width: number;
  scheme: Scheme;
}

/** Lines that are drawn; the rest is counted. */
const MOST = 20;
/** Devices that a line tells apart. */
const DEVICES = 16;
const SQUARE = 11;
const END = { ...MONO, anchor: "end" } as const;

export function namespaceScene(model: NamespaceModel, { width, scheme }: NamespacePicture): Scene {
  const { holders, cell } = model.doc;
  const bands = stack([
    ...devicesBand(model, width),
    ...holders.slice(0, MOST).map((holder) => lineBand(model, holder, width, scheme)),
    ...(holders.length > MOST ? [wordsBand(`${count(holders.length - MOST, "more name")}.`)] : []),
    ...(holders.length === 0 ? [wordsBand("No name holds an array.")] : []),
  ]);
  const { says, also } = answerOf(model);
  const head = stack([
    model.mesh
      ? headBand(cell > 0 ? `Arrays after cell ${cell}` : "Arrays", model.mesh, badgesOf(model), width)
      : { marks: [label(PAD, 26, "Arrays", 16, "ink", { weight: 600 })], height: 36 },
    saysBand(says, [{ text: also }], width),
  ]);
  const height = Math.ceil(head.height + bands.height);
  return framed(width, height, [...head.marks, rule(0, head.height, width), ...shift(bands.marks, 0, head.height)]);
}

function wordsBand(text: string): Band {
  return { marks: [label(PAD, 22, text, 12, "muted")], height: 34 };
}

function devicesBand(model: NamespaceModel, width: number): Band[] {
  const { mesh, devices, held, freed, limit } = model;
  if (!mesh) return [];
  const room = Math.min(width, 760) - 2 * PAD;
  const holding = { mesh, devices, held, freed, limit };
  const panel = layoutDevices(holding, room, model.write);
  const words = deviceWords(model);
  const said = ["On each device", words.held, words.change].filter(Boolean).join("  ");
  const marks: Mark[] = [
    label(PAD, 24, fit(said, width - 2 * PAD, 13), 13, "ink"),
    ...shift(deviceMarks(holding, panel, model.own, outstanding(model), model.write), PAD, 38),
  ];
  const height = 38 + panel.height + 12;
  return [{ marks: [...marks, rule(0, height, width)], height: height + 1 }];
}

function lineBand(model: NamespaceModel, holder: Holder, width: number, scheme: Scheme): Band {
  const mesh = model.meshes[model.typeOf(holder)?.mesh ?? 0] ?? model.mesh;
  const quiet = holder.bytes === 0;
  const end = width - PAD;
  const size = sizeText(model, holder);
  const changed = [holder.change, deltaText(model, holder)].filter(Boolean).join(" ");
  const right = textWidth(size, 13, true) + textWidth(changed, 12) + 24;
  const squares = band(model, holder, scheme);
  const x = PAD + (squares.length > 0 ? squares.width + 10 : 0);
  const type = fit(typeText(model, holder), width - PAD - x, 12.5, true);
  const tokens = mesh ? spans(axisTokens(type, mesh)) : type;
  const marks: Mark[] = [
    label(PAD, 22, fit(nameOf(holder), end - right - PAD, 13, true), 13, quiet ? "muted" : "ink", BOLD),
    label(end, 22, size, 13, quiet ? "muted" : "ink", { ...END, weight: 700 }),
    label(end - textWidth(size, 13, true) - 12, 22, changed, 12, holder.change === "new" ? "ok" : "muted", {
      anchor: "end",
    }),
    ...squares.marks,
    label(x, 42, tokens, 12.5, quiet ? "muted" : "ink", holder.parts.length > 0 ? {} : MONO),
  ];
  let height = 52;
  if (holder.reason) {
    const path = holder.flagged ? `${holder.flagged}: ` : "";
    const cost = holder.cost > 0 ? ` ${bytes(holder.cost)} too much on each device` : "";
    for (const line of broken([{ text: `${path}${holder.reason}${cost}` }], width - 2 * PAD, 12, 3)) {
      marks.push(label(PAD, height + 8, line, 12, "warn"));
      height += 17;
    }
    height += 5;
  }
  return { marks: [...marks, rule(0, height, width)], height: height + 1 };
}

/** The devices in a row, each with the colour of the tile that it holds. */
function band(model: NamespaceModel, holder: Holder, scheme: Scheme) {
  const placed = model.placed(holder);
  if (!placed || model.devices.length > DEVICES) return { marks: [], length: 0, width: 0 };
  const color = tileColors(placed, scheme);
  const tiles = new Map([...placed.ids].map((id, position) => [id, placed.tileAt[position] ?? 0]));
  const live = model.typeOf(holder)?.state !== "deleted";
  const marks = model.devices.map(({ id }, at): Mark => {
    const tile = tiles.get(id);
    const box = { x: PAD + at * (SQUARE + 1), y: 32, w: SQUARE - 1, h: SQUARE - 1 };
    if (tile === undefined || !live)
      return { kind: "rect", ...box, stroke: { color: "faint", width: 1, dash: [1.5, 2] } };
    return { kind: "rect", ...box, r: 2, fill: hex(color(tile)), stroke: { color: "edge", width: 1 } };
  });
  return { marks, length: marks.length, width: model.devices.length * (SQUARE + 1) };
}
