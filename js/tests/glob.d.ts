/** Vite's: the files that match a pattern, by their paths. */
interface ImportMeta {
  glob(pattern: string, options: { query: "?raw"; import: "default"; eager: true }): Record<string, string>;
  glob(pattern: string, options: { import: "default"; eager: true }): Record<string, unknown>;
}
