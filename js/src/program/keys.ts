/** Keys of the whole card. */
import { type Acts, cardKeys, type Find, lineKeys, searchKeys } from "../card/keys";
import type { ProgramState } from "./state";

export const programKeys = cardKeys((state: ProgramState, target, find) => {
  if (state.now.page === "memory") return memory(state, find, target);
  if (state.now.page === "overlap") return overlap(state, find);
  return (
    searchKeys(target, state, () => find(".table")) ?? {
      " ": () => state.toggle(),
      ",": () => state.hop(-1),
      ".": () => state.hop(1),
      a: () => state.nextAlgorithm(),
      p: () => state.set({ physical: !state.now.physical && state.model()?.box() !== null }),
      "/": () => find("input[type=search]")?.focus(),
      g: () => find("[role=listbox]")?.focus(),
      n: () => state.walk(1),
      m: () => state.turnTo("memory"),
      o: () => state.turnTo("overlap"),
      ...(target.matches(".table") && walk(state)),
    }
  );
});

/** Keys of the memory page: on the list arrows choose buffers, elsewhere they move over the schedule. */
function memory(state: ProgramState, find: Find, target: Element): Acts {
  const page = state.memory;
  const list = target.matches(".alive");
  return {
    ArrowLeft: () => page.move(-1),
    ArrowRight: () => page.move(1),
    PageUp: () => page.move(-50),
    PageDown: () => page.move(50),
    ArrowUp: () => page.step(-1),
    ArrowDown: () => page.step(1),
    Home: () => (list ? page.step(Number.NEGATIVE_INFINITY) : page.move(Number.NEGATIVE_INFINITY)),
    End: () => (list ? page.step(Number.POSITIVE_INFINITY) : page.move(Number.POSITIVE_INFINITY)),
    "[": () => page.loop(-1),
    "]": () => page.loop(1),
    p: () => page.release(),
    Escape: () => page.release(),
    g: () => find(".alive")?.focus(),
    c: () => state.turnTo("collectives"),
    o: () => state.turnTo("overlap"),
  };
}

/** Keys of the overlap page. */
function overlap(state: ProgramState, find: Find): Acts {
  return {
    ...lineKeys(state.overlap),
    r: () => state.overlap.set({ below: state.overlap.now.below === "roofline" ? "what waits" : "roofline" }),
    g: () => find(".waits")?.focus(),
    c: () => state.turnTo("collectives"),
    m: () => state.turnTo("memory"),
  };
}

/** What keys do in the table. */
function walk(state: ProgramState): Acts {
  const { cursor, limit } = state.now;
  const rows = state.shown()?.rows ?? [];
  return {
    ...lineKeys(state),
    End: () => state.move(Math.min(rows.length, limit) - 1),
    Enter: () => state.select(rows[cursor]?.at ?? null),
    Escape: () => state.select(null),
  };
}
