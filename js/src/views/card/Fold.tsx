/** A part that comes second: one line until it is opened, and open on paper. */
import { Component, type ComponentChildren } from "preact";
import { SHEET } from "./state";

interface Props {
  summary: ComponentChildren;
  /** Width of the card. */
  width: number;
  children: ComponentChildren;
}

export class Fold extends Component<Props, { open: boolean }> {
  override state = { open: false };

  override render({ summary, width, children }: Props) {
    const paper = width === SHEET;
    return (
      <details
        class="fold"
        open={paper || this.state.open}
        onToggle={(event) => {
          if (!paper) this.setState({ open: event.currentTarget.open });
        }}
      >
        <summary>{summary}</summary>
        {children}
      </details>
    );
  }
}
