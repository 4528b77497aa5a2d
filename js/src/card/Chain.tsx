/** Why a value is split as it is: from what gave the axis to it, through what passed it on; who asked for it and lost. */
import type { ComponentChildren } from "preact";
import type { MeshModel } from "../core/mesh";
import { axisTokens, sentenceTokens, some } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import { Tokens } from "./Tokens";

/** A value of a chain. */
export interface ChainLink {
  name: string;
  /** Its line, or which argument it is. */
  where: string;
  /** The text of its line. */
  title: string;
  /** How it is placed. */
  type: string;
  /** What passed the axis on to it; empty for the first. */
  through: string;
  /** Whether it was passed against the direction of the program. */
  back: boolean;
  /** The step of the compiler's propagation; -1 where it was given. */
  step: number;
  /** Shows it; null where there is nothing more to see. */
  open: (() => void) | null;
}

export interface ChainAnswer {
  answer: string;
  /** Empty where it is whole. */
  axis: string;
  /** From what gave the axis to the value, or asked for the whole. */
  chain: readonly ChainLink[];
  lost: readonly ChainLink[];
  because: string;
  /** Other values that were given the same. */
  also: readonly string[];
  steps: number;
}

interface Props {
  why: ChainAnswer;
  mesh: MeshModel;
  /** What can be asked: each with its dimension and axis. */
  asked: readonly { name: string; dim: number; axis: string }[];
  chosen: number;
  /** Which value of the chain is lit; null for none. */
  lit?: number | null;
  ask: (index: number) => void;
  /** What follows from the split. */
  children?: ComponentChildren;
}

/** The most links that are drawn; the middle of a longer chain is folded. */
const MOST = 5;

export function Chain({ why, mesh, asked, chosen, lit, ask, children }: Props) {
  const { answer, axis, chain, lost, because, also, steps } = why;
  const ink = inkOf(mesh, axis);
  const head = Math.ceil(MOST / 2);
  const folded = chain.length > MOST + 1 ? chain.length - MOST : 0;
  return (
    <section class={`why${axis && ` axis${ink}`}`} aria-label="why">
      <div class="asking">
        <p class="answer">
          <Tokens tokens={sentenceTokens(answer, mesh)} />
        </p>
        <fieldset class="dims" aria-label="dimension">
          {asked.map((one, i) => (
            <button type="button" aria-pressed={i === chosen} onClick={() => ask(i)} key={i}>
              {one.name && `${one.name} `}dim {one.dim}{" "}
              {one.axis ? <b class={`ink${inkOf(mesh, one.axis)}`}>{one.axis}</b> : "whole"}
            </button>
          ))}
        </fieldset>
      </div>
      {chain.length > 0 && (
        <div class="chain">
          {chain.map((link, i) =>
            folded > 0 && i >= head && i < head + folded ? (
              i === head && (
                <span class="folded soft" key="folded">
                  {folded} more
                </span>
              )
            ) : (
              <>
                {i > 0 && <Passed link={link} ink={ink} steps={steps} />}
                <Box link={link} mesh={mesh} asked={link === chain.at(-1)} lit={i === lit} key={i} />
              </>
            ),
          )}
        </div>
      )}
      {lost.length > 0 && (
        <div class="chain lost">
          <span class="soft">
            also asked for <b>{axis}</b>
          </span>
          {lost.map((link, i) => (
            <Box link={link} mesh={mesh} asked={false} key={i} />
          ))}
          <span class="cross">
            <svg viewBox="0 0 26 26" width="22" height="22" aria-hidden="true">
              <path d="M9 9l8 8M17 9l-8 8" stroke="currentColor" stroke-width="2.4" />
              <circle cx="13" cy="13" r="11" fill="none" stroke="currentColor" stroke-width="2" />
            </svg>
            <b>lost</b>
          </span>
          <p>
            <Tokens tokens={sentenceTokens(because, mesh)} />
          </p>
        </div>
      )}
      {children}
      {also.length > 0 && <p class="soft">Also given the same: {some(also)}.</p>}
    </section>
  );
}

function inkOf(mesh: MeshModel, axis: string): number {
  return mesh.axisOf(axis) % AXIS_DASH.length;
}

/** The operation that passed the axis on. */
function Passed({ link: { through, back, step }, ink, steps }: { link: ChainLink; ink: number; steps: number }) {
  return (
    <span class="passes">
      <span class="mono">{through}</span>
      <svg
        viewBox="0 0 90 12"
        width="90"
        height="12"
        preserveAspectRatio={`${back ? "xMin" : "xMax"}YMid slice`}
        aria-hidden="true"
      >
        <path d={back ? "M90 6H12" : "M0 6H78"} class="strand" stroke-dasharray={AXIS_DASH[ink]?.join(" ")} />
        <path d={back ? "M0 6l12 -5.5v11z" : "M90 6l-12 -5.5v11z"} fill="currentColor" />
      </svg>
      <span class="soft">
        {step < 0 ? (back ? "back" : "") : `${back ? "back, " : ""}step ${step + 1} of ${steps}`}
      </span>
    </span>
  );
}

/** A value; a button where there is more of it to see. */
function Box(props: { link: ChainLink; mesh: MeshModel; asked: boolean; lit?: boolean }) {
  const { link, mesh, asked, lit } = props;
  const Tag = (link.open && !asked ? "button" : "div") as "button";
  const acts = link.open && !asked ? { type: "button" as const, onClick: link.open } : {};
  return (
    <Tag class={`box${asked ? " asked" : ""}${lit ? " lit" : ""}`} title={link.title || undefined} {...acts}>
      <span>
        <b class="mono">{link.name}</b> <span class="soft">{link.where}</span>
      </span>
      <span class="mono type">
        <Tokens tokens={axisTokens(link.type, mesh)} />
      </span>
    </Tag>
  );
}
