/** An error in place of a picture: what happened, and a button that copies it. */
import { Component } from "preact";

export class Failure extends Component<{ error: Error }, { copied: string }> {
  override state = { copied: "" };

  override render() {
    const { error } = this.props;
    const text = `${error.name}: ${error.message}\n${error.stack ?? ""}`;
    const say = (copied: string) => () => this.setState({ copied });
    return (
      <div class="failure" role="alert">
        <b>shardwidget cannot draw this.</b>
        <p>{error.message}</p>
        <button
          type="button"
          onClick={() =>
            navigator.clipboard
              .writeText(text)
              .then(say("Copied."), say("Copying is not allowed here: select the text."))
          }
        >
          Copy details
        </button>{" "}
        <span role="status">{this.state.copied}</span>
        <details>
          <summary>details</summary>
          <pre>{text}</pre>
        </details>
      </div>
    );
  }
}
