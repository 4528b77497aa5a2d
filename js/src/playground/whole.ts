/** An array whose spec is edited, in a bundle that has all parts of its picture: nothing is loaded for it. */
import { ArrayState, arrayParts, WHOLE } from "../array/public";

export class WholeArrayState extends ArrayState {
  override start(): void {
    this.set({ parts: arrayParts, choice: { ...WHOLE, inOrder: true } });
    super.start();
  }
}
