/** The menu itself, made without the card's own tree: the card's bundle knows only that there may be one. */
import type { WidgetModel } from "../card/widget";
import { download, keepInFoot } from "./foot";

/** A request to Python; `n` makes each one different. */
interface Wanted {
  n: number;
  kind: string;
  width: number;
  theme: "light" | "dark";
}

interface Answer {
  n: number;
  name: string;
  type: string;
  data: DataView | null;
  /** Why there is no picture. */
  error: string;
}

const IDLE = "save…";

export class Menu {
  readonly #box = document.createElement("span");
  readonly #select = document.createElement("select");
  readonly #says = document.createElement("p");
  readonly #leave: () => void;
  readonly #hear = () => this.#take();
  /** What there is to save depends on what the card shows. */
  readonly #offer = () => {
    const kinds = this.model.get("_pictures") as readonly (readonly [kind: string, text: string])[];
    const [first = new Option(IDLE, "")] = this.#select.options;
    this.#select.replaceChildren(first, ...kinds.map(([kind, text]) => new Option(text, kind)));
  };
  #asked = 0;

  constructor(
    readonly model: WidgetModel,
    readonly root: ShadowRoot,
  ) {
    this.#box.className = "save";
    this.#select.setAttribute("aria-label", "save a picture");
    this.#says.setAttribute("role", "alert");
    this.#offer();
    this.#select.addEventListener("change", () => this.#ask());
    this.#box.append(this.#select, this.#says);
    model.on("change:_picture", this.#hear);
    model.on("change:_pictures", this.#offer);
    this.#leave = keepInFoot(root, this.#box);
  }

  end(): void {
    this.#leave();
    this.model.off("change:_picture", this.#hear);
    this.model.off("change:_pictures", this.#offer);
  }

  #ask(): void {
    const kind = this.#select.value;
    if (kind === "") return;
    this.#says.textContent = "";
    this.#busy(true);
    this.#asked = Date.now();
    const card = this.root.querySelector(".card");
    const width = Math.round(Math.min(1600, Math.max(360, card?.clientWidth ?? 960)));
    const theme = card?.classList.contains("dark") ? "dark" : "light";
    const wanted: Wanted = { n: this.#asked, kind, width, theme };
    this.model.set("_wanted", wanted);
    this.model.save_changes();
  }

  #busy(yes: boolean): void {
    const [first] = this.#select.options;
    if (first) first.text = yes ? "drawing …" : IDLE;
    this.#select.value = "";
    this.#select.disabled = yes;
  }

  #take(): void {
    const answer = this.model.get("_picture") as Partial<Answer> | null;
    // Another view of the same widget may have asked.
    if (!answer || answer.n !== this.#asked) return;
    this.#busy(false);
    this.#says.textContent = answer.error ?? "";
    if (answer.data) {
      const { buffer, byteOffset, byteLength } = answer.data;
      const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
      download(answer.name ?? "picture", new Blob([bytes], { type: answer.type ?? "" }));
    }
    // A picture does not stay in the notebook's state.
    this.model.set("_wanted", {});
    this.model.save_changes();
  }
}
