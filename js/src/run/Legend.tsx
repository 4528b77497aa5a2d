/** What the bars of the lanes mean. */
export function Legend() {
  return (
    <ul class="legend">
      <li>
        <i class="compute" /> compute, with its line
      </li>
      <li>
        <i class="collective" />
        <i class="collective other" /> collective, in the colour of its axis
      </li>
      <li>
        <i class="wait" /> waiting for the last of its group
      </li>
      <li>
        <i class="nothing" /> no event
      </li>
    </ul>
  );
}
