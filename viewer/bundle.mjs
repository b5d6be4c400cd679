// One file of a page from its sources: a script, or a style sheet.
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export async function bundled(entry, format) {
  const result = await build({
    entryPoints: [entry],
    absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    target: ["chrome103", "firefox113", "safari16.4"],
    legalComments: "none",
    ...(format ? { format } : {}),
  });
  const text = result.outputFiles[0].text;
  if (/<\/(script|style)/i.test(text)) throw new Error(`${basename(entry)} holds a tag that would end the element around it`);
  return text;
}
