/** An error in place of a picture: what happened, and a button that copies it. */
import { Component } from "preact";
import { copyText } from "./copy";

export class Failure extends Component<{ error: Error }, { copied: string }> {
  override state = { copied: "" };

  override render() {
    const { error } = this.props;
    const text = `${error.name}: ${error.message}\n${error.stack ?? ""}`;
    return (
      <div class="failure acts" role="alert">
        <b>shardwidget cannot draw this.</b>
        <p>{error.message}</p>
        <button type="button" onClick={() => copyText(text, (copied) => this.setState({ copied }))}>
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
