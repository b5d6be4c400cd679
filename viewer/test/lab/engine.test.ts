// The module against the native engine: the fingerprint of every watched run, messages, limits, and size.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Engine, Refusal } from "../../src/lab/engine.ts";
import type { Request } from "../../src/lab/engine.ts";

/** Folders of `crates/hoplab/tests/it/fingerprints.rs`. */
const GOLDEN = "../crates/hoplab/tests/golden";
const WATCHED = ["whole_runs", "trajectories"];
const MAX_BYTES = 3e6;
const SLICE = 20_000;
const CHAIN = 'duration = "5 s"\n[topology]\nkind = "chain"\nhops = 3\n[[flow]]\ntransport = "new_reno"\n';

const path = process.env["HOPLAB_WASM"] ?? "";
/** Cargo's folder of the profile that is distributed; a quick build is not made small. */
const isDistributed = path.includes("/lab/");
const bytes = readFileSync(path);
const module = new WebAssembly.Module(bytes);
const engine = await Engine.load(module);

function run(request: Request, slice = SLICE): { fingerprint: string; events: number } {
  engine.start(request);
  while (!engine.advance(slice).done);
  return JSON.parse(engine.report()) as { fingerprint: string; events: number };
}

for (const folder of WATCHED)
  for (const file of readdirSync(`${GOLDEN}/${folder}`).filter((name) => name.endsWith(".txt")))
    test(`${file} has the native fingerprints`, () => {
      const text = readFileSync(`${GOLDEN}/${folder}/${file.replace(".txt", ".toml")}`, "utf8");
      const rows = readFileSync(`${GOLDEN}/${folder}/${file}`, "utf8").trimEnd().split("\n");
      assert.ok(rows.length > 0);
      for (const row of rows) {
        const [options, known] = row.split("|").map((part) => part.trim());
        const set = options === "as it is" ? [] : options.split(", ").map((option) => option.split("=") as [string, string]);
        assert.equal(run({ text, path: file, overrides: set }).fingerprint, known.split(" ")[0], options);
      }
    });

test("the module imports nothing", () => {
  assert.deepEqual(WebAssembly.Module.imports(module), []);
});

test("the distributed module is small", { skip: !isDistributed && "a quick build" }, () => {
  assert.ok(gzipSync(bytes, { level: 9 }).length < MAX_BYTES, `${gzipSync(bytes, { level: 9 }).length} bytes gzipped`);
});

test("slices and a log change no run", () => {
  const whole = run({ text: CHAIN, path: "lab.toml", seed: 3 }, 1e9);
  assert.deepEqual(run({ text: CHAIN, path: "lab.toml", seed: 3 }, 7), whole);
  engine.start({ text: CHAIN, path: "lab.toml", seed: 3, interval_s: 0.1 });
  let rows = 0;
  for (let done = false; !done; ) {
    done = engine.advance(1000).done;
    rows += engine.rows().length;
  }
  const names = engine.names();
  const { samples, trajectories } = engine.recording();
  assert.equal(trajectories.length, 4);
  assert.equal(rows % names.columns.length, 0);
  assert.ok(rows > 1000 * names.columns.length);
  assert.equal(new Set(samples.map(([t]) => t)).size, 51);
  assert.equal((JSON.parse(engine.report()) as { fingerprint: string }).fingerprint, whole.fingerprint);
});

test("a refused scenario has the engine's message and its lines", () => {
  const text = CHAIN.replace('"chain"', '"chian"');
  assert.throws(
    () => engine.resolve({ text, path: "lab.toml" }),
    (error) => error instanceof Refusal && error.problems[0].line === 3 && /did you mean "chain"/.test(error.message),
  );
  const named = `${CHAIN}[mobility]\nkind = "setdest"\nfile = "moves.tcl"\n`;
  assert.throws(() => engine.resolve({ text: named, path: "lab.toml" }), /"moves.tcl": not supported in a browser/);
});

test("a limit of events ends a run", () => {
  engine.start({ text: CHAIN, path: "lab.toml", max_events: 500 });
  assert.throws(() => engine.advance(1e9), /500 events/);
});

test("an export without a run says so", async () => {
  const fresh = await Engine.load(module);
  assert.throws(() => fresh.report(), /none has begun/);
});

test("the form has the transports of the module, without those of libraries", () => {
  const found = engine.transports();
  assert.ok(found.some(({ name, title }) => name === "new_reno" && title === "NewReno"));
  assert.ok(found.every(({ title, group }) => title && group));
  assert.ok(!found.some(({ name }) => name.startsWith("quinn")));
});
