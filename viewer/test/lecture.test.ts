import assert from "node:assert/strict";
import { test } from "node:test";
import { exchangeAt, exchangesOf } from "../src/data/exchanges.ts";
import { neighbor } from "../src/data/incidents.ts";
import { Camera } from "../src/draw/camera.ts";
import { spread } from "../src/draw/spread.ts";
import type { Frames } from "../src/data/scene.ts";

const KINDS = ["rts", "cts", "segment", "mac_ack"];

function frames(...rows: [number, number, number, number, number][]): Frames {
  const column = (k: number) => rows.map((row) => row[k]);
  return { t: Float64Array.from(column(0)), air: Float64Array.from(column(1)), from: column(2), to: column(3), kind: column(4) } as unknown as Frames;
}

test("an exchange lasts from its RTS to its ACK, and no longer", () => {
  const found = exchangesOf(
    frames([0, 0.0003, 1, 2, 0], [0.0003, 0.0003, 2, 1, 1], [0.0006, 0.004, 1, 2, 2], [0.0046, 0.0003, 2, 1, 3], [0.02, 0.004, 1, 2, 2]),
    KINDS,
    3,
  );
  assert.equal(found.length, 1);
  const [one] = found;
  assert.deepEqual([one.from, one.to], [1, 2]);
  for (const [value, expected] of [
    [one.t, 0.0003],
    [one.cts, 0.0006],
    [one.end, 0.0049],
  ])
    assert.ok(Math.abs(value - expected) < 1e-12);
  assert.equal(exchangeAt(found, [one.t], 2, 0.002, 0.01), one);
  assert.equal(exchangeAt(found, [one.t], 0, 0.002, 0.01), null);
  assert.equal(exchangeAt(found, [one.t], 2, 0.006, 0.01), null);
});

test("an RTS without a response reserves nothing beyond itself", () => {
  const [one] = exchangesOf(frames([0, 0.0003, 1, 2, 0], [0.01, 0.0003, 2, 1, 1]), KINDS, 3);
  assert.equal(one.end, one.t);
  assert.equal(one.cts, Infinity);
});

test("jumps find the next and the previous moment", () => {
  assert.equal(neighbor([1, 2, 3], 2, 1), 3);
  assert.equal(neighbor([1, 2, 3], 2, -1), 1);
  assert.equal(neighbor([1, 2, 3], 3, 1), undefined);
});

test("nodes in one place are drawn apart, others stay", () => {
  const [x, y] = [Float64Array.of(100, 100, 104, 300), Float64Array.of(50, 50, 50, 50)];
  assert.equal(spread(x, y, 10), true);
  for (let a = 0; a < 4; a += 1) for (let b = a + 1; b < 4; b += 1) assert.ok(Math.hypot(x[a] - x[b], y[a] - y[b]) > 20);
  assert.deepEqual([x[3], y[3]], [300, 50]);
  assert.equal(spread(x, y, 10, 0), false);
});

test("the picture makes room for the ranges of a node", () => {
  const camera = new Camera({ left: 0, right: 400, bottom: 0, top: 0 });
  camera.resize(600, 500);
  camera.include({ x: 0, y: 0, r: 550 });
  for (const [x, y] of [
    [-550, 0],
    [550, 0],
    [0, 550],
    [0, -550],
  ])
    assert.ok(camera.x(x) >= 0 && camera.x(x) <= 600 && camera.y(y) >= 0 && camera.y(y) <= 500);
  camera.include(null);
  assert.ok(Math.abs(camera.x(400) - camera.x(0) - 508) < 1);
});
