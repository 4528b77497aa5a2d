/** A PNG of RGB bytes without compression: small pictures of fields inside an SVG, made without a DOM. */

export function pngDataUri(columns: number, rows: number, rgb: Uint8Array): string {
  const stride = columns * 3;
  const lines = new Uint8Array(rows * (stride + 1));
  for (let r = 0; r < rows; r++) lines.set(rgb.subarray(r * stride, (r + 1) * stride), r * (stride + 1) + 1);
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, columns);
  view.setUint32(4, rows);
  header.set([8, 2, 0, 0, 0], 8);
  const file = concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", header),
    chunk("IDAT", zlibStored(lines)),
    chunk("IEND", new Uint8Array(0)),
  ]);
  return `data:image/png;base64,${base64(file)}`;
}

/** zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4). */
function zlibStored(data: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [Uint8Array.of(0x78, 0x01)];
  for (let at = 0; at < data.length || at === 0; at += 65535) {
    const block = data.subarray(at, at + 65535);
    const n = block.length;
    pieces.push(Uint8Array.of(at + n >= data.length ? 1 : 0, n & 255, n >> 8, ~n & 255, (~n >> 8) & 255), block);
  }
  let a = 1;
  let b = 0;
  for (const byte of data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  pieces.push(Uint8Array.of(b >> 8, b & 255, a >> 8, a & 255));
  return concat(pieces);
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const body = concat([Uint8Array.from(name, (c) => c.charCodeAt(0)), data]);
  const out = new Uint8Array(body.length + 8);
  const view = new DataView(out.buffer);
  view.setUint32(0, data.length);
  out.set(body, 4);
  view.setUint32(body.length + 4, crc32(body));
  return out;
}

function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(pieces.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of pieces) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// btoa is not there in a bare V8.
function base64(data: Uint8Array): string {
  let out = "";
  for (let i = 0; i < data.length; i += 3) {
    const n = ((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0);
    const left = data.length - i;
    out += ALPHABET[n >> 18];
    out += ALPHABET[(n >> 12) & 63];
    out += left > 1 ? ALPHABET[(n >> 6) & 63] : "=";
    out += left > 2 ? ALPHABET[n & 63] : "=";
  }
  return out;
}
