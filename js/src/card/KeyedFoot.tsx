/** The foot of a card with more keys than three: the others open above it, with `?`. */
import { Component, type ComponentChildren, createRef } from "preact";
import { Foot, Keys, type KeyWords } from "./Foot";

const FEW = 3;

interface Props {
  keys: KeyWords;
  /** Those of them that do nothing in what is shown: they are not named. */
  idle?: readonly unknown[];
  children?: ComponentChildren;
}

export function KeyedFoot({ keys, idle = [], children }: Props) {
  const named = keys.filter(([names]) => !idle.includes(names));
  return (
    <Foot keys={named.slice(0, FEW)}>
      {children}
      {named.length > FEW && <AllKeys of={named} />}
    </Foot>
  );
}

/** The others, behind `?`. */
export class AllKeys extends Component<{ of: KeyWords }> {
  readonly #at = createRef<HTMLDetailsElement>();
  #card: Element | undefined;

  override componentDidMount() {
    this.#card = (this.#at.current?.getRootNode() as ShadowRoot | undefined)?.host;
    this.#card?.addEventListener("keydown", this.#hear);
  }

  override componentWillUnmount() {
    this.#card?.removeEventListener("keydown", this.#hear);
  }

  readonly #hear = (event: Event) => {
    const { key } = event as KeyboardEvent;
    const [target] = event.composedPath();
    const typed = target instanceof HTMLElement && target.matches("input, textarea");
    const list = this.#at.current;
    if (list && key === "?" && !typed) list.open = !list.open;
    else if (list && key === "Escape") list.open = false;
  };

  override render() {
    return (
      <details class="all-keys" ref={this.#at}>
        <summary aria-label="all keys" title="all keys">
          <kbd>?</kbd>
        </summary>
        <dl>
          {this.props.of.map(([names, does]) => (
            <div key={names}>
              <dt>
                <Keys of={names} />
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </details>
    );
  }
}
