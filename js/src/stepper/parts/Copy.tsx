/** Code with a button that copies it. */
import { Component, createRef } from "preact";

export class Copy extends Component<{ text: string }, { done: string }> {
  readonly #code = createRef<HTMLElement>();
  override state = { done: "" };

  override render() {
    const { text } = this.props;
    return (
      <div class="copy">
        <code ref={this.#code}>{text}</code>
        <button type="button" aria-label={`copy ${text}`} onClick={() => this.#copy()}>
          {this.state.done || "copy"}
        </button>
      </div>
    );
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.props.text);
      this.setState({ done: "copied" });
    } catch {
      // A page in a frame may not be allowed to write to the clipboard: the text is selected for the reader to copy.
      if (this.#code.current) getSelection()?.selectAllChildren(this.#code.current);
      this.setState({ done: "selected" });
    }
  }
}
