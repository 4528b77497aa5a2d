// Tells widgets when the reader switches the palette: they watch this attribute.
const tell = () => {
  document.body.dataset.theme = document.body.dataset.mdColorScheme ?? "";
};
new MutationObserver(tell).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
tell();

// The first example of the front page and of the gallery's pages plays, unless the reader prefers less motion.
const playFirst = () => {
  const view = document.querySelector(".program [data-sw=view], .hero [data-sw=view]");
  if (!view || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const play = () => {
    const button = view.querySelector(".shardwidget")?.shadowRoot?.querySelector("button.play");
    if (view.dataset.ready && button) {
      button.click();
      ready.disconnect();
    }
  };
  const ready = new MutationObserver(play);
  ready.observe(view, { attributes: true });
  play();
};
playFirst();
