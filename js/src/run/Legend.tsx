/** What the bars of the lanes mean; `all`: there are collectives. */
export function Legend({ all }: { all: boolean }) {
  const compute = (
    <li>
      <i class="compute" /> compute
    </li>
  );
  if (!all) return <ul class="legend">{compute}</ul>;
  return (
    <ul class="legend">
      {compute}
      <li>
        <i class="collective" />
        <i class="collective other" /> collective
      </li>
      <li title="A collective that runs while its device computes">
        <i class="compute half" /> both<span> at once</span>
      </li>
      <li>
        <i class="wait" /> waits<span> for others</span>
      </li>
    </ul>
  );
}
