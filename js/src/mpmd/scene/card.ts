/** An array on groups as one scene, for the picture without a page: type and groups, the panels, notes. */

import type { Scheme } from "../../core/color";
import { axisTokens } from "../../core/text";
import { framed, headBand } from "../../draw/bands";
import { broken } from "../../draw/broken";
import { BOLD, label, type Mark, PAD, type Scene, shift, spans } from "../../draw/marks";
import { badgesOf, type MpmdModel, notesOf, whereText } from "../model/mpmd";
import { groupMarks, layoutGroups } from "./mpmd";

export interface MpmdPicture {
  width: number;
  scheme: Scheme;
  /** The group that is looked at. */
  group: number | null;
}

export function mpmdScene(model: MpmdModel, { width, scheme, group }: MpmdPicture): Scene {
  const { doc } = model;
  const head = headBand(doc.name || doc.source, model, badgesOf(model), width);
  const room = width - 2 * PAD;
  const type = spans(axisTokens(`${doc.type}  ${doc.spec}  ${whereText(model)}`, model));
  const marks: Mark[] = [];
  let y = head.height + 14;
  for (const line of broken(type, room, 13, 3)) {
    marks.push(label(PAD, y, line, 13, "ink", BOLD));
    y += 19;
  }
  const layout = layoutGroups(model, room);
  marks.push(...shift(groupMarks(model, layout, scheme, group === null ? null : model.foldOf(group)), PAD, y));
  y += layout.height + 16;
  for (const note of notesOf(model)) {
    marks.push(label(PAD, y, note, 12, "muted"));
    y += 18;
  }
  const height = Math.ceil(y + 4);
  return framed(width, height, [...head.marks, ...marks]);
}
