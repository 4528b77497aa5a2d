/** Keys of the pages. */
import { type Acts, type Find, lineKeys } from "../../card/keys";
import type { LinksPage } from "../links/page";
import type { MemoryPage } from "../memory/page";
import type { OverlapPage } from "../overlap/page";
import type { ProgramState } from "../state";

/** On the list arrows choose buffers, elsewhere they move over the schedule. */
export function memoryKeys(state: ProgramState, page: MemoryPage, find: Find, target: Element): Acts {
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
    l: () => state.turnTo("links"),
  };
}

export function overlapKeys(state: ProgramState, page: OverlapPage, find: Find): Acts {
  return {
    ...lineKeys(page),
    r: () => page.set({ below: page.now.below === "roofline" ? "what waits" : "roofline" }),
    g: () => find(".waits")?.focus(),
    c: () => state.turnTo("collectives"),
    m: () => state.turnTo("memory"),
    l: () => state.turnTo("links"),
  };
}

export function linksKeys(state: ProgramState, page: LinksPage): Acts {
  const { order } = state.now.links;
  return {
    ArrowLeft: () => page.select(order - 1),
    ArrowRight: () => page.select(order + 1),
    a: () => page.board.alone(),
    "[": () => page.board.turn(-1),
    "]": () => page.board.turn(1),
    c: () => state.turnTo("collectives"),
    m: () => state.turnTo("memory"),
    o: () => state.turnTo("overlap"),
  };
}
