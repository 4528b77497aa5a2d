/** The table: column heads, and the lines that are near what is in view. */
import { Pure } from "../card/Pure";
import { CollectiveLine } from "./CollectiveLine";
import type { Chunks } from "./chunks";
import { FoldLine } from "./FoldLine";
import type { LineProps } from "./line";
import type { ComparisonModel } from "./model/comparison";
import type { Line } from "./model/lines";
import { columnsOf } from "./model/words";
import type { Pictures } from "./pictures";
import { RowLine } from "./RowLine";
import { GROUP, grid, HEADS, head } from "./roles";
import { StopLine } from "./StopLine";
import type { ComparisonState } from "./state";

interface Shown {
  state: ComparisonState;
  model: ComparisonModel;
  chunks: Chunks;
  pictures: Pictures;
}

export function Table({ state, model, lines, chunks, pictures }: Shown & { lines: readonly Line[] }) {
  const { cursor, selection, live } = state.now;
  const feeding = state.feeding();
  const { ways, ink } = state.ways();
  const changed = state.changed();
  const at = lines[cursor];
  const inPage = at && chunks.chunkOf(cursor) >= live[0] && chunks.chunkOf(cursor) < live[1];
  // Whether both sides are the same stands where the second one would.
  const heads = columnsOf(model).filter(({ key }) => key !== "verdict");
  return (
    <div
      class={`table ${model.doc.of} ${model.waiting < Infinity ? "waiting" : ""}`}
      aria-busy={model.waiting < Infinity}
      {...grid(
        `types and shardings of ${model.doc.name || "the program"}`,
        lines.length,
        inPage ? `line-${at.key}` : undefined,
      )}
      onScroll={() => state.scrolled()}
      onWheel={() => state.touched()}
      onPointerDown={() => state.touched()}
    >
      <div {...GROUP} class="heads">
        <div {...HEADS}>
          {heads.map(({ key, head: name, note }) => (
            <div {...head(key)} key={key}>
              <b>{name}</b>
              <span class="soft">{note}</span>
            </div>
          ))}
        </div>
      </div>
      {Array.from({ length: chunks.count }, (_, i) =>
        i >= live[0] && i < live[1] ? (
          <div {...GROUP} data-chunk={i} key={chunks.of(i)[0]?.key ?? i}>
            {chunks.of(i).map((line, k) => (
              <LineView
                state={state}
                model={model}
                pictures={pictures}
                line={line}
                index={chunks.first(i) + k}
                current={chunks.first(i) + k === cursor}
                selected={line.kind === "row" && line.row === selection}
                news={line.kind === "row" && line.members.some((row) => changed.has(row))}
                feeds={line.kind === "row" && feeding.includes(line.row)}
                way={ways[chunks.first(i) + k] ?? ""}
                ink={ink}
                at={line.kind === "row" && line.row === selection ? state.now.at : null}
                choices={state.now.choices}
                instead={line.kind === "row" && line.row === selection ? state.now.instead : null}
                asked={line.kind === "row" && line.row === selection ? state.now.asked : 0}
                key={line.key}
              />
            ))}
          </div>
        ) : (
          <div class="space" style={{ height: `${chunks.height(i)}px` }} key={chunks.of(i)[0]?.key ?? i} />
        ),
      )}
      {lines.length === 0 && <p class="none">No row matches.</p>}
    </div>
  );
}

/** A line, drawn again only when what it shows has changed: scrolling must not redraw what is on screen. */
class LineView extends Pure<LineProps> {
  override render() {
    const { line } = this.props;
    if (line.kind === "row") return <RowLine {...this.props} line={line} />;
    if (line.kind === "stop") return <StopLine {...this.props} line={line} />;
    if (line.kind === "same" || line.kind === "fold") return <FoldLine {...this.props} line={line} />;
    return <CollectiveLine {...this.props} line={line} />;
  }
}
