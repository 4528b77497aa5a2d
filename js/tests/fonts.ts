/** The fonts that texts are measured in, so that no test depends on those of the machine. */
const FACES = [
  ["DejaVu Sans Condensed", "400", "DejaVuSansCondensed"],
  ["DejaVu Sans Condensed", "700", "DejaVuSansCondensed-Bold"],
  ["DejaVu Sans Mono", "400", "DejaVuSansMono"],
  ["DejaVu Sans Mono", "700", "DejaVuSansMono-Bold"],
] as const;

for (const [family, weight, file] of FACES) {
  const { href } = new URL(`../node_modules/dejavu-fonts-ttf/ttf/${file}.ttf`, import.meta.url);
  document.fonts.add(await new FontFace(family, `url("${href}")`, { weight }).load());
}
