/** The mesh with the groups of what is selected, how it plays, and the groups as XLA writes them. */
import type { ComponentChildren } from "preact";
import { some } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import { Canvas } from "./Canvas";
import type { ProgramModel } from "./model/program";
import { groupsText, groupTexts } from "./model/words";
import { Player } from "./Player";
import { captionOf } from "./scene/collective/caption";
import type { CollectiveView } from "./scene/collective/view";
import type { ProgramState } from "./state";

interface Props {
  state: ProgramState;
  model: ProgramModel;
  view: CollectiveView;
}

export function Panel({ state, model, view, children }: Props & { children?: ComponentChildren }) {
  const { c } = view;
  const { lit, physical } = state.now;
  const axis = lit === null ? null : model.mesh.axes[lit];
  return (
    <section class="mesh" aria-label={`mesh of ${state.name()}`}>
      <div class="title">
        <p>
          {axis && lit !== null ? (
            <>
              <b>
                groups of <Names names={[axis.name]} model={model} />
              </b>{" "}
              <span class="soft groups">
                {view.groups.length} of {axis.size}
              </span>
            </>
          ) : (
            c && (
              <>
                <b>
                  {c.kind} {c.irregular ? "of irregular groups" : c.axes.length > 0 ? "over " : "of single devices"}
                  <Names names={c.axes} model={model} />
                </b>{" "}
                <span class="soft groups">{groupsText(model, c)}</span>
              </>
            )
          )}
        </p>
        {model.box() && (
          <fieldset class="segments">
            <legend>devices in the order of</legend>
            {[false, true].map((value) => (
              <button
                type="button"
                aria-pressed={physical === value}
                title={value ? "where the chips are (p)" : "in the order of your mesh (p)"}
                onClick={() => state.set({ physical: value })}
                key={String(value)}
              >
                {value ? (model.doc.wraps.some(Boolean) ? "torus" : "grid") : "mesh"}
              </button>
            ))}
          </fieldset>
        )}
      </div>
      <Player state={state} view={view} />
      <Canvas state={state} view={view} />
      <p class="caption soft">{captionOf(view)}</p>
      {children}
    </section>
  );
}

function Names({ names, model }: { names: readonly string[]; model: ProgramModel }) {
  return (
    <>
      {names.map((name, i) => (
        <span key={name}>
          {i > 0 && ", "}
          <b class={`ink${model.mesh.axisOf(name) % AXIS_DASH.length}`}>{name}</b>
        </span>
      ))}
    </>
  );
}

/** The groups as XLA writes them, beside whose they are. */
export function Xla({ state, model, view }: { state: ProgramState; model: ProgramModel; view: CollectiveView }) {
  const { c } = view;
  if (!c) return null;
  const groups = groupTexts(model, c, state.now.group);
  const more = model.groups(c).length - groups.length;
  const pairs = c.pairs.map(([a, b]) => `${model.mesh.ids[a]}→${model.mesh.ids[b]}`);
  return (
    <div class="xla">
      <p>
        <b>XLA</b>{" "}
        <span class="mono soft" title={`${c.groups_text}: ${c.groups_meaning}`}>
          {c.groups_text.split(/(?<=,)(?=[{'@])/).flatMap((part) => [part, <wbr key={part} />])}
        </span>
      </p>
      <p>
        {c.axes.length > 0 ? (
          <b>
            = your <Names names={c.axes} model={model} />
          </b>
        ) : (
          <b>= no mesh axis's groups</b>
        )}{" "}
        {c.axes.length > 0 ? (c.axes.length > 1 ? "axes, devices " : "axis, devices ") : ": devices "}
        {groups.map(({ text, chosen }) => (
          <>
            <span class={`mono ${chosen ? "chosen" : "soft"}`} key={text}>
              {text}
            </span>{" "}
          </>
        ))}
        {more > 0 && <span class="soft">… {more} more</span>}
      </p>
      {pairs.length > 0 && (
        <p>
          <b>sends</b> <span class="mono soft">{some(pairs, 12)}</span>
        </p>
      )}
      {model.groups(c).length > 1 && (
        <p class="others">
          <button type="button" onClick={() => step(state, view, -1)} aria-label="previous group">
            ◂
          </button>{" "}
          group {state.now.group + 1} of {view.groups.length}{" "}
          <button type="button" onClick={() => step(state, view, 1)} aria-label="next group">
            ▸
          </button>
        </p>
      )}
    </div>
  );
}

function step(state: ProgramState, view: CollectiveView, by: -1 | 1): void {
  const n = view.groups.length;
  state.set({ group: (state.now.group + by + n) % n, device: null });
}
