/** The state of a spec being edited, whoever shows it: what is on screen, what is being dragged, what can be undone. */

import { memo, Store } from "../card/store";
import type { Placement, Playground, SpecDraft } from "../core/document.gen";
import { type Refusal, refusalOf } from "../core/spec/refusal";
import { move, type Place, placesOf, put, type Seat, take, unconstrain } from "../core/spec/spec";
import { allowedText, type Forbidden, forbiddenOf, forbidsCode } from "./model/forbidden";
import { bareOf, placementOf } from "./model/playground";

/** Drafts in the order they were made, and which of them is on screen. */
export interface Edits {
  drafts: readonly SpecDraft[];
  at: number;
}

/** What is dragged: an axis by name, or `P.UNCONSTRAINED`. */
export interface Drag {
  name: string | null;
  /** Where it was taken from; null for one of the mesh's own. */
  from: Seat | null;
  /** Where it would be dropped; null for nowhere. */
  over: Place | null;
  /** Where it is, in pixels of the editor. */
  x: number;
  y: number;
}

interface Fields extends Edits {
  drag: Drag | null;
  /** What would be on screen if it were dropped. */
  preview: SpecDraft | null;
  /** What the next click on a place puts there; undefined for nothing. */
  armed: string | null | undefined;
  /** Which place the keyboard is at. */
  cursor: number;
  /** Whether mesh and array are open to change. */
  open: boolean;
  /** Said to screen readers. */
  announced: string;
  /** The array as it was moved last; null for as it was given. */
  moved: SpecDraft | null;
}

/** Edits that can be undone. */
const MOST_STEPS = 100;

export class SpecEditor extends Store<Fields> {
  readonly #refusal = memo((draft: SpecDraft, doc: Playground) => refusalOf(draft, doc));
  readonly #placement = memo(placementOf);
  readonly #bare = memo(bareOf);

  /** `changed` is called after every edit that stays. */
  constructor(
    readonly doc: Playground,
    private readonly changed: (edits: Edits) => void = () => {},
    edits: Edits = { drafts: [doc.draft], at: 0 },
  ) {
    super({
      ...edits,
      drag: null,
      preview: null,
      armed: undefined,
      cursor: 0,
      open: false,
      announced: "",
      moved: null,
    });
  }

  /** What is on screen. */
  draft(): SpecDraft {
    return this.now.preview ?? this.kept();
  }

  /** What stays when a drag is cancelled. */
  kept(): SpecDraft {
    return this.now.drafts[this.now.at] ?? this.doc.draft;
  }

  /** JAX's error for what is on screen; null if JAX accepts it. */
  refusal(): Refusal | null {
    return this.#refusal(this.draft(), this.doc);
  }

  /** What `no_collectives` says of a reshard to what is on screen; null where it forbids nothing at all. */
  forbids(): { code: string; forbidden: Forbidden | null; allowed: string } | null {
    const { forbids } = this.doc;
    if (!forbids) return null;
    const [draft, refused, before] = [this.draft(), this.refusal() !== null, this.now.moved ?? forbids.before];
    const forbidden = refused ? null : (forbiddenOf(draft, forbids, before)[0] ?? null);
    return { code: forbidsCode(forbids), forbidden, allowed: allowedText(draft, forbids, before, refused) };
  }

  /** What is on screen, or else the last draft there that JAX accepts; null if there was none. */
  valid(): SpecDraft | null {
    if (!this.refusal()) return this.draft();
    const { drafts, at } = this.now;
    return drafts.slice(0, at + 1).findLast((draft) => refusalOf(draft, this.doc) === null) ?? null;
  }

  /** Where the array would be, by the last valid spec; the mesh alone where there was none. */
  placement(): Placement {
    const valid = this.valid();
    return valid ? this.#placement(valid, this.doc) : this.#bare(this.draft(), this.doc);
  }

  edit(draft: SpecDraft): void {
    if (JSON.stringify(draft) === JSON.stringify(this.kept())) {
      this.set({ preview: null, drag: null });
      return;
    }
    const drafts = [...this.now.drafts.slice(0, this.now.at + 1), draft].slice(-MOST_STEPS);
    this.#show({ drafts, at: drafts.length - 1 });
  }

  canStep(by: 1 | -1): boolean {
    return this.now.drafts[this.now.at + by] !== undefined;
  }

  /** Takes back an edit, or makes it again. */
  step(by: 1 | -1): void {
    if (this.canStep(by)) this.#show({ drafts: this.now.drafts, at: this.now.at + by });
  }

  /** Edits that come from elsewhere. */
  load(edits: Edits): void {
    this.set({ ...edits, drag: null, preview: null });
  }

  /** Puts an axis, or `P.UNCONSTRAINED`, at a place. */
  drop(name: string | null, place: Place): void {
    this.edit(dropped(this.kept(), { name, from: null, over: place }));
    this.set({ armed: undefined });
  }

  /** Makes the next click on a place put this there; a second call cancels that. */
  arm(name: string | null): void {
    this.set({ armed: this.now.armed === name ? undefined : name });
  }

  dragTo(drag: Drag, index: number): void {
    this.set({ drag, preview: dropped(this.kept(), drag, index) });
  }

  /** Keeps what a drag shows, or cancels it. */
  release(keep: boolean): void {
    const { preview } = this.now;
    if (keep && preview) this.edit(preview);
    this.set({ drag: null, preview: null });
  }

  moveCursor(to: number): void {
    const last = placesOf(this.draft()).length - 1;
    this.set({ cursor: Math.max(0, Math.min(last, to)) });
  }

  #show(edits: Edits): void {
    this.set({ ...edits, drag: null, preview: null });
    const refusal = this.refusal();
    this.set({ announced: refusal ? `${refusal.error}. ${refusal.meaning}` : this.placement().type });
    this.changed(edits);
  }
}

/** The draft after a drag ended: somewhere, or, for what stood at a place, nowhere. */
function dropped(draft: SpecDraft, drag: Pick<Drag, "name" | "from" | "over">, index?: number): SpecDraft {
  const { name, from, over } = drag;
  if (name === null) {
    const left = typeof from?.place === "number" && from.place !== over ? unconstrain(draft, from.place) : draft;
    if (typeof over !== "number" || left.entries[over]?.unconstrained) return left;
    return unconstrain(left, over);
  }
  if (over === null) return from ? take(draft, from) : draft;
  return from ? move(draft, from, over, index) : put(draft, name, over, index);
}
