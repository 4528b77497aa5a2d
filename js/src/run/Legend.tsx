/** What the bars of the lanes mean. */
export function Legend() {
  return (
    <ul class="legend">
      <li>
        <i class="compute" /> compute
      </li>
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
