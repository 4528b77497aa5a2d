// The palette switch of the theme, told in a word that widgets listen for.
const tell = () => {
  document.body.dataset.theme = document.body.dataset.mdColorScheme ?? "";
};
new MutationObserver(tell).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
tell();
