/** The entry of the lens of meshes with more devices than can be named: Python brings it to arrays on such a mesh. */
export { lensAtPoint, lensMarks } from "../scene/lens";
