/** A component that is drawn again only when a prop is another one. */
import { Component } from "preact";

export abstract class Pure<Props extends object> extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    return (Object.keys(next) as (keyof Props)[]).some(
      (key) => !Object.is((next as Props)[key], this.props[key as never]),
    );
  }
}
