/** Memory, overlap and links of one card of programs, drawn in its shadow root. */
import { render } from "preact";
import boardStyles from "../../card/board.css";
import fadeStyles from "../../card/fade.css";
import { linksStyles } from "../../links/public";
import { LinksView } from "../links/LinksView";
import { LinksPage } from "../links/page";
import { Limit } from "../memory/Limit";
import { MemoryView } from "../memory/MemoryView";
import memoryStyles from "../memory/memory.css";
import { memoryBadges, memoryVerdict } from "../memory/model/words";
import { MemoryPage } from "../memory/page";
import { overlapBadges } from "../overlap/model/overlap";
import { OverlapView } from "../overlap/OverlapView";
import overlapStyles from "../overlap/overlap.css";
import { OverlapPage } from "../overlap/page";
import type { Pages } from "../pages";
import type { ProgramState } from "../state";
import { linksKeys, memoryKeys, overlapKeys } from "./keys";

export function pages(state: ProgramState, root: ShadowRoot): Pages {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${fadeStyles}${memoryStyles}${overlapStyles}${linksStyles}.links{${boardStyles}}`);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const memory = new MemoryPage(state);
  const overlap = new OverlapPage(state);
  const links = new LinksPage(state);
  return {
    memory: {
      draw: (host) => render(<MemoryView state={state} page={memory} />, host),
      paint: () => memory.paint(),
      badges: () => {
        const shown = memory.shown();
        return shown && memoryBadges(shown.model, shown.bounds.limit);
      },
      // To the largest of what is alive there.
      go: () => {
        memory.release();
        memory.step(Number.NEGATIVE_INFINITY);
      },
      tools: (host) => render(<Limit page={memory} />, host),
      verdict: () => {
        const shown = memory.shown();
        return shown ? memoryVerdict(shown.model, shown.bounds.limit) : undefined;
      },
      keys: (find, target) => memoryKeys(state, memory, find, target),
    },
    overlap: {
      draw: (host) => render(<OverlapView state={state} page={overlap} />, host),
      paint: () => overlap.paint(),
      badges: () => {
        const model = overlap.model();
        return model && overlapBadges(model);
      },
      verdict: () => overlap.model()?.doc.verdict,
      idle: () => (overlap.model() ? [] : ["↑ ↓", "r", "g"]),
      keys: (find) => overlapKeys(state, overlap, find),
    },
    links: {
      draw: (host) => render(<LinksView page={links} />, host),
      paint: () => void links.board.paint(),
      badges: () => null,
      verdict: () => links.doc()?.answer,
      idle: () => links.board.idle(),
      keys: () => linksKeys(state, links),
    },
  };
}
