/** The entry of SpecPlayground's bundle: draws a widget model, of anywidget's or of a saved page's. */
export default {};
