// Writes dist/hoplab-lab.html: page, worker and the engine (HOPLAB_WASM) in one file.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { bundled } from "./bundle.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const assets = here("../python/hoplab/report/assets/");
const read = (path) => readFileSync(path, "utf8");
const parts = {
  STYLE: read(`${assets}report.css`) + read(`${assets}uPlot.min.css`) + (await bundled(here("src/viewer.css"))) + (await bundled(here("src/lab/page.css"))),
  PLOT: read(`${assets}uPlot.iife.min.js`),
  WASM: deflateSync(readFileSync(process.env.HOPLAB_WASM), { level: 9 }).toString("base64"),
  WORKER: await bundled(here("src/lab/worker.ts"), "iife"),
  PAGE: await bundled(here("src/lab/main.ts"), "iife"),
};
const page = read(here("src/lab/page.html")).replace(/\/\*([A-Z]+)\*\//g, (_, name) => parts[name]);
mkdirSync(here("dist"), { recursive: true });
writeFileSync(here("dist/hoplab-lab.html"), page);
console.log(`viewer/dist/hoplab-lab.html: ${Buffer.byteLength(page)} bytes`);
