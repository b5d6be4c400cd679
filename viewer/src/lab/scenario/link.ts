// What the page shows, in the fragment of its address: compressed, and never sent to a server.
import type { Compare } from "./compare.ts";

export interface Settings {
  text: string;
  compare: Compare;
  transports: string[];
  seeds: number;
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>)).arrayBuffer());
}

export async function toFragment(settings: Settings): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(settings)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The settings in a fragment; an error if it is not one of `toFragment`. */
export async function fromFragment(fragment: string): Promise<Settings> {
  const binary = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const found = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")))) as Settings;
  if (typeof found.text !== "string" || !Array.isArray(found.transports)) throw new Error("not a scenario");
  return found;
}
