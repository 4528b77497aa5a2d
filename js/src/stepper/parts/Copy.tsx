/** A button that copies a text. */
import { Component } from "preact";

export class Copy extends Component<{ text: string }, { done: string }> {
  override state = { done: "" };

  override render() {
    return (
      <button
        type="button"
        class="copy"
        aria-label={`copy ${this.props.text}`}
        onClick={(e) => this.#copy(e.currentTarget)}
      >
        {this.state.done || "copy"}
      </button>
    );
  }

  async #copy(button: Element): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.props.text);
      this.setState({ done: "copied" });
    } catch {
      // A page in a frame may not be allowed to write to the clipboard: the text is selected for the reader to copy.
      const code = button.closest("li")?.querySelector("code");
      if (code) getSelection()?.selectAllChildren(code);
      this.setState({ done: "selected" });
    }
  }
}
