// Parts of the laboratory's page that need no browser: edits of the text, links, variants, intervals, lessons.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Changes } from "../../src/lab/changes.ts";
import { commandOf, variantsOf } from "../../src/lab/scenario/compare.ts";
import { MOVEMENTS, RADIOS, movementOf, radioOf, withMovement, withRadio } from "../../src/lab/scenario/choices.ts";
import { Engine } from "../../src/lab/engine.ts";
import { LESSONS } from "../../src/lab/scenario/lessons.ts";
import { fromFragment, toFragment } from "../../src/lab/scenario/link.ts";
import { interval } from "../../src/lab/statistics.ts";
import { replaceTables, setKey, valueText } from "../../src/lab/scenario/toml.ts";
import { PRESETS } from "../../src/lab/scenario/topologies.ts";

const engine = await Engine.load(new WebAssembly.Module(readFileSync(process.env["HOPLAB_WASM"] ?? "")));
const TEXT = '# mine\nduration = "5 s" # short\n\n[mac]\nssrl = 7\n\n[topology]\nkind = "chain"\nhops = 2\n\n[[flow]]\ntransport = "reno"\n';

test("a key is set in its table, and all other text stays", () => {
  assert.equal(setKey(TEXT, "", "duration", '"9 s"'), TEXT.replace('"5 s"', '"9 s"'));
  assert.equal(setKey(TEXT, "mac", "ssrl", "9"), TEXT.replace("ssrl = 7", "ssrl = 9"));
  assert.equal(setKey(TEXT, "mac", "data_rate", '"11 Mb/s"'), TEXT.replace("ssrl = 7", 'ssrl = 7\ndata_rate = "11 Mb/s"'));
  assert.equal(setKey(TEXT, "queue", "limit", "5"), `${TEXT}\n[queue]\nlimit = 5\n`);
  assert.equal(setKey(TEXT, "mac", "ssrl", null), TEXT.replace("ssrl = 7\n", ""));
  assert.equal(setKey(TEXT, "queue", "limit", null), TEXT);
});

test("tables are replaced with those below them", () => {
  const text = replaceTables(`${TEXT}[flow.more]\nx = 1\n[radio]\ny = 2\n`, ["topology", "flow"], '[topology]\nkind = "grid"\n');
  assert.equal(text, '# mine\nduration = "5 s" # short\n\n[mac]\nssrl = 7\n\n[topology]\nkind = "grid"\n\n[radio]\ny = 2\n');
  assert.equal(valueText([[1, 2.5], { a: "b" }]), '[[1, 2.5], { a = "b" }]');
});

test("a link gives back what it was made of", async () => {
  for (const { settings } of LESSONS) {
    const fragment = await toFragment(settings);
    assert.match(fragment, /^[\w-]+$/);
    assert.deepEqual(await fromFragment(fragment), settings);
  }
  await assert.rejects(fromFragment("AAAA"));
});

test("the engine accepts every lesson, variant and network", () => {
  for (const { settings, watch } of LESSONS) {
    const variants = variantsOf(settings.compare, settings.transports);
    assert.ok(variants[watch]);
    assert.ok(commandOf(settings.compare, settings.transports, settings.seeds).includes("lab.toml"));
    for (const { overrides } of variants) assert.deepEqual(engine.resolve({ text: settings.text, path: "lab.toml", overrides }).warnings, []);
  }
  for (const preset of PRESETS)
    for (const size of [1, 4, 12]) engine.resolve({ text: `duration = "2 s"\n${preset.tables(size, "vegas")}`, path: "lab.toml" });
});

test("lessons show what they are about", () => {
  const mean = (lesson: number, variant: number, of: (report: { flows: { goodput_bps: number }[] }) => number): number => {
    const { settings } = LESSONS[lesson];
    const { overrides } = variantsOf(settings.compare, settings.transports)[variant];
    const values = Array.from({ length: settings.seeds }, (_, i) => {
      engine.start({ text: settings.text, path: "lab.toml", overrides, seed: i + 1 });
      while (!engine.advance(1e6).done);
      return of(JSON.parse(engine.report()) as { flows: { goodput_bps: number }[] });
    });
    return interval(values).mean;
  };
  const all = ({ flows }: { flows: { goodput_bps: number }[] }) => flows.reduce((sum, flow) => sum + flow.goodput_bps, 0);
  const of = (id: number) => (report: { flows: { goodput_bps: number }[] }) => report.flows[id].goodput_bps;
  assert.ok(mean(0, 0, all) > 3 * mean(0, 1, all), "hidden terminals");
  const settings = LESSONS[1].settings;
  const apart = { ...LESSONS[1], settings: { ...settings, text: settings.text.replace("[400, 0], [600, 0]", "[800, 0], [1000, 0]") } };
  LESSONS.push(apart);
  assert.ok(mean(LESSONS.length - 1, 0, all) > 1.8 * mean(1, 0, all), "exposed terminals");
  LESSONS.pop();
  const [one, two, three] = [0, 1, 2].map((variant) => mean(2, variant, all));
  assert.ok(Math.abs(two / one - 1 / 2) < 0.05 && Math.abs(three / one - 1 / 3) < 0.05, "TCP halves per hop");
  assert.ok(mean(3, 0, of(3)) > 3 * mean(3, 0, of(0)), "fairness");
  assert.ok(mean(4, 1, all) > mean(4, 0, all), "Semi-TCP");
  assert.ok(mean(5, 1, all) > 1.5 * mean(5, 0, all), "paths by ETX");
});

test("controls write radios and movements that the engine accepts, and find them again", () => {
  const text = `duration = "2 s"\n${PRESETS[0].tables(3, "sack")}`;
  RADIOS.forEach((radio, i) => {
    const made = withRadio(withRadio(text, RADIOS.at(-1)!), radio);
    assert.equal(radioOf(engine.resolve({ text: made, path: "lab.toml" }).scenario), i, made);
  });
  for (const movement of [undefined, ...MOVEMENTS]) {
    const made = withMovement(withMovement(text, MOVEMENTS[0], [[0, 0]]), movement, [[0, 0], [600, 20]]);
    assert.equal(movementOf(engine.resolve({ text: made, path: "lab.toml" }).scenario), movement?.name ?? "none", made);
  }
});

test("an interval is that of Student's t", () => {
  const { mean, half, n } = interval([1, 2, 3]);
  assert.deepEqual([mean, half.toFixed(9), n], [2, (4.303 / Math.sqrt(3)).toFixed(9), 3]);
  assert.ok(Number.isNaN(interval([1]).half));
});

test("changes keep the last of those within a grain, and no equal ones", () => {
  const changes = new Changes(10);
  for (const [t, value] of [[1, 5], [2, 6], [15, 6], [25, 7]]) changes.set(0, t, { value });
  changes.set(1, 21, { value: 1 });
  const { t, value } = changes.table(["value"], "value");
  assert.deepEqual([[...t], [...value]], [[2, 21, 25], [6, 1, 7]]);
});
