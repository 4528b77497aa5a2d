/** The card of trees side by side: what differs, a line for each path, and the whole of the line at the keyboard. */
import { parted } from "../../card/Cell";
import { Head } from "../../card/Head";
import { KeyedFoot } from "../../card/KeyedFoot";
import { Search, Select } from "../../card/Tools";
import { count } from "../../core/text";
import { textWidth } from "../../draw/measure";
import { ComparedLine, Whole } from "./ComparedLine";
import { KEYS } from "./keys";
import {
  type Compared,
  type ComparedModel,
  comparedBadges,
  pathsOf,
  titleOf,
  totalOf,
  typesOf,
} from "./model/compared";
import type { ComparedState } from "./state";

/** Below this width the trees stand below each other in a line. */
const NARROW = 560;
/** Widths of a path, and of a tree's column, with what is beside them. */
const [PATH, COLUMN, MOST] = [162, 140, 210];

/** Only the grid itself takes focus. */
const ROW = { role: "row" } as const;
const CELL = { role: "gridcell" } as const;

export function ComparedCard({ state }: { state: ComparedState }) {
  const { model, width, most } = state.now;
  if (!model) return null;
  const lines = state.lines();
  const at = state.line();
  const trees = model.doc.trees.length;
  const column = Math.min(MOST, Math.max(COLUMN, 20 + widest(model)));
  const narrow = width < Math.max(NARROW, PATH + trees * column);
  const greatest = Math.max(1, ...model.lines.flatMap((line) => line.held));
  return (
    <div class={`model compared ${narrow ? "slim" : "wide"}`} style={{ "--trees": trees }}>
      <Head
        title={titleOf(model)}
        axes={model.mesh.axes}
        badges={comparedBadges(model)}
        go={(status) => state.next(status)}
      />
      <Tools state={state} model={model} lines={lines} />
      <div class="titles" aria-hidden="true">
        <span>path</span>
        {model.doc.trees.map((tree, i) => (
          <span key={tree.name}>
            <b class="mono">{tree.name}</b> {totalOf(model, i)}
          </span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: one focus for all lines, as in the tree of ModelView */}
      <div
        class="grid"
        role="grid"
        tabIndex={0}
        aria-label={`${state.name()}: ${model.doc.trees.map((t, i) => `${t.name} ${totalOf(model, i)}`).join(", ")}`}
        aria-rowcount={Math.max(1, lines.length)}
        aria-activedescendant={lines.length > 0 ? `line-${at}` : undefined}
      >
        {lines.slice(0, most).map((line, i) => (
          <ComparedLine
            {...{ state, model, line, narrow, greatest }}
            index={i}
            current={i === at}
            key={line.path + line.times}
          />
        ))}
        {lines.length === 0 && (
          <div {...ROW}>
            <div class="none" {...CELL}>
              {state.now.search ? "No path matches." : "Nothing differs."}
            </div>
          </div>
        )}
      </div>
      {lines.length > most && (
        <button type="button" class="plainly further" onClick={() => state.more()}>
          {count(lines.length - most, "more line")}
        </button>
      )}
      {lines[at] && <Whole model={model} line={lines[at] as Compared} />}
      <KeyedFoot keys={KEYS} />
    </div>
  );
}

function Tools({ state, model, lines }: { state: ComparedState; model: ComparedModel; lines: readonly Compared[] }) {
  const { sort, search, differs } = state.now;
  return (
    <div class="tools">
      <Search
        hint="path, type, axis or lost"
        label="filter paths"
        value={search}
        search={(text) => state.list({ search: text })}
      />
      <label>
        sort:{" "}
        <Select
          aria-keyshortcuts="s"
          of={[
            ["tree", "tree order"],
            ["difference", "greatest difference"],
          ]}
          value={sort}
          choose={(chosen) => state.list({ sort: chosen })}
        />
      </label>
      <button
        type="button"
        class="flags"
        aria-keyshortcuts="d"
        aria-pressed={differs}
        onClick={() => state.list({ differs: !differs })}
      >
        only what differs
      </button>
      <span class="soft end cut" role="status">
        {differs || search ? `${pathsOf(lines)} of ${count(pathsOf(model.lines), "path")}` : ""}
      </span>
    </div>
  );
}

/** Pixels that a type needs at least, in lines of a dimension or more each. */
function widest(model: ComparedModel): number {
  const types = model.lines.flatMap((line) => line.cells.flatMap((cell) => typesOf(cell.arrays)));
  return types.flatMap(parted).reduce((most, piece) => Math.max(most, textWidth(piece, 12.5, true)), 0);
}
