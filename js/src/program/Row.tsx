/** A line of the table: a collective, or several equal ones with their runs added up. */

import { Cell } from "../card/Cell";
import { Pure } from "../card/Pure";
import { COLLECTIVES } from "../core/columns.gen";
import type { HloCollective } from "../core/document.gen";
import { duration } from "../core/format";
import { count } from "../core/text";
import { cellsOf } from "./model/cells";
import type { Group, GroupTotal, totalFigures } from "./model/groups";
import type { ProgramModel } from "./model/program";
import { cell, row } from "./roles";
import type { Asked, ProgramState } from "./state";
import { WhyHere } from "./Why";

interface Props {
  state: ProgramState;
  model: ProgramModel;
  c: HloCollective;
  group: Group;
  total: GroupTotal;
  /** Index of the line. */
  line: number;
  /** Index of the one that is on the mesh; null for none of the group. */
  chosen: number | null;
  /** Whether the keyboard is at it. */
  current: boolean;
  /** How numbers of the columns are written, and the time of a whole bar. */
  figures: ReturnType<typeof totalFigures>;
  longest: number;
  /** What is known of why the chosen one is there. */
  why: Asked | null;
}

export class Row extends Pure<Props> {
  override render() {
    const { state, model, c, group, total, line, chosen, current, why, figures, longest } = this.props;
    const cells = cellsOf(model, c, total, figures, longest);
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: it is a row, and the grid listens for keys
      // biome-ignore lint/a11y/useKeyWithClickEvents: as above
      <div {...row(group.at, line, chosen !== null, current)} onClick={() => state.select(chosen ?? group.at)}>
        {COLLECTIVES.map(({ key }) => (
          <div {...cell(key)} key={key}>
            <Cell of={cells[key]} />
          </div>
        ))}
        {chosen !== null && group.members.length > 1 && (
          <div {...cell("members")}>
            {group.members.slice(0, MOST).map((at) => (
              <button
                type="button"
                tabIndex={-1}
                class={at === chosen ? "chosen" : ""}
                title={`${c.kind} ${at + 1} of the program: ${duration(model.seconds(model.collectives[at] ?? c, state.now.interconnect))}`}
                aria-label={`collective ${at + 1}`}
                onClick={(event) => {
                  event.stopPropagation();
                  state.select(at);
                }}
                key={at}
              />
            ))}
            <span class="soft small">{count(group.members.length, "call")} in program order</span>
          </div>
        )}
        {chosen !== null && why && (why.sent || !state.saved) && c.shapes.length > 0 && (
          // biome-ignore lint/a11y/noStaticElementInteractions: its buttons act, and do not choose the row
          // biome-ignore lint/a11y/useKeyWithClickEvents: as above
          <div {...cell("reason")} onClick={(event) => event.stopPropagation()}>
            <WhyHere state={state} model={model} at={chosen} why={why} />
          </div>
        )}
      </div>
    );
  }
}

/** Members of a group that have a mark each. */
const MOST = 64;
