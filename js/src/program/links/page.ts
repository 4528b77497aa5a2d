/** The page of a program's links: what Python sent of it, and the board of chips. */
import { memo } from "../../card/store";
import type { Links } from "../../core/document.gen";
import type { Theme } from "../../draw/paint/theme";
import { decodeLinks } from "../../links/model/public";
import { Board, type LinksFields } from "../../links/public";

/** The most height of a plane of chips: a card of programs is as high as a notebook shows. */
const TALLEST = 234;

/** The card that the page is in. */
interface Host {
  readonly now: { links: LinksFields; theme: Theme | null; width: number };
  readonly saved: boolean;
  set(patch: { links: LinksFields }): void;
  sent(page: "links"): { trouble?: unknown } | undefined;
}

export class LinksPage {
  readonly board = new Board(this, TALLEST);
  readonly #decoded = memo((wire: unknown): Links | Error => {
    try {
      const doc = decodeLinks(wire);
      this.board.check(doc);
      return doc;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  });

  constructor(private readonly host: Host) {}

  get now() {
    return this.host.now;
  }

  fields(): LinksFields {
    return this.host.now.links;
  }

  change(patch: Partial<LinksFields>): void {
    this.host.set({ links: { ...this.fields(), ...patch } });
  }

  doc(): Links | null {
    const wire = this.host.sent("links");
    const doc = wire && !("trouble" in wire) ? this.#decoded(wire) : null;
    return doc instanceof Error ? null : doc;
  }

  /** What stands in place of the page: that it is being read, or why it is not known. */
  trouble(): string {
    const wire = this.host.sent("links");
    if (wire === undefined)
      return this.host.saved ? "Its links were not saved." : "laying its collectives on the links …";
    if ("trouble" in wire) return `What crosses the links is not known: ${wire.trouble}`;
    const decoded = this.#decoded(wire);
    return decoded instanceof Error ? decoded.message : "";
  }

  /** Another order of devices. */
  select(order: number): void {
    const count = this.doc()?.orders.length ?? 1;
    this.change({ order: Math.max(0, Math.min(count - 1, order)), lit: null });
  }

  /** Shows the row that a collective belongs to, alone. */
  show(collective: number | null): void {
    const crossings = this.doc()?.orders[this.fields().order]?.crossings ?? [];
    const row = collective === null ? -1 : crossings.findIndex((c) => c.collectives.includes(collective));
    this.change({ focus: row });
  }
}
