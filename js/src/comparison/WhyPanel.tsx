/** Why the row's value is split as it is, and the collectives that follow. */
import { Chain, type ChainLink } from "../card/Chain";
import { bytes } from "../core/format";
import { AXIS_DASH } from "../draw/marks";
import { Instead } from "./Instead";
import type { ComparisonModel } from "./model/comparison";
import { argumentOf, askedOf, type WhyLink } from "./model/why";
import { Arrows } from "./parts";
import type { ComparisonState } from "./state";

export function WhyPanel({ state, model, row }: { state: ComparisonState; model: ComparisonModel; row: number }) {
  const { reasons, chosen, why } = askedOf(model, row, state.now.asked);
  const reason = reasons[chosen];
  if (!why || reason === undefined) return null;
  const several = new Set(reasons.map((k) => model.doc.reasons[k]?.value)).size > 1;
  const asked = reasons.flatMap((k) => {
    const r = model.doc.reasons[k];
    return r ? { name: (several && model.row(row)?.values[r.value]?.name) || "", dim: r.dim, axis: r.axis } : [];
  });
  const link = (of: WhyLink) => linkOf(of, () => state.open(of.reason.row));
  const shown = { ...why, axis: why.reason.axis, chain: why.chain.map(link), lost: why.lost.map(link) };
  return (
    <Chain
      why={{ ...shown, steps: model.doc.steps }}
      mesh={model.mesh}
      asked={asked}
      chosen={chosen}
      lit={state.now.at}
      ask={(i) => state.ask(i)}
    >
      {why.collectives.map((k) => {
        const op = model.collective(k);
        const axis = model.mesh.axisOf(why.reason.axis || op?.axes[0] || "");
        return (
          op && (
            <p class="follows" key={k}>
              <span class="soft">it follows</span> <Arrows semantics={op.semantics} axis={axis} />{" "}
              <b class="mono">{op.kind}</b> over <b class={`ink${axis % AXIS_DASH.length}`}>{op.axes.join(", ")}</b>
              <b class="mono">{bytes(op.bytes_per_device)}</b> per device
              {op.source && <span class="soft">line {op.source.line}</span>}
            </p>
          )
        );
      })}
      <Instead state={state} reason={reason} why={why} />
    </Chain>
  );
}

function linkOf({ row, value, reason, through }: WhyLink, open: () => void): ChainLink {
  const argument = row.primitive === "arguments" ? argumentOf(row, reason.value) : "";
  return {
    name: value.name,
    where: row.source ? `line ${row.source.line}` : argument,
    title: row.source?.text ?? "",
    type: value.concrete?.text ?? "",
    through,
    back: reason.back,
    step: reason.step,
    open,
  };
}
