/** Where an event points, from the corner of what listens to it. */
export function pointOf(event: MouseEvent): [x: number, y: number] {
  const bounds = (event.currentTarget as Element).getBoundingClientRect();
  return [event.clientX - bounds.left, event.clientY - bounds.top];
}
