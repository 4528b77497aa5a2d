// Tells widgets when the reader switches the palette: they watch this attribute.
const tell = () => {
  document.body.dataset.theme = document.body.dataset.mdColorScheme ?? "";
};
new MutationObserver(tell).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
tell();
