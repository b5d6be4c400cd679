import assert from "node:assert/strict";
import { test } from "node:test";
import { chartsOf } from "../src/panels/charts.ts";
import { Scene, categoryOf, channelOf } from "../src/data/scene.ts";
import type { Data } from "../src/data/scene.ts";
import type { Table } from "../src/data/columns.ts";
import { frameText, lines, quantity } from "../src/panels/event_text.ts";
import { factsOf } from "../src/panels/inspector.ts";

const KINDS = ["rts", "cts", "mac_ack", "segment", "ack"];

/** Three nodes in a row and a flow from the first to the last, over which one segment goes. */
function scene(changes: Record<string, Table> = {}, categories?: string[], more: Partial<Data> = {}): Scene {
  const none = (...names: string[]): Table => Object.fromEntries(names.map((name) => [name, new Float64Array(0)]));
  const table = (columns: Record<string, number[]>): Table =>
    Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, Float64Array.from(values)]));
  const tables: Record<string, Table> = {
    starts: table({ x: [0, 200, 400], y: [0, 0, 0] }),
    legs: none("node", "t0", "x0", "y0", "t1", "x1", "y1"),
    frames: table({
      t: [1000, 2000, 9000],
      air: [350, 5000, 5000],
      from: [0, 0, 1],
      to: [1, 1, -1],
      kind: [0, 3, 3],
      flow: [-1, 0, 0],
      seq: [-1, 4, 4],
      marks: [1, 0, 0],
      fate: [1, 1, 0],
    }),
    queues: table({ t: [500, 2000], node: [0, 0], value: [3, 2] }),
    congested: table({ t: [600, 900], node: [1, 1], value: [1, 0] }),
    parked: table({ t: [700, 800], node: [0, 0], value: [1, -2] }),
    stores: none("t", "node", "value"),
    radios: none("t", "node", "value"),
    proxies: none("t", "node", "value"),
    hops: table({ t: [100, 200, 5000], node: [0, 1, 1], flow: [0, 0, 0], back: [0, 0, 0], next: [1, 2, -1] }),
    stamps: table({ t: [300], node: [1], flow: [0], header: [0], value: [3] }),
    drops: table({ t: [9500], node: [1], reason: [1], kind: [3], flow: [0], seq: [4] }),
    news: none("t", "node", "peer", "what"),
    timeouts: table({ t: [9600], node: [0], flow: [0] }),
    moments: table({ t: [0, 10_000] }),
    "samples:cwnd": table({ value: [1, 2] }),
    "samples:drai": table({ value: [5, 4, NaN, 3] }),
    ...changes,
  };
  const data: Data = {
    format: 1,
    seed: 1,
    begin_s: 0,
    end_s: 0.02,
    run_s: 0.02,
    reach_m: 250,
    cs_range_m: 550,
    queue_limit: 50,
    flows: [{ src: 0, dst: 2, transport: "muzha" }],
    names: { kinds: KINDS, fates: ["unheard", "arrived"], headers: ["mrai"], news: [], reasons: ["full queue", "no route"], ...(categories && { categories }) },
    metrics: [
      { name: "cwnd", of: "flow", entities: [0] },
      { name: "drai", of: "node", entities: [0, 2] },
    ],
    tables: [],
    deflated: "",
    ...more,
  };
  return new Scene(data, new Map(Object.entries(tables)));
}

test("times are in seconds", () => {
  const { frames, longest } = scene();
  assert.deepEqual(Array.from(frames.t, (t) => Number(t.toFixed(6))), [0.001, 0.002, 0.009]);
  assert.equal(Number(longest.toFixed(6)), 0.005);
});

test("a route follows the next hops at its time", () => {
  const run = scene();
  assert.deepEqual(run.path(0, 0), [0]);
  assert.deepEqual(run.path(0, 0.00015), [0, 1]);
  assert.deepEqual(run.path(0, 0.001), [0, 1, 2]);
  assert.deepEqual(run.path(0, 0.006), [0, 1]); // node 1 has lost its route
  assert.deepEqual(run.path(0, 0.001, true), [2]);
});

