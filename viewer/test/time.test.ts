import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, SPEEDS, shownTime } from "../src/clock.ts";
import { Trajectories } from "../src/data/trajectories.ts";
import { Steps, lastAt, stepsBy } from "../src/data/steps.ts";

test("lastAt finds the last time at or before", () => {
  const times = [1, 2, 2, 5];
  assert.deepEqual([0, 1, 2, 4.9, 5, 9].map((t) => lastAt(times, t)), [-1, 0, 2, 2, 3, 3]);
  assert.equal(lastAt([], 1), -1);
});

test("steps keep their value until the next change", () => {
  const steps = new Steps([1, 3, 4], [10, 30, 40]);
  const asked = [0, 1, 2.9, 3, 3.5, 4, 99, 2, 0.5, 3.1, 1.5];
  assert.deepEqual(asked.map((t) => steps.at(t, -1)), [-1, 10, 10, 30, 30, 40, 40, 10, -1, 30, 10]);
});

test("steps are kept apart by key", () => {
  const found = stepsBy([1, 2, 3], [7, 8, 7], [5, 6, 0]);
  assert.equal(found.get(7)!.at(2.5, 0), 5);
  assert.equal(found.get(7)!.at(3, -1), 0);
  assert.equal(found.get(8)!.at(2, 0), 6);
});

test("a node rests, moves, rests, and jumps", () => {
  const legs = { node: [1, 1], t0: [10, 30], x0: [0, 100], y0: [0, 0], t1: [20, 30], x1: [100, 5], y1: [0, 5] };
  const trajectories = new Trajectories([50, 0], [60, 0], legs);
  const [x, y] = [new Float64Array(2), new Float64Array(2)];
  const at = (t: number) => {
    trajectories.positions(t, x, y);
    return [x[0], y[0], x[1], y[1]];
  };
  assert.deepEqual(at(0), [50, 60, 0, 0]);
  assert.deepEqual(at(15), [50, 60, 50, 0]);
  assert.deepEqual(at(25), [50, 60, 100, 0]);
  assert.deepEqual(at(30), [50, 60, 5, 5]);
  assert.deepEqual(trajectories.box(), { left: 0, right: 100, bottom: 0, top: 60 });
});

test("the clock advances, stops at the end and restarts", () => {
  const clock = new Clock(2, 3);
  clock.speed = 0.5;
  clock.tick(1000);
  assert.equal(clock.t, 2);
  clock.play();
  clock.tick(2000);
  clock.tick(2050);
  assert.ok(Math.abs(clock.t - 2.025) < 1e-12);
  clock.tick(12_050); // the page was hidden: no jump
  assert.ok(Math.abs(clock.t - 2.075) < 1e-12);
  clock.seek(99);
  assert.equal(clock.t, 3);
  clock.tick(12_060);
  assert.equal(clock.running, false);
  clock.play();
  assert.equal(clock.t, 2);
});

test("speeds stay between minimum and maximum", () => {
  const clock = new Clock(0, 1);
  clock.faster(-99);
  assert.equal(clock.speed, SPEEDS[0]);
  clock.faster(99);
  assert.equal(clock.speed, SPEEDS.at(-1));
});

test("times are shown to the microsecond", () => {
  assert.equal(shownTime(12.0345678), "12.034\u202f568 s");
});
