/** The card of a kernel: the answer first, its lines, devices with their slots and semaphores, what to add. */

import { Buttons } from "../card/Buttons";
import { Head } from "../card/Head";
import { KeyedFoot } from "../card/KeyedFoot";
import { Legend } from "../card/Legend";
import { pointOf } from "../card/pointed";
import { Says } from "../card/Says";
import { keepInView, keepLineInView } from "../card/scroll";
import { Segments } from "../card/Tools";
import { Walk } from "../card/Walk";
import { KEYS } from "./keys";
import { answerOf, factsOf } from "./model/kernel";
import type { Shown } from "./scene/columns";
import { type KernelLayout, yOf } from "./scene/layout";
import { BESIDE, type KernelState, SOURCE } from "./state";

const LEGEND = [
  ["swatch copy", "remote copy"],
  ["swatch reads", "a copy still reads"],
  ["swatch waits", "waits"],
] as const;

export function KernelCard({ state }: { state: KernelState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model, layout } = shown;
  const { fault: at, width, doc } = state.now;
  const fault = model.fault(at);
  const reading = readingOf(state, shown);
  const beside = width >= BESIDE && doc?.listing;
  const lines = [fault?.detail, ...(fault ? [] : (doc?.notes ?? []))].filter(Boolean);
  return (
    <div class="kernel">
      <Head
        name="Pallas"
        title={model.doc.name}
        axes={model.doc.axes}
        badges={[{ tone: "plain", strong: String(model.devices), text: factsOf(model) }]}
        says={
          <Says walk={<Walk at={at} of={model.doc.faults.length} go={(by) => state.next(by)} />}>
            {fault && (
              <span class="sign" aria-hidden="true">
                ▲{" "}
              </span>
            )}
            {answerOf(model, fault)}
          </Says>
        }
      />
      {lines.map((line) => (
        <p class="detail" key={line}>
          {line}
        </p>
      ))}
      {fault?.advice && (
        <p class="advice">
          <b>Add:</b> {fault.advice}
        </p>
      )}
      <Tools state={state} shown={shown} reading={reading} />
      <div class={beside ? "sides" : ""}>
        {beside && <Source state={state} shown={shown} />}
        <Picture state={state} layout={layout} />
      </div>
      <p class="reading" aria-live="polite">
        {reading}
      </p>
      <KeyedFoot keys={KEYS} idle={model.doc.faults.length > 0 ? [] : ["n"]}>
        <Legend of={LEGEND} />
      </KeyedFoot>
    </div>
  );
}

/** Which moment is looked at, and of a race which order. */
function Tools({ state, shown: { model, order }, reading }: { state: KernelState; shown: Shown; reading: string }) {
  const { fault: at, plain, moment } = state.now;
  const fault = model.fault(at);
  return (
    <div class="tools">
      <Buttons state={state} of="moment" last={order.length - 1} />
      <label class="time">
        <input
          type="range"
          min={0}
          max={order.length - 1}
          step={1}
          value={moment}
          aria-label="moment"
          aria-valuetext={`${moment} of ${order.length - 1}: ${reading}`}
          onInput={(event) => state.jump(event.currentTarget.valueAsNumber)}
        />
        <span class="mono">
          {moment}/{order.length - 1}
        </span>
      </label>
      {fault?.kind === "race" && fault.order > 0 && (
        <Segments
          legend="order"
          of={[["race", "shows the race"] as const, ["plain", "without delays"] as const]}
          value={plain ? "plain" : "race"}
          choose={(one) => state.plain(one === "plain")}
        />
      )}
    </div>
  );
}

/** What every device does, in the order of moments. */
function Picture({ state, layout }: { state: KernelState; layout: KernelLayout }) {
  const { moment } = state.now;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long order is scrolled by keyboard
    <div class="scroll" tabIndex={0}>
      <div
        class="picture"
        style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
        onPointerDown={(event) => state.point(...pointOf(event))}
      >
        <div aria-hidden="true" ref={state.picture.attach} />
        <div aria-hidden="true" ref={state.line.attach} />
        <i
          class="here"
          aria-hidden="true"
          ref={keepInView}
          style={{ top: `${yOf(layout, moment) - 20}px` }}
          key={moment}
        />
      </div>
    </div>
  );
}

/** What the device does at the moment, and what the slot that was pointed at holds. */
function readingOf(state: KernelState, { model, order }: Shown): string {
  const { device, moment, slot } = state.now;
  const k = model.at(order, device, moment);
  const words = k === null ? `device ${device} has not begun` : model.words(k);
  const held = slot === null ? null : model.held(order, device, slot, moment);
  const block = held && model.doc.blocks[held.block];
  const name = slot === null ? "" : model.nameAt(slot);
  const of = block && `${block.computed ? "computed on" : "from"} device ${block.device}`;
  const holds = block ? ` ${name} holds block ${block.text}, ${of}: ${block.values}` : "";
  return `Moment ${moment}: ${words}.${holds}`;
}

/** The kernel's lines: the one that the device is at, and those of faults. */
function Source({ state, shown: { model, order } }: { state: KernelState; shown: Shown }) {
  const { listing, ops } = model.doc;
  if (!listing) return null;
  const k = model.at(order, state.now.device, state.now.moment);
  const now = k === null ? 0 : model.line(ops[k]);
  const indent = Math.min(...listing.lines.filter((l) => l.trim()).map((l) => l.length - l.trimStart().length));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: many lines are scrolled by keyboard
    <section class="source" aria-label="source of the kernel" tabIndex={0} style={{ width: `${SOURCE}px` }}>
      <ol class="mono">
        {listing.lines.map((text, i) => {
          const line = listing.first_line + i;
          const marks = `${line === now ? "current" : ""} ${model.faulty.has(line) ? "faulty" : ""}`;
          return (
            <li class={marks} ref={line === now ? keepLineInView : null} key={line}>
              <span class="number">{line}</span>
              <code
                style={{ paddingLeft: `${Math.min(16, text.length - text.trimStart().length - indent) / 2 + 2}ch` }}
              >
                {text.trimStart()}
              </code>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
