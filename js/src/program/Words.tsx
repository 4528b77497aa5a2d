/** The arithmetic of the estimate of what is on the mesh, what it is for, and what the compiler says of the whole. */

import type { HloCollective } from "../core/document.gen";
import type { ProgramModel } from "./model/program";
import { analysis, estimateText, linksText, whereText } from "./model/words";

interface Props {
  model: ProgramModel;
  c: HloCollective | null;
  interconnect: number;
}

export function Words({ model, c, interconnect }: Props) {
  const facts = analysis(model.doc);
  const { interconnects } = model.doc;
  return (
    <dl class="words">
      {c && (
        <div>
          <dt>selected</dt>
          <dd>
            {linksText(model, c)} <span class="mono">{c.shapes.join(", ")}</span>
            {c.nest >= 0 && ` ${whereText(model, c)}`}: {estimateText(model, c, interconnect)}
          </dd>
        </div>
      )}
      {c?.remark && (
        <div>
          <dt>look at</dt>
          <dd>
            <b class="warn">{c.remark}</b>
            {c.advice && `: ${c.advice}`}
          </dd>
        </div>
      )}
      {c && interconnects.length > 0 && (
        <div>
          <dt>estimate</dt>
          <dd>
            Scaling-book roofline, on {interconnects[interconnect]}. Overlap with compute is not modelled, so a measured
            call can be shorter.
          </dd>
        </div>
      )}
      {facts.length > 0 && (
        <div>
          <dt>compiler</dt>
          <dd>
            <ul class="facts">
              {facts.map(([name, figure]) => (
                <li key={name}>
                  <span class="soft">{name}</span> <span class="mono">{figure}</span>
                </li>
              ))}
            </ul>
          </dd>
        </div>
      )}
    </dl>
  );
}
