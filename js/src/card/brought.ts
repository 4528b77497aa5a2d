/** A module that Python brings to a card as text: what few cards need is in no card's bundle. */
export function bring<M>(source: unknown): Promise<M> {
  return import(/* @vite-ignore */ URL.createObjectURL(new Blob([source as BlobPart], { type: "text/javascript" })));
}
