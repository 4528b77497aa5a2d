/** A view within a card, drawn by its own front end, which Python sends with its state. */
import { Component } from "preact";
import { loaded } from "./loaded";
import type { WidgetModel } from "./widget";

interface View {
  render(place: { model: WidgetModel; el: HTMLElement }): () => void;
}

type FrontEnd = Readonly<Record<string, View | undefined>>;

interface Props {
  /** The front end's module. */
  source: string;
  /** Which of its views, by the name that it is exported by. */
  view?: string;
  model: WidgetModel;
}

export class Opened extends Component<Props, { error: string }> {
  override state = { error: "" };
  #end: (() => void) | null = null;
  #gone = false;

  override shouldComponentUpdate(_: unknown, next: { error: string }): boolean {
    return next.error !== this.state.error;
  }

  override componentWillUnmount() {
    this.#gone = true;
    this.#end?.();
  }

  override render() {
    if (this.state.error) return <p class="fault">{this.state.error}</p>;
    return (
      <div
        ref={(el) => {
          if (el) this.#draw(el);
        }}
      />
    );
  }

  #draw(el: HTMLElement): void {
    const { source, view = "default", model } = this.props;
    loaded<FrontEnd>(source)
      .then((views) => {
        if (!this.#gone) this.#end = views[view]?.render({ model, el }) ?? null;
      })
      .catch((error) => this.setState({ error: `This page does not let the view run: ${error}` }));
  }
}
