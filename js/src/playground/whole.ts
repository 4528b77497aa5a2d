/** An array in a bundle that has all parts of its picture: nothing is loaded for it. */
import { ArrayState, arrayParts } from "../array/public";

export class WholeArrayState extends ArrayState {
  override start(): void {
    this.set({ parts: arrayParts });
    super.start();
  }
}
