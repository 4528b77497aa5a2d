/** The foot of the card: keys, the choice of dimensions and facets, colouring, saving the picture. */
import { highlightDevice } from "../../model/selection";
import { fieldCanvas } from "../../paint/canvas";
import { paintSvg } from "../../paint/svg";
import { cardScene } from "../../scene/card";
import { roles } from "../../scene/faces";
import type { ColorBy } from "../../scene/paints";
import type { ArrayState } from "./state";

const COLORS: readonly (readonly [ColorBy, string])[] = [
  ["position", "position"],
  ["values", "values"],
  ["device", "device id"],
];

export function Foot({ state }: { state: ArrayState }) {
  const model = state.now.model;
  if (!model) return null;
  const large = model.size > 64 || model.grid.some((n) => n > 16);
  return (
    <footer>
      <span class="keys">
        <span>
          <kbd>←</kbd> <kbd>↑</kbd> <kbd>↓</kbd> <kbd>→</kbd> move
        </span>
        <span>
          <kbd>Enter</kbd> pin
        </span>
        {large && (
          <span>
            <kbd>+</kbd> <kbd>−</kbd> zoom
          </span>
        )}
        {large && (
          <span>
            <kbd>g</kbd> go to device
          </span>
        )}
      </span>
      {state.now.goTo && <GoTo state={state} />}
      {model.rank > 2 && <Dims state={state} rank={model.rank} />}
      <Facets state={state} />
      {model.doc.shape !== null && (
        <fieldset class="segments">
          <legend>colour by</legend>
          {COLORS.map(([color, text]) => (
            <button
              type="button"
              aria-pressed={state.now.colorBy === color}
              onClick={() => state.setColor(color)}
              key={color}
            >
              {text}
            </button>
          ))}
        </fieldset>
      )}
      <button type="button" class="plain" title="save the picture" onClick={() => saveSvg(state)}>
        SVG
      </button>
    </footer>
  );
}

function GoTo({ state }: { state: ArrayState }) {
  const model = state.now.model;
  return (
    <label class="goto">
      device
      <input
        type="number"
        ref={(input) => input?.focus()}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") state.set({ goTo: false });
          if (event.key !== "Enter" || !model) return;
          const input = event.currentTarget;
          const position = model.ids.indexOf(input.valueAsNumber);
          input.setCustomValidity(position < 0 ? `This mesh has no device ${input.value}.` : "");
          if (!input.reportValidity()) return;
          state.set({ goTo: false });
          state.pin(highlightDevice(model, position), "mesh");
        }}
        onInput={(event) => event.currentTarget.setCustomValidity("")}
      />
    </label>
  );
}

/** Which dimensions run down and across; the others are facets. */
export function Dims({ state, rank }: { state: ArrayState; rank: number }) {
  const { row, column } = roles(rank, state.now.choice);
  const choose = (name: string, value: number | null, set: (dim: number) => void) => (
    <label>
      {name}
      <select value={String(value ?? "")} onChange={(event) => set(Number(event.currentTarget.value))}>
        {Array.from({ length: rank }, (_, d) => (
          <option value={d} key={d}>
            dim {d}
          </option>
        ))}
      </select>
    </label>
  );
  // Choosing the other's dimension swaps the two.
  return (
    <span class="dims">
      {choose("rows", row, (d) => state.setDims(d, d === column ? row : column))}
      {choose("columns", column, (d) => state.setDims(d === row ? column : row, d))}
    </span>
  );
}

/** Steps through facets that do not fit. */
export function Facets({ state }: { state: ArrayState }) {
  const faces = state.shown()?.layout.array?.faces;
  if (!faces) return null;
  const choice = state.now.choice;
  const pager = (which: 0 | 1, shown: number, total: number, name: string) => {
    if (shown >= total && choice.facet[which] === 0) return null;
    const first = choice.facet[which];
    const size = which === 0 ? 8 : 6;
    const go = (to: number) => {
      const facet: [number, number] = [choice.facet[0], choice.facet[1]];
      facet[which] = Math.max(0, Math.min(total - 1, to));
      state.set({ choice: { ...choice, facet } });
    };
    return (
      <span class="pager">
        <button
          type="button"
          class="plain"
          disabled={first === 0}
          aria-label={`earlier ${name}`}
          onClick={() => go(first - size)}
        >
          ‹
        </button>
        {name} {first + 1}–{first + shown} of {total}
        <button
          type="button"
          class="plain"
          disabled={first + shown >= total}
          aria-label={`later ${name}`}
          onClick={() => go(first + size)}
        >
          ›
        </button>
      </span>
    );
  };
  return (
    <>
      {pager(0, faces.across.segments.length, faces.acrossTotal, "facets")}
      {pager(1, faces.down.length, faces.downTotal, "facet rows")}
    </>
  );
}

function saveSvg(state: ArrayState): void {
  const [model, theme] = [state.now.model, state.now.theme];
  if (!model || !theme) return;
  const scene = cardScene(model, {
    width: state.now.width,
    scheme: theme.scheme,
    colorBy: state.now.colorBy,
    choice: state.now.choice,
    highlight: state.lit(),
    blocks: state.now.blocks,
  });
  const text = paintSvg(scene, theme, model.doc.type, (...field) => fieldCanvas(...field).toDataURL());
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = `${model.doc.name || "placement"}.svg`;
  link.click();
  URL.revokeObjectURL(link.href);
}
