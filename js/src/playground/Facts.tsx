/** What the spec gives beside its picture: bytes, copies, the local shape, JAX's other forms of it. */

import { summarize } from "../array/public";
import { Badges } from "../card/Head";
import { Tokens } from "../card/Tokens";
import type { Playground, SpecDraft } from "../core/document.gen";
import type { PlacementModel } from "../core/placement";
import { shardText } from "../core/spec/forms";
import { dtypeOf } from "./model/playground";

interface Props {
  draft: SpecDraft;
  doc: Playground;
  model: PlacementModel;
}

/** What signs of the picture mean; the spec in the forms of XLA and of Shardy. */
export function Forms({ model }: Pick<Props, "model">) {
  const { hlo, shardy } = model.doc;
  const { notes } = summarize(model);
  return (
    <details>
      <summary>{notes.length > 0 && "signs, "}HLO, Shardy</summary>
      {notes.map((note) => (
        <p class="small" key={note[0]?.text}>
          <Tokens tokens={note} />
        </p>
      ))}
      <dl class="facts">
        <div class="fact">
          <dt>HLO</dt>
          <dd class="mono">{hlo}</dd>
        </div>
        <div class="fact">
          <dt>Shardy</dt>
          <dd class="mono">{shardy}</dd>
        </div>
      </dl>
    </details>
  );
}

/** The shard of a device, bytes and copies. */
export function Gives({ draft, doc, model }: Props) {
  return (
    <div class="gives">
      <span class="mono">
        <b>{shardText(draft, dtypeOf(draft, doc))}</b> <span class="soft">on each device</span>
      </span>
      <Badges of={summarize(model).badges} />
    </div>
  );
}
