/** What pictures of other features draw of an array: its layout, its marks, its mesh. */
export { WHOLE } from "./faces";
export { bodyMarks, type Layout, layoutBody } from "./layout";
export { layoutMesh, type MeshPanel, meshMarks } from "./mesh";
export { paintsOf } from "./paints";
