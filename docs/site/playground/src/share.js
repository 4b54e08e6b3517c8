// A manifest in the fragment of an address, compressed. Browsers do not send the fragment to servers.
const MAX_TEXT = 200_000;

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
      throw new Error("the shared manifest is too large");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

export const fragmentOf = async (text, release) => {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), MAX_TEXT);
  const encoded = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  return `#v=${encodeURIComponent(release)}&m=${encoded.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
};

export const readFragment = async fragment => {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  if (!given.has("m")) return null;
  const plain = atob(given.get("m").replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(plain, character => character.charCodeAt(0));
  const text = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), MAX_TEXT));
  return {text, release: given.get("v") ?? ""};
};