test("a node reports the time since it carried a flow", () => {
  const run = scene();
  assert.equal(run.unused(0, 0, 0.001), Infinity);
  assert.equal(Number(run.unused(0, 0, 0.0125).toFixed(6)), 0.0105);
  assert.equal(run.unused(0, 2, 1), Infinity);
});

test("a frame has the access category of a run that uses them", () => {
  const columns = { t: [1000, 2000], air: [350, 5000], from: [0, 1], to: [1, 0], kind: [3, 2], flow: [0, -1], seq: [4, -1], marks: [0, 0], fate: [1, 1], category: [3, -1] };
  const frames = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, Float64Array.from(values)]));
  const run = scene({ frames }, ["background", "best effort", "video", "voice"]);
  assert.deepEqual([categoryOf(run, 0), categoryOf(run, 1), categoryOf(scene(), 0)], ["voice", undefined, undefined]);
  const named = (target: number) => factsOf(run, { of: "frame", id: target }, 0).filter(([name]) => name === "category");
  assert.deepEqual([named(0), named(1)], [[["category", "voice"]], []]);
});

test("nodes with a name have it in the list and the inspector", () => {
  const run = scene();
  Object.assign(run.data, { node_names: { 1: "tower" } });
  assert.equal(lines(run)[0].text, "tower is congested");
  assert.equal(lines(run)[1].text, "node 0 parks its packet for tower");
  assert.equal(frameText(run, 0), "RTS, node 0 to tower");
  assert.deepEqual(factsOf(run, { of: "frame", id: 1 }, 0)[0], ["TA", "node 0"]);
  assert.deepEqual(factsOf(run, { of: "frame", id: 1 }, 0)[1], ["RA", "tower"]);
});

test("a loop of next hops ends the route", () => {
  const hops = { t: [0, 0], node: [0, 1], flow: [0, 0], back: [0, 0], next: [1, 0] };
  const table = Object.fromEntries(Object.entries(hops).map(([name, values]) => [name, Float64Array.from(values)]));
  assert.deepEqual(scene({ hops: table }).path(0, 1), [0, 1]);
});

test("samples and headers are the latest before the time", () => {
  const run = scene();
  assert.equal(run.sample("drai", 0, 0.005), 5);
  assert.equal(run.sample("drai", 2, 0.005), NaN);
  assert.equal(run.sample("drai", 2, 0.01), 3);
  assert.equal(run.sample("drai", 1, 0.01), NaN);
  assert.equal(run.header(0), "mrai");
  assert.equal(run.stamp(0, 1, 0.001), 3);
  assert.equal(run.stamp(0, 1, 0.0001), NaN);
});

test("events are listed in order of time", () => {
  assert.deepEqual(
    lines(scene()).map((line) => line.text),
    [
      "node 1 is congested",
      "node 0 parks its packet for node 1",
      "node 1 is no longer congested",
      "node 1 loses its route to node 2",
      "node 1 drops segment 4 of flow 0: no route",
      "flow 0: RTO expires at node 0",
    ],
  );
});

test("a frame is described by type, flow and nodes", () => {
  const run = scene();
  assert.deepEqual([0, 1, 2].map((i) => frameText(run, i)), [
    "RTS, node 0 to node 1",
    "segment 4 of flow 0, node 0 to node 1",
    "segment 4 of flow 0, node 1 to all (broadcast)",
  ]);
});

test("metrics without values have no chart", () => {
  const run = scene();
  assert.deepEqual(chartsOf(run, { of: "flow", id: 0 }).map((chart) => chart.title), ["window"]);
  assert.deepEqual(chartsOf(run, { of: "node", id: 0 }).map((chart) => chart.title), ["queue length (limit 50)", "level (DRAI)"]);
  assert.deepEqual(chartsOf(run, { of: "node", id: 1 }).map((chart) => chart.title), ["congested"]);
});

