/** The keys of the stepper. */
const KEYS: readonly (readonly [string, string])[] = [
  ["Space", "play, pause"],
  [", .", "step back, forward"],
  ["Home End", "first, last step"],
  ["[ ]", "previous, next collective"],
  ["i", "step into: the equations of the step"],
  ["o u", "step over, step out of a function or loop"],
  ["a", "next algorithm"],
  ["s", "from start to done of a transfer, and back"],
  ["/", "search steps"],
  ["g", "go to the devices"],
  ["arrows", "go to neighbours; in space-time: follow a block"],
  ["Enter", "on a device: its next block"],
  ["Esc", "deselect, close this"],
];

export function Help() {
  return (
    <section class="help" aria-label="keys">
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="soft">Click a type to watch its value, a device to keep it in view.</p>
    </section>
  );
}
