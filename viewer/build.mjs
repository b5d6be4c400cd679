// Bundles src/main.ts into the package's assets. `--check` compares with what is committed, and writes nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundled } from "./bundle.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const assets = here("../python/hoplab/report/assets/");
const outputs = [
  { entry: here("src/main.ts"), file: "viewer.js", format: "iife" },
  { entry: here("src/viewer.css"), file: "viewer.css" },
];
const checking = process.argv.includes("--check");
let stale = 0;
for (const { entry, file, format } of outputs) {
  const text = await bundled(entry, format);
  if (!checking) {
    writeFileSync(assets + file, text);
    console.log(`${file}: ${Buffer.byteLength(text)} bytes`);
  } else if (readFileSync(assets + file, "utf8") !== text) {
    console.error(`python/hoplab/report/assets/${file} is not what viewer/src makes: run \`make viewer\` and commit it`);
    stale = 1;
  }
}
process.exitCode = stale;
