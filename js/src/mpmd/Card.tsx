/** The card of an array on groups: type, groups and bytes, the panels, what is looked at in words. */

import { Chip } from "../card/Chip";
import { Foot } from "../card/Foot";
import { Head } from "../card/Head";
import { boxStyle, Listbox } from "../card/Listbox";
import { pointOf } from "../card/pointed";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import { axisTokens, sentenceTokens } from "../core/text";
import { KEYS } from "./keys";
import { answerOf, badgesOf, foldText, notesOf, saysSame } from "./model/mpmd";
import { groupAt } from "./scene/mpmd";
import type { MpmdState, Shown } from "./state";

export function MpmdCard({ state }: { state: MpmdState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model } = shown;
  const { doc } = model;
  return (
    <div class="mpmd">
      <Head
        name={doc.name}
        title={<Tokens tokens={axisTokens(doc.type, model)} />}
        axes={model.axes}
        chip={(axis) =>
          axis === model.axis && (
            <Chip name={doc.axis} axis={axis} key={doc.axis}>
              {model.axes[axis]?.size} groups
            </Chip>
          )
        }
        badges={badgesOf(model)}
        go={() => state.next()}
        says={
          <Says>
            <Tokens tokens={sentenceTokens(answerOf(model), model)} />
          </Says>
        }
      />
      <p class="facts">
        <span class="mono">
          <Tokens tokens={axisTokens(doc.spec, model)} />
        </span>
        <span class="soft">
          {model.size} devices · {doc.source}
          {doc.memory_kind && doc.memory_kind !== "device" ? ` · ${doc.memory_kind} memory` : ""}
        </span>
      </p>
      <Groups state={state} shown={shown} />
      <p class="said" role="status">
        {notesOf(model).join(" ")}
      </p>
      <Foot keys={KEYS}>
        <ul class="legend" aria-label="picture">
          {saysSame(model) && (
            <li>
              <i class="pip" aria-hidden="true">
                =
              </i>{" "}
              the same on both
            </li>
          )}
          {doc.holds.includes("remote") && (
            <li>
              <i class="far" aria-hidden="true" /> on another process
            </li>
          )}
        </ul>
      </Foot>
    </div>
  );
}

function Groups({ state, shown }: { state: MpmdState; shown: Shown }) {
  const { model, layout, at } = shown;
  const { hover } = state.now;
  const over = hover === null ? undefined : model.folds[hover];
  const under = (event: MouseEvent) => groupAt(layout, ...pointOf(event));
  const panel = layout.panels[at ?? 0];
  const fold = model.folds[at ?? 0];
  return (
    <div
      class="picture"
      style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
      title={over && foldText(model, over)}
      onPointerDown={(event) => state.look(under(event))}
      onPointerMove={(event) => state.set({ hover: under(event) })}
      onPointerLeave={() => state.set({ hover: null })}
    >
      <div aria-hidden="true" ref={state.layer.attach} />
      {panel && fold && (
        <Listbox
          label={`groups along ${model.doc.axis}`}
          said={foldText(model, fold)}
          at={boxStyle(panel)}
          selected={at !== null}
        />
      )}
    </div>
  );
}
