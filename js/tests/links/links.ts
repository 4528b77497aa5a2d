/** Device orders as Python wrote them: `python -m tests.fixtures`. */
import type { Links } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { decodeLinks, OrderModel } from "../../src/links/model/links";
import type { Shown } from "../../src/links/scene/card";
import links from "./links.json";

export type LinksName = keyof typeof links;
export const LINKS = Object.keys(links) as LinksName[];

/** A wire document of its own. */
export function wire(name: LinksName): Links {
  return reviveBytes(links[name]) as unknown as Links;
}

export function shown(name: LinksName): Shown {
  const models = decodeLinks(wire(name)).orders.map((order) => new OrderModel(order));
  return { models, at: 0, plane: 0, focus: -1 };
}
