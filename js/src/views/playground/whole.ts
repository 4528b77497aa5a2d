/** An array in a bundle that has all parts of its picture: nothing is loaded for it. */
import * as parts from "../../scene/arrayparts";
import { ArrayState } from "../array/state";

export class WholeArrayState extends ArrayState {
  override start(): void {
    this.set({ parts });
    super.start();
  }
}
