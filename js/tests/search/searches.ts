/** Searches as Python wrote them: `python -m tests.fixtures`. */
import type { Search } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { decodeSearch, SearchModel } from "../../src/search/model/search";
import searches from "./searches.json";

export type SearchName = keyof typeof searches;
export const SEARCHES = Object.keys(searches) as SearchName[];

/** A wire document of its own. */
export function wire(name: SearchName): Search {
  return reviveBytes(searches[name]) as unknown as Search;
}

export function search(name: SearchName): SearchModel {
  return new SearchModel(decodeSearch(wire(name)));
}
