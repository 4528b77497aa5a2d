/** The arrays of a chunk, with both layouts, what they make, what of the threshold they take, and how they move. Of many, those in view. */

import { Tokens } from "../card/Tokens";
import type { MovedArray } from "../core/document.gen";
import { bytesColumn, type Format } from "../core/format";
import { axisTokens } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import type { PlanModel } from "./model/reshard";
import { collectivesText, groupsText, typeOf } from "./model/words";
import { LINE, lineOf, listHeight, type ReshardState, type Shown } from "./state";

/** More are not all in the page; those above and below what is seen are, some. */
const MANY = 60;
const BEYOND = 6;
const HEIGHT = 260;

export function Arrays({ state, shown }: { state: ReshardState; shown: Shown }) {
  const { model, chunk, board, least } = shown;
  const { width, top } = state.now;
  const arrays = model.arraysOf(chunk);
  const line = lineOf(width);
  const all = top === null || arrays.length <= MANY;
  const first = all ? 0 : Math.max(0, Math.floor(top / line) - BEYOND);
  const last = all ? arrays.length : Math.min(arrays.length, Math.ceil((top + HEIGHT) / line) + BEYOND);
  const figure = bytesColumn(arrays.flatMap((i) => [model.adds[i] ?? 0, model.weights[i] ?? 0]));
  return (
    <section
      class={line === LINE ? "arrays" : "arrays tall"}
      aria-label={model.axis < 0 ? "the array" : `arrays of chunk ${chunk + 1}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      style={
        board && top !== null
          ? { maxHeight: `${listHeight(Math.min(HEIGHT, least - board.height), line)}px` }
          : undefined
      }
      onScroll={(event) => {
        if (!all) state.set({ top: event.currentTarget.scrollTop });
      }}
    >
      <ul style={{ height: `${arrays.length * line}px`, paddingTop: `${first * line}px` }}>
        {arrays.slice(first, last).map((i, k) => (
          <Line model={model} index={i} at={first + k} of={arrays.length} figure={figure} key={i} />
        ))}
      </ul>
    </section>
  );
}

interface LineProps {
  model: PlanModel;
  index: number;
  at: number;
  of: number;
  figure: Format;
}

function Line({ model, index, at, of, figure }: LineProps) {
  const array = model.doc.arrays[index] as MovedArray;
  const weight = model.weights[index] ?? 0;
  const adds = model.adds[index] ?? 0;
  const heavy = model.overweight(index);
  const layouts = `${array.source} → ${array.target}`;
  const moved = collectivesText([array]);
  return (
    <li aria-setsize={of} aria-posinset={at + 1}>
      <span class="path mono cut" title={`${array.path} ${typeOf(array)}`}>
        <b>{array.path}</b> {typeOf(array)}
      </span>
      <span class={heavy ? "weight cut warn" : "weight cut"}>
        {model.axis >= 0 && `${groupsText(model, array)}, `}
        <b>{figure(adds)}</b> made
        {model.axis >= 0 && (
          <>
            , <b>{figure(weight)}</b> of the threshold
            {heavy && <span class="hidden">, more than it makes</span>}
          </>
        )}
      </span>
      <span class="layouts mono cut" title={layouts}>
        <Tokens tokens={axisTokens(layouts, model)} />
      </span>
      <span class="moves cut" title={moved}>
        {array.axes.map((name) => (
          <b class={`mono ink${model.axisOf(name) % AXIS_DASH.length}`} key={name}>
            {name}{" "}
          </b>
        ))}
        <span class="soft">{moved}</span>
      </span>
    </li>
  );
}
