/** An array in a bundle that has the lens of very large meshes: nothing is loaded for it. */
import * as lens from "../../scene/lens";
import { ArrayState } from "../array/state";

export class WholeArrayState extends ArrayState {
  override start(): void {
    this.set({ lens });
    super.start();
  }
}
