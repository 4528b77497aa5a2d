/** Keys of the whole card. */
import { type Acts, cardKeys, lineKeys, searchKeys } from "../card/keys";
import type { ProgramState } from "./state";

export const programKeys = cardKeys((state: ProgramState, target, find) => {
  if (state.now.page !== "collectives") return state.opened()?.keys(find, target) ?? {};
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
      l: () => state.turnTo("links"),
      ...(target.matches(".table") && walk(state)),
    }
  );
});

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
