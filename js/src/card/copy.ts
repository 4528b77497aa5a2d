/** Puts text on the clipboard, and says whether that worked. */
export function copyText(text: string, say: (outcome: string) => void): void {
  navigator.clipboard.writeText(text).then(
    () => say("Copied."),
    () => say("Not copied: select the text."),
  );
}
