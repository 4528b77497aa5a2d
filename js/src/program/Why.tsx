/** Why a collective is there: asked of Python, and shown as the chains of the splits that it follows from. */
import { Chain, type ChainLink } from "../card/Chain";
import type { Link, Why } from "../core/document.gen";
import type { ProgramModel } from "./model/program";
import type { Asked, ProgramState } from "./state";

interface Props {
  state: ProgramState;
  model: ProgramModel;
  /** Index of the collective. */
  at: number;
  why: Asked;
}

export function WhyHere({ state, model, at, why: { sent, waiting, asked } }: Props) {
  if (!sent) return <Ask state={state} at={at} waiting={waiting} />;
  if ("trouble" in sent) return <p class="soft said">{String(sent.trouble)}</p>;
  const found = (sent as { found: readonly Why[] }).found;
  const chosen = Math.min(asked, found.length - 1);
  const why = found[chosen];
  if (!why) return null;
  const shown = {
    ...why,
    chain: why.chain.map(linkOf),
    lost: why.lost.map(linkOf),
    because: why.because.join(" "),
    also: why.also.map(({ name, source }) => (source ? `${name} (line ${source.line})` : name)),
  };
  return <Chain why={shown} mesh={model.mesh} asked={found} chosen={chosen} ask={(i) => state.set({ asked: i })} />;
}

function Ask({ state, at, waiting }: { state: ProgramState; at: number; waiting: boolean }) {
  if (waiting) return <p class="soft said">asking the compiler why …</p>;
  return (
    <button type="button" title="from what the splits come that need it" onClick={() => state.askWhy(at)}>
      why
    </button>
  );
}

function linkOf({ name, type, source, through, back, step }: Link): ChainLink {
  const where = source ? `line ${source.line}` : "";
  return { name, where, title: source?.text ?? "", type, through: through.join(", "), back, step, open: null };
}
