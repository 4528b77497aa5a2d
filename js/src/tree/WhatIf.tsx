/** Rules that are tried: what each does, bytes now and then, and the rules as code. */

import { copyText } from "../card/copy";
import { type Format, percent } from "../core/format";
import { count } from "../core/text";
import type { Effect } from "./model/rules";
import { numberOf } from "./model/words";
import type { ModelState, Shown } from "./state";

export function WhatIf({ state, shown }: { state: ModelState; shown: Shown }) {
  const { tree, whatIf, figures } = shown;
  const write = figures.here;
  const { rules, copied } = state.now;
  const now = tree.held[tree.fullest] ?? 0;
  if (tree.mesh.axes.length === 0) return null;
  const names = [...new Set(tree.doc.types.flatMap((of) => of.logical))].filter((name) => name !== "");
  const lines = rules.split("\n").length;
  const largest = state.largest()[0]?.leaf ?? 0;
  // Of many rules some are out of sight: not those that need attention.
  const effects = [...whatIf.effects.filter(isTrouble), ...whatIf.effects.filter((e) => !isTrouble(e))];
  const good = whatIf.effects.some((e) => e.rule.spec || e.rule.logical);
  return (
    <section class="what acts" aria-label={`what if: ${state.name()}`}>
      <div class="rules">
        <h3 id="what">What if</h3>
        <textarea
          rows={state.lines(lines)}
          wrap="off"
          spellcheck={false}
          aria-label="rules, one a line: a pattern of paths, an arrow, a PartitionSpec; the last that matches counts"
          aria-keyshortcuts="w"
          placeholder={`${tree.nameOf(largest)} → P('${tree.mesh.axes[0]?.name}')`}
          value={rules}
          ref={(el) => showLast(el, lines)}
          onInput={(event) => state.write(event.currentTarget.value)}
        />
        <ul aria-label="what each rule does" tabIndex={effects.length > state.effectsInView ? 0 : undefined}>
          {effects.map((effect, i) => (
            <li key={i}>{said(state, shown, effect)}</li>
          ))}
          {effects.length === 0 && names.length === 0 && (
            <li class="soft">One rule a line; the last that matches counts</li>
          )}
          {names.length > 0 && !whatIf.effects.some((e) => e.rule.logical) && (
            <li class="soft">
              logical names: <code>{names.join(", ")}</code>; as in flax, a pair is a rule for one:{" "}
              <code>
                ('{names[0]}', '{tree.mesh.axes[0]?.name}')
              </code>
            </li>
          )}
        </ul>
        <Offers state={state} shown={shown} />
      </div>
      <div class="outcome">
        <p>
          {good && (
            <span class="sum mono">
              {numberOf(write(now))} → <b>{write(whatIf.held)}</b>{" "}
            </span>
          )}
          <span class="soft">
            {good ? saved(now, whatIf.held, write) : `${write(ownNow(shown))} if nothing were copied`}
          </span>
        </p>
        {good && (
          <details>
            <summary>as code</summary>
            <pre>{state.code()}</pre>
            <button type="button" onClick={() => copyText(state.code(), (outcome) => state.set({ copied: outcome }))}>
              Copy
            </button>{" "}
            <span role="status">{copied}</span>
          </details>
        )}
      </div>
    </section>
  );
}

/** Scrolls to a rule that was added by a button. */
function showLast(el: HTMLTextAreaElement | null, lines: number): void {
  if (!el) return;
  const typed = (el.getRootNode() as ShadowRoot).activeElement === el;
  const added = lines > Number(el.dataset.lines ?? lines);
  el.dataset.lines = String(lines);
  if (added && !typed) el.scrollTop = el.scrollHeight;
}

function isTrouble({ rule, matches, refused }: Effect): boolean {
  return rule.fault !== "" || matches === 0 || refused !== null;
}

/** What came of one rule. */
function said(state: ModelState, { tree }: Shown, effect: Effect) {
  const { rule, matches, counts, copies, refused } = effect;
  if (rule.fault) {
    return (
      <span class="error">
        <code>{rule.text}</code> {rule.fault}
      </span>
    );
  }
  if (matches === 0)
    return (
      <span class="warn">
        <code>{rule.source}</code> {rule.logical ? "is the logical name of no dimension." : "matches no array."}
      </span>
    );
  const [before, after] = copies ?? [];
  const change = !copies ? "" : before === after ? `, ×${before} copies as now` : `, ×${before} → ×${after} copies`;
  const other = rule.logical ? "a rule for their path" : "a later rule";
  const over = counts < matches ? ` (${matches - counts} more have ${other})` : "";
  return (
    <>
      <span class="soft">
        <code>{rule.source}</code> {count(counts, "array")}
        {change}
        {over}
      </span>
      {refused && (
        <span class="error">
          {count(refused.count, "array")} refused, such as{" "}
          <button type="button" class="plainly link" onClick={() => state.list({ search: tree.nameOf(refused.leaf) })}>
            {tree.nameOf(refused.leaf)}
          </button>
          : <b>{refused.error}</b> {refused.said}
        </span>
      )}
    </>
  );
}

/** What the flags suggest, with what it would come to. */
function Offers({ state, shown }: { state: ModelState; shown: Shown }) {
  const { tree, figures } = shown;
  const offers = state.offers();
  if (tree.doc.flags.every(({ spec }) => spec === "")) return null;
  return (
    <p class="offers">
      <span class="soft">{offers.length > 0 ? "try" : "All that was suggested is among the rules"}</span>
      {offers.map(({ leaves, spec, text, held }) => (
        <button type="button" title={text} onClick={() => state.addRule(leaves, spec)} key={text}>
          <span class="mono leaf">{endOf(tree.nameOf(leaves[0] ?? 0))}</span>{" "}
          <span class="mono">
            {leaves.length > 1 ? `and ${leaves.length - 1} more ` : ""}→ {spec}
          </span>{" "}
          <span class="soft">{figures.here(held)}</span>
        </button>
      ))}
    </p>
  );
}

/** Of a long path its end, which tells arrays apart. */
function endOf(path: string): string {
  return path.length > 24 ? `…/${path.split("/").slice(-2).join("/")}` : path;
}

function ownNow({ tree }: Shown): number {
  return tree.typeOf.reduce((sum, type) => {
    return sum + (tree.shards(type)[tree.fullest] ?? 0) / Math.max(1, tree.sizes[type]?.copies ?? 1);
  }, 0);
}

function saved(now: number, later: number, write: Format): string {
  if (later === now) return "the same as now";
  const part = Math.abs(now - later) / Math.max(1, now);
  // The number and its sign stay together.
  const share = percent(part).replace(" ", "\u00a0");
  return `${write(Math.abs(now - later))} ${later < now ? "less" : "more"} on the fullest device, ${share}`;
}
