/** The state of two algorithms on screen: which, of how many bytes, on what, and the clock of both. */

import { Layer } from "../card/canvas";
import { Clock, motionless } from "../card/clock";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Algorithms } from "../core/document.gen";
import { PAD } from "../draw/marks";
import { Course, decodeAlgorithms } from "./model/algorithms";
import { algorithmsMarks, titleOf } from "./scene/card";
import { type AlgorithmsLayout, type Chart, layoutAlgorithms } from "./scene/layout";

interface Fields {
  doc: Algorithms | null;
  nbytes: number;
  /** Indices of the two algorithms. */
  pair: readonly [number, number];
  network: number;
  /** Part of the slower one's time that is over. */
  at: number;
  playing: boolean;
  /** The chart of a narrow card. */
  chart: Chart;
}

/** Milliseconds that the slower one takes to play. */
const PLAY = 8000;

export class AlgorithmsState extends CardState<Fields> {
  readonly layer = new Layer();
  readonly #clock = new Clock();
  readonly #layout = memo((width: number, chart: Chart) => layoutAlgorithms(width - 2 * PAD, chart));
  readonly #course = [0, 1].map(() =>
    memo((doc: Algorithms, index: number, network: number, nbytes: number): Course | null => {
      const [algorithm, on] = [doc.algorithms[index], doc.networks[network]];
      return algorithm && on ? new Course(doc, algorithm, on, nbytes) : null;
    }),
  );
  readonly #both = memo((a: Course, b: Course): readonly [Course, Course] => [a, b]);

  constructor(widget: WidgetModel, frame: HTMLElement) {
    const fields: Fields = {
      doc: null,
      nbytes: 0,
      pair: [0, 0],
      network: 0,
      at: 0,
      playing: false,
      chart: "traffic",
    };
    super(widget, frame, fields, ["nbytes", "pair"]);
    this.until(() => this.#clock.stop());
  }

  name(): string {
    const [course] = this.courses() ?? [];
    return course ? `algorithms: ${course.doc.collective} of ${titleOf(course, this.now.nbytes)}` : "algorithms";
  }

  layout(): AlgorithmsLayout {
    return this.#layout(this.now.width, this.now.chart);
  }

  courses(): readonly [Course, Course] | null {
    const { doc, pair, network, nbytes } = this.now;
    const [a, b] = pair.map((index, k) => doc && this.#course[k]?.(doc, index, network, nbytes));
    return a && b ? this.#both(a, b) : null;
  }

  /** Seconds of the slower one. */
  get whole(): number {
    return Math.max(...(this.courses() ?? []).map((c) => c.seconds));
  }

  protected override paint(): boolean {
    const { theme, at, nbytes } = this.now;
    const courses = this.courses();
    if (!theme || !courses) return false;
    const layout = this.layout();
    return this.layer.paint([courses, layout, at], layout, theme, () =>
      algorithmsMarks(courses, layout, nbytes, at * this.whole, theme.scheme),
    );
  }

  resized(nbytes: number): void {
    this.set({ nbytes });
    this.share({ nbytes });
  }

  choose(which: 0 | 1, index: number): void {
    const pair = which === 0 ? ([index, this.now.pair[1]] as const) : ([this.now.pair[0], index] as const);
    this.set({ pair });
    this.share({ pair: pair.map((k) => this.now.doc?.algorithms[k]?.plan.algorithm ?? "") });
  }

  seek(at: number): void {
    this.#pause();
    this.set({ at: Math.min(1, Math.max(0, at)) });
  }

  /** The end of a round of either, before or after the moment. */
  hop(by: 1 | -1): void {
    const ends = (this.courses() ?? []).flatMap((c) => c.ends.map((end) => end / this.whole));
    const next = [0, ...ends].filter((end) => (end - this.now.at) * by > 1e-9).sort((a, b) => by * (a - b))[0];
    if (next !== undefined) this.seek(next);
  }

  toggle(): void {
    if (this.now.playing) {
      this.#pause();
      return;
    }
    if (motionless()) {
      if (this.now.at >= 1) this.seek(0);
      else this.hop(1);
      return;
    }
    this.set({ playing: true, at: this.now.at >= 1 ? 0 : this.now.at });
    this.#clock.play((elapsed) => {
      const at = Math.min(1, this.now.at + elapsed / PLAY);
      this.set({ at, playing: at < 1 });
      return at < 1;
    });
  }

  #pause(): void {
    this.#clock.stop();
    this.set({ playing: false });
  }

  protected read(document: unknown): void {
    this.#pause();
    const doc = decodeAlgorithms(document);
    this.set({ doc, nbytes: doc.nbytes, pair: [0, doc.algorithms.length - 1], network: 0, at: 0 });
  }

  protected override follow(): void {
    const { doc } = this.now;
    const nbytes = this.widget.get("nbytes");
    if (typeof nbytes === "number") this.set({ nbytes });
    const names = this.widget.get("pair");
    if (!doc || !Array.isArray(names)) return;
    const [a = -1, b = -1] = names.map((name) => doc.algorithms.findIndex((one) => one.plan.algorithm === name));
    if (a >= 0 && b >= 0) this.set({ pair: [a, b] });
  }
}
