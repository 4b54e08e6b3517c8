// A manifest in the fragment of an address, compressed. Browsers do not send the fragment to servers.
const MAX_TEXT = 200_000;

const TOO_LARGE = `the manifest has more than ${MAX_TEXT.toLocaleString("en")} bytes`;
const DAMAGED = "it is not complete";

const through = async (bytes, stream, limit) => {
  const parts = [];
  let size = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new Error(TOO_LARGE);
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

export const fragmentOf = async (text, release) => {
  const plain = new TextEncoder().encode(text);
  if (plain.length > MAX_TEXT) throw new Error(TOO_LARGE);
  const bytes = await through(plain, new CompressionStream("deflate-raw"), 2 * MAX_TEXT);
  const encoded = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  return `#v=${encodeURIComponent(release)}&m=${encoded.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
};

export const readFragment = async fragment => {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  if (!given.has("m")) return null;
  let packed;
  try {
    packed = Uint8Array.from(atob(given.get("m").replaceAll("-", "+").replaceAll("_", "/")), character => character.charCodeAt(0));
  } catch {
    throw new Error(DAMAGED);
  }
  const bytes = await through(packed, new DecompressionStream("deflate-raw"), MAX_TEXT).catch(error => {
    throw error.message === TOO_LARGE ? error : new Error(DAMAGED);
  });
  return {text: new TextDecoder().decode(bytes), release: given.get("v") ?? ""};
};
