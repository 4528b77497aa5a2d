/** A name and what it holds; below it, when it is open, the view that fits. */

import { fixedModel } from "../card/fixed";
import { Opened } from "../card/Opened";
import { keepInView } from "../card/scroll";
import { Tokens } from "../card/Tokens";
import type { Holder } from "../core/document.gen";
import { bytes } from "../core/format";
import { axisTokens, clauseOf, count } from "../core/text";
import { Band } from "./Band";
import type { NamespaceModel } from "./model/namespace";
import { changeDetail, deltaText, labelOf, nameOf, sizeText, typeText } from "./model/words";
import type { InspectorState } from "./state";

/** Only the list itself takes focus. */
const CELL = { role: "gridcell" } as const;
const ROW = { role: "row" } as const;

function rowRole(model: NamespaceModel, holder: Holder, line: number, current: boolean, open: boolean) {
  return {
    role: "row",
    id: `name-${line}`,
    "aria-level": 1,
    "aria-rowindex": line + 1,
    "aria-selected": current,
    "aria-expanded": holder.change === "gone" ? undefined : open,
    "aria-label": labelOf(model, holder),
  } as const;
}

interface Props {
  state: InspectorState;
  model: NamespaceModel;
  holder: Holder;
  line: number;
}

export function Line({ state, model, holder, line }: Props) {
  const { at, open } = state.now;
  const current = holder.name === at;
  const isOpen = holder.name === open;
  const gone = holder.change === "gone" || (holder.deleted > 0 && holder.bytes === 0);
  const quiet = gone || (holder.shared > 0 && holder.bytes === 0);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it is a row, and the list listens for keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div
        class={`row ${current ? "current" : ""} ${quiet ? "quiet" : ""}`}
        {...rowRole(model, holder, line, current, isOpen)}
        ref={current ? keepInView : null}
        onClick={() => {
          state.point(holder.name);
          state.toggle(holder.name);
        }}
      >
        <span class={holder.name ? "name mono" : "name"} {...CELL} title={holder.name}>
          <b>{nameOf(holder)}</b> <Copies model={model} holder={holder} />
        </span>
        <span class="end" {...CELL}>
          {holder.change && <span class={`state ${holder.change}`}>{holder.change}</span>}
          <span class="soft mono">{deltaText(model, holder)}</span>
          <b class="mono size">{sizeText(model, holder)}</b>
        </span>
        <span class="what" {...CELL}>
          <Band state={state} model={model} holder={holder} />
          <Type model={model} holder={holder} struck={gone} />
        </span>
        <Notes model={model} holder={holder} />
      </div>
      {isOpen && (
        <div {...ROW}>
          <div {...CELL}>
            <Below state={state} model={model} holder={holder} />
          </div>
        </div>
      )}
    </>
  );
}

function Copies({ model, holder }: { model: NamespaceModel; holder: Holder }) {
  const over = model.copiedOver(holder);
  const placed = model.placed(holder);
  const axes = model.mesh?.axes ?? [];
  // What is copied on all devices says so below, in words.
  if (!placed || over.length === 0 || over.length === placed.axes.length || holder.bytes === 0) return null;
  const tokens = over.map((name) => ({ text: name, axis: axes.findIndex((a) => a.name === name) }));
  return (
    <span class="soft">
      ×{placed.copies} over <Tokens tokens={tokens} />
    </span>
  );
}

function Type({ model, holder, struck }: { model: NamespaceModel; holder: Holder; struck: boolean }) {
  const of = model.typeOf(holder);
  const text = typeText(model, holder);
  const mesh = of ? (model.meshes[of.mesh] ?? model.mesh) : model.mesh;
  const types = holder.parts.slice(0, 2).map((part) => part.type + (part.count > 1 ? ` ×${part.count}` : ""));
  const more = holder.parts.length + holder.more_types - types.length;
  const tokens = (words: string) => (mesh ? axisTokens(words, mesh) : [{ text: words, axis: null }]);
  return (
    <span class={struck ? "type cut struck" : "type cut"} title={text}>
      <span class={of || holder.was ? "mono" : "soft"}>
        <Tokens tokens={tokens(text)} />
      </span>
      {types.length > 0 && (
        <span class="soft mono parts">
          {" "}
          <Tokens tokens={tokens(types.join("  "))} />
          {more > 0 && ` and ${count(more, "more type")}`}
        </span>
      )}
    </span>
  );
}

/** What changed in it, and what is to be looked at, each with its number. */
function Notes({ model, holder }: { model: NamespaceModel; holder: Holder }) {
  const detail = changeDetail(holder);
  const mesh = model.mesh;
  return (
    <>
      {detail && (
        <span class="note soft" {...CELL}>
          <span class="mono">{mesh ? <Tokens tokens={axisTokens(detail, mesh)} /> : detail}</span>
        </span>
      )}
      {holder.reason && (
        <span class="note warn" {...CELL}>
          <span class="cut" title={`${holder.flagged ? `${holder.flagged}: ` : ""}${holder.reason}`}>
            {holder.flagged && <span class="mono">{holder.flagged}: </span>}
            {clauseOf(holder.reason)}
          </span>
          {holder.cost > 0 && <b>{model.write(holder.cost)} too much</b>}
          {holder.flags > 1 && <span>{holder.flags - 1} more in it</span>}
        </span>
      )}
    </>
  );
}

/** The view of what a name holds, or, of arrays that no name holds, their types. */
function Below({ state, model, holder }: { state: InspectorState; model: NamespaceModel; holder: Holder }) {
  const { answer } = state.now;
  const tokens = (words: string) => (model.mesh ? axisTokens(words, model.mesh) : [{ text: words, axis: null }]);
  if (holder.name !== "" && state.live) {
    return (
      <section class="opened" aria-label={`the view of ${holder.name}`}>
        {/* With several flags, the cost is that of all, and the spec that of the worst. */}
        {holder.spec && holder.flags === 1 && (
          <p class="offer">
            {holder.flagged && <span class="mono">{holder.flagged} as </span>}
            <code>
              <Tokens tokens={tokens(holder.spec)} />
            </code>{" "}
            <span class="soft">
              would leave {bytes(Math.max(0, holder.bytes_per_device - holder.cost))} on each device
            </span>
          </p>
        )}
        {answer?.error && <p class="fault">{answer.error}</p>}
        {answer?.front_end && (
          <Opened
            source={answer.front_end}
            model={fixedModel(new Map(Object.entries(answer.state ?? {})))}
            key={answer.n}
          />
        )}
        {!answer && <p class="soft">reading {holder.name} …</p>}
      </section>
    );
  }
  return (
    <section class="opened" aria-label={`the types of ${nameOf(holder)}`}>
      {holder.name === "" && (
        <p class="soft">
          Live arrays that no name refers to: an object, a closure or the cache of a function holds them.
        </p>
      )}
      <ul>
        {holder.parts.map((part) => (
          <li key={part.type}>
            <span class="mono">
              <Tokens tokens={tokens(part.type)} />
            </span>{" "}
            ×{part.count} <b class="mono">{bytes(part.bytes_per_device)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}