test("data of another format is rejected", () => {
  const { data } = scene();
  assert.throws(() => new Scene({ ...data, format: 2 }, new Map()), /format 2; this viewer reads format 1/);
});

test("quantities have few digits and a unit", () => {
  assert.deepEqual(
    [quantity(1_234_567, "bit/s"), quantity(950, "bit/s"), quantity(0.2345, "s"), quantity(0.5, "share"), quantity(NaN, "s"), quantity(3, "")],
    ["1.23 Mb/s", "0.95 kb/s", "235 ms", "50 %", "\u2013", "3"],
  );
});

const WIRED: Partial<Data> = {
  hosts: [2],
  wires: [{ ends: [2, 1], rate_bps: [1e6, 2e6], delay_s: [0.01, 0.02] }],
  wire_fates: ["under way", "arrived", "lost"],
  node_names: { 2: "server" },
};

/** Packets from node 1 to host 2, and one back that is lost; and what waits at the ports. */
const onWires = (): Record<string, Table> => {
  const columns = (lists: Record<string, number[]>): Table => Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, Float64Array.from(list)]));
  return {
    wired: columns({
      t: [3000, 15_000],
      from: [1, 2],
      to: [2, 1],
      kind: [3, 4],
      flow: [0, 0],
      seq: [4, 4],
      bytes: [1500, 250],
      took: [26_000, -1],
      fate: [1, 2],
    }),
    ports: columns({ t: [2500, 4000], node: [1, 1], peer: [2, 2], value: [2, 1] }),
  };
};

test("packets on wires take the rate and delay of their direction", () => {
  const run = scene(onWires(), undefined, WIRED);
  const near = ({ service, took }: { service: number; took: number }) => [service, took].map((one) => Number(one.toFixed(6)));
  assert.deepEqual(near(run.timesOf(0)), [0.006, 0.026]);
  assert.deepEqual(near(run.timesOf(1)), [0.002, 0.012]); // lost: as long as its wire
  assert.equal(Number(run.longestWired.toFixed(6)), 0.026);
  assert.ok(Math.abs(run.unused(0, 1, 0.005) - 0.002) < 1e-9); // node 1 has sent on the wire
});

test("queues of ports count for their node, and are shown by wire", () => {
  const run = scene(onWires(), undefined, WIRED);
  assert.deepEqual([run.waiting(1, 2, 0.001), run.waiting(1, 2, 0.003), run.waiting(2, 1, 0.003)], [0, 2, 0]);
  assert.deepEqual([run.queued(1, 0.003), run.queued(0, 0.003)], [2, 2]);
  assert.deepEqual(
    factsOf(run, { of: "node", id: 2 }, 0.003).map(([name, value]) => `${name}: ${value}`),
    ["wire to 1: 1 Mb/s, 10 ms, 0 packets wait", "role: sink of flow 0"],
  );
  assert.equal(factsOf(run, { of: "node", id: 1 }, 0.003)[1][1], "2 Mb/s, 20 ms, 2 packets wait");
});

test("a frame has its channel where the run has several", () => {
  const frames = scene().frames;
  const run = scene({ frames: { ...(frames as unknown as Table), t: Float64Array.from([1000, 2000, 9000]), channel: Float64Array.from([1, 0, -1]) } }, undefined, {
    names: { kinds: KINDS, fates: ["unheard", "arrived"], headers: ["mrai"], news: [], reasons: ["full queue", "no route"], channels: [36, 44] },
  });
  assert.deepEqual([0, 1, 2].map((i) => channelOf(run, i)), [44, 36, undefined]);
  assert.ok(frameText(run, 0).endsWith(", channel 44"));
  assert.ok(factsOf(run, { of: "frame", id: 1 }, 0.002).some(([name, value]) => name === "channel" && value === "36"));
  assert.equal(channelOf(scene(), 0), undefined);
});
