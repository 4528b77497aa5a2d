/** Reading a saved state: JSON in which bytes stand as `{"$bytes": base64}`. */

/** Replaces every `{"$bytes": base64}` by a DataView. */
export function reviveBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reviveBytes);
  if (typeof value !== "object" || value === null) return value;
  if ("$bytes" in value && typeof value.$bytes === "string") return fromBase64(value.$bytes);
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, reviveBytes(v)]));
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// A bare V8 has no atob.
function fromBase64(text: string): DataView {
  const clean = text.replace(/=+$/, "");
  const out = new Uint8Array(Math.floor((clean.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const c of clean) {
    const digit = ALPHABET.indexOf(c);
    if (digit < 0) throw new Error("Its binary data is not base64: the file is damaged.");
    bits = (bits << 6) | digit;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out[at++] = (bits >> held) & 255;
    }
  }
  return new DataView(out.buffer);
}
