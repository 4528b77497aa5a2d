/** A part that comes second: one line until it is opened, and open on paper. */
import { Component, type ComponentChildren } from "preact";

interface Props {
  summary: ComponentChildren;
  /** Whether the card is printed. */
  paper: boolean;
  children: ComponentChildren;
}

export class Fold extends Component<Props, { open: boolean }> {
  override state = { open: false };

  override render({ summary, paper, children }: Props) {
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
