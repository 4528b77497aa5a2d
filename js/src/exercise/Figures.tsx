/** Things to look at: pictures of placements, code with its types, blocks of numbers. */

import type { ComponentChildren } from "preact";
import { Tokens } from "../card/Tokens";
import type { Scheme } from "../core/color";
import type { Figure as FigureData, Placement } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import { axisTokens } from "../core/text";
import type { Box } from "../draw/marks";
import type { Theme } from "../draw/paint/theme";
import { Canvas, fitsBeside } from "./Canvas";
import { taskOf } from "./model/moving";
import { lookOf } from "./TaskOrder";

/** Width of a mesh without an array. */
const BARE = 360;
/** Two placements stand side by side from this width on. */
export const PAIR = 600;

/** Code of more lines gives way to what is asked of it. */
const LINES = 8;

export type Over = (boxOf: (position: number) => Box) => ComponentChildren;

interface FiguresProps {
  figures: readonly FigureData[];
  /** What stands over the first picture. */
  over?: Over | undefined;
  /** Whether the last one no longer matches the answer. */
  faded?: boolean;
  /** Whether pictures are low, as several are; whether another has room beside them. */
  low?: boolean;
  beside?: boolean;
  theme: Theme;
  width: number;
  mesh: MeshModel;
  narrow: boolean;
  /** Whether the card is printed: then an exercise keeps to a sheet. */
  paper: boolean;
}

export function Figures({ figures, over, faded, low, beside, theme, width, mesh, narrow, paper }: FiguresProps) {
  const pictures = figures.flatMap(({ placement }) => (placement?.shape ? [placement] : []));
  const several = pictures.length > 1;
  const half = (width - 24) / 2;
  const pair = beside || (!narrow && width >= PAIR && several && pictures.every((p) => fitsBeside(p, half)));
  const each = pair ? half : width;
  return (
    <div class={pair ? "figures pair" : "figures"}>
      {figures.map((figure, i) => (
        <figure class={faded && i === figures.length - 1 ? "faded" : ""} key={`${figure.title} ${i}`}>
          {figure.types.length > 0 && (
            <ul class="types mono">
              {figure.types.map((type) => (
                <li key={type}>
                  <Tokens tokens={axisTokens(type, mesh)} />
                </li>
              ))}
            </ul>
          )}
          {figure.listing && <Code lines={figure.listing.lines} title={figure.title} mesh={mesh} />}
          {figure.title && !figure.listing && !isNamed(figure) && (
            <figcaption>
              <Tokens tokens={axisTokens(caption(figure), mesh)} />
            </figcaption>
          )}
          {figure.placement && (
            <Canvas
              placement={figure.placement}
              title={figure.title}
              over={i === 0 ? over : undefined}
              theme={theme}
              low={low || paper || several}
              width={figure.placement.shape === null ? Math.min(each, BARE) : each}
            />
          )}
          {figure.tables.length > 0 && <Tables figure={figure} scheme={theme.scheme} />}
        </figure>
      ))}
    </div>
  );
}

/** Lines of code: what of one has no room goes on below it. */
function Code({ lines, title, mesh }: { lines: readonly string[]; title: string; mesh: MeshModel }) {
  const look = lines.length > LINES ? "listing tall" : "listing";
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: many lines are scrolled by keyboard
    <section class={look} tabIndex={0} aria-label={`source of ${title}`}>
      <pre>
        {lines.map((line, i) => (
          <span style={{ "--deep": line.search(/\S|$/) }} key={String(i)}>
            <Tokens tokens={axisTokens(`${line}\n`, mesh)} />
          </span>
        ))}
      </pre>
    </section>
  );
}

/** Whether its types begin with its title: `wanted: f32[8,4]`. */
function isNamed({ title, types }: FigureData): boolean {
  return types.some((type) => type.startsWith(`${title}: `));
}

function caption(figure: FigureData): string {
  const { placement, title } = figure;
  return placement?.type && !title.includes(placement.type) ? `${title}   ${named(placement)}` : title;
}

function named(placement: Placement): string {
  return `${placement.type}   ${placement.spec ?? ""}`;
}

function Tables({ figure, scheme }: { figure: FigureData; scheme: Scheme }) {
  const tasks = figure.tables.flatMap(({ rows }) => rows.flat());
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables are scrolled by keyboard
    <section class="tables" tabIndex={0} aria-label={`numbers of ${figure.title || "the question"}`}>
      {figure.tables.map((table) => (
        <table class="mono" key={table.title}>
          <caption>{table.title}</caption>
          <tbody>
            {table.rows.map((row, r) => (
              <tr key={r}>
                {row.map((cell, c) => {
                  const task = taskOf(cell);
                  return (
                    <td class={task ? "task" : ""} style={task ? lookOf(task, tasks, scheme) : undefined} key={c}>
                      {cell}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </section>
  );
}
