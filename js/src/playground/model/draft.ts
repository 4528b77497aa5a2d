/** All that a page says of a draft, as JSON, so that it can be compared with JAX. */
import type { SpecDraft } from "../../core/document.gen";
import { PlacementModel } from "../../core/placement";
import { reviveBytes } from "../../core/saved";
import { refusalOf } from "../../core/spec/refusal";
import { codeOf } from "./code";
import { forbiddenOf } from "./forbidden";
import { decodePlayground, placementOf } from "./playground";

/** Takes the JSON of a playground's document and of a draft. */
export function draft(playgroundJson: string, draftJson: string): string {
  const doc = decodePlayground(reviveBytes(JSON.parse(playgroundJson)));
  const given = JSON.parse(draftJson) as SpecDraft;
  const refusal = refusalOf(given, doc);
  if (refusal) return JSON.stringify({ ...refusal, places: [...refusal.notes.keys()] });
  const forbidden = doc.forbids
    ? forbiddenOf(given, doc.forbids, doc.forbids.before).map((f) => `${f.error}: ${f.said}`)
    : [];
  const model = new PlacementModel(placementOf(given, doc));
  const { type, spec, hlo, shardy } = model.doc;
  const slices = [...model.tileAt].map((tile) => model.parts(tile).map((part, d) => model.bounds(d, part)));
  const shard = model.tileShape(0);
  const ids = [...model.ids];
  return JSON.stringify({
    type,
    spec,
    hlo,
    shardy,
    slices,
    shard,
    ids,
    copies: model.copies,
    code: codeOf(given, doc),
    forbidden,
  });
}
