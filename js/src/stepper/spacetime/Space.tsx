/** Space-time of a trace: its rows as buttons, the grid of devices as a canvas, loops that fold. */

import { pointOf } from "../../card/pointed";
import { keepInView } from "../../card/scroll";
import { some } from "../../core/text";
import { NOT_KNOWN, originsOf } from "../model/origins";
import type { TraceModel } from "../model/trace";
import { Lens } from "./Lens";
import type { Page } from "./page";
import type { SpaceLayout } from "./scene/layout";

export function Space({ page }: { page: Page }) {
  const { state } = page;
  const { trace, device: followed } = state.now;
  const space = page.layout();
  const layout = state.layout();
  if (!trace || !space || !layout) return null;
  const { ids } = trace.mesh;
  const folded = page.folded();
  const pointed = (event: MouseEvent) => tileAt(trace, space, ...pointOf(event));
  return (
    <div class="space" style={{ "--height": `${page.height(layout)}px` }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: rows and devices are chosen by keyboard as well */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div
        class="picture"
        style={{ height: `${space.height}px` }}
        onPointerMove={(event) => page.point(pointed(event))}
        onPointerLeave={() => page.point(null)}
        onClick={(event) => {
          const tile = pointed(event);
          const row = tile && space.rows[tile.row]?.row;
          if (!row) return;
          // A press on a tile follows its block; a second one lets go.
          const [v] = row.shown;
          const inside = tile.device >= 0 && v !== undefined;
          const origin = inside ? (originsOf(trace, v, tile.device)[0] ?? tile.device) : -1;
          if (inside) state.set({ device: origin < 0 || origin === followed ? null : origin, keyboard: false });
          state.jump(row.steps.at(-1) ?? 0);
        }}
      >
        <div aria-hidden="true" ref={state.layer.attach} />
        <div class="over" aria-hidden="true" ref={page.moving.attach} />
        <ol
          aria-label="steps and their blocks"
          style={{ "--label": `${space.left - 6}px`, "--names": `${space.names}px` }}
        >
          {space.rows.map((placed) => (
            <PlacedRow
              page={page}
              trace={trace}
              placed={placed}
              open={folded?.row === placed}
              key={`${placed.row.again} ${placed.row.steps[0]}`}
            />
          ))}
        </ol>
        {space.brackets.map((bracket) => (
          <LoopBracket page={page} bracket={bracket} key={bracket.loop} />
        ))}
        {/* There before its text is: only a change of a region is read out. */}
        <div role="status">
          <p class="hidden">
            {[folded?.text, followed !== null && `block of device ${ids[followed]}`].filter((said) => said).join("; ")}
          </p>
          <Lens page={page} />
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  page: Page;
  trace: TraceModel;
  placed: SpaceLayout["rows"][number];
  /** Whether it is what is looked at in a folded loop. */
  open: boolean;
}

/** A row as a button, in words. */
function PlacedRow({ page, trace, placed: { row, y, h, text, note, met }, open }: RowProps) {
  const { ids } = trace.mesh;
  const [v] = row.shown;
  const held = v?.origin
    ? Array.from(ids, (id, p) => {
        const from = originsOf(trace, v, p);
        return `${id} holds ${from.map((o) => (o === NOT_KNOWN ? "a block not known whose" : o < 0 ? "zeros" : ids[o])).join(" ")}`;
      })
    : [];
  const { name = "" } = page.met() ?? {};
  const said = met?.map((from, p) => `${ids[p]} has met ${[...from].map((o) => ids[o]).join(" ") || "none"}`);
  const current = row.steps.includes(page.step());
  return (
    <li style={{ top: `${y + h / 2 - 16}px` }} ref={current || open ? reveal : null}>
      <button
        type="button"
        title={`${text} ${note}`}
        aria-current={current ? "step" : undefined}
        aria-label={`step ${(row.steps[0] ?? 0) + 1}, ${text} ${note}${held.length > 0 ? `: device ${some(held, 16)}` : ""}${said ? `; ${name} on device ${some(said, 16)}` : ""}`}
        onClick={() => page.state.jump(row.steps.at(-1) ?? 0)}
      >
        <b class="mono cut">{text}</b> <span class="mono cut soft">{note}</span>
      </button>
    </li>
  );
}

/** Folds a loop, or unfolds it. */
function LoopBracket({ page, bracket }: { page: Page; bracket: SpaceLayout["brackets"][number] }) {
  const { loop, x, y, h, text, open } = bracket;
  return (
    <button
      type="button"
      class="bracket"
      aria-expanded={open}
      title={open ? "fold" : "unfold"}
      style={{ left: `${x}px`, top: `${y}px`, height: `${h}px` }}
      onClick={(event) => {
        // The row beside it is not meant.
        event.stopPropagation();
        page.toggleLoop(loop);
      }}
    >
      <span>
        {text} {open ? "▾" : "▸"}
      </span>
    </button>
  );
}

/** The row at a point, and the device there: -1 beside all columns. */
function tileAt(trace: TraceModel, space: SpaceLayout, x: number, y: number): { row: number; device: number } | null {
  const row = space.rows.findIndex((r) => y >= r.y - 20 && y < r.y + r.h + 4);
  const device = Math.floor((x - space.left) / space.pitch);
  return row < 0 ? null : { row, device: device < trace.mesh.size ? Math.max(-1, device) : -1 };
}

/** Brings a row into view with what stands over and under its name. */
function reveal(row: Element | null): void {
  keepInView(row, 40, 30);
}
