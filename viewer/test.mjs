// Bundles each file of test/, or of the folder below it that is named, for Node, and runs them with Node's own test runner.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(`test/${process.argv[2] ?? "."}/`, import.meta.url));
const out = mkdtempSync(join(tmpdir(), "hoplab-viewer-"));
const files = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
try {
  await build({
    entryPoints: files.map((name) => join(folder, name)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  const made = files.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
  process.exitCode = spawnSync(process.execPath, ["--test", ...made], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
