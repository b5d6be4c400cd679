import assert from "node:assert/strict";
import { test } from "node:test";
import { Camera } from "../src/draw/camera.ts";
import { INKS, STYLES, styleOf } from "../src/draw/styles.ts";
import { along, bend } from "../src/draw/marks.ts";
import { roundLength } from "../src/draw/picture.ts";

test("the whole area is visible at one scale", () => {
  const camera = new Camera({ left: 0, right: 1000, bottom: 0, top: 500 });
  camera.resize(800, 500);
  assert.ok(camera.x(0) > 0 && camera.x(1000) < 800 && camera.y(500) > 0 && camera.y(0) < 500);
  assert.ok(camera.y(500) < camera.y(0));
  assert.ok(Math.abs(camera.x(100) - camera.x(0) - (camera.y(0) - camera.y(100))) < 1e-9);
});

test("a chain and a single node have a finite scale", () => {
  for (const right of [1600, 0]) {
    const camera = new Camera({ left: 0, right, bottom: 0, top: 0 });
    camera.resize(600, camera.heightFor(600));
    assert.ok(Number.isFinite(camera.x(right)) && Number.isFinite(camera.y(0)));
    assert.ok(camera.height >= 200 && camera.height <= 600);
  }
});

test("zoom keeps the pointed location and stays in the area", () => {
  const camera = new Camera({ left: 0, right: 1000, bottom: 0, top: 1000 });
  camera.resize(600, 600);
  const before = camera.x(400);
  camera.enlarge(2, camera.x(400), camera.y(400));
  assert.ok(Math.abs(camera.x(400) - before) < 1e-9);
  camera.move(1e6, -1e6);
  assert.ok(camera.x(0) <= 60 && camera.y(0) >= 540);
  assert.equal(camera.enlarged, true);
  camera.fit();
  assert.ok(camera.x(0) > 0 && camera.x(1000) < 600);
});

test("both directions of a link bend apart", () => {
  const [there, back] = [bend(0, 0, 100, 0, 10, 0.5), bend(100, 0, 0, 0, 10, 0.5)];
  assert.deepEqual(along(there, 0), [10, 0]);
  assert.deepEqual(along(there, 1), [90, 0]);
  assert.ok(along(there, 0.5)[1] < 0 && along(back, 0.5)[1] > 0);
});

test("the scale has a round length", () => {
  assert.deepEqual([9, 10, 30, 70, 0.4, 1234].map(roundLength), [5, 10, 20, 50, 0.2, 1000]);
});

test("no two kinds of frames differ in color alone", () => {
  const looks = Object.values(STYLES);
  assert.equal(new Set(looks.map((look) => look.mark)).size, looks.length);
  assert.equal(new Set(looks.map((look) => look.color)).size, looks.length);
  assert.equal(new Set(INKS.map((ink) => ink.dash.join())).size, INKS.length);
  assert.equal(styleOf("rreq"), "routing");
  assert.equal(styleOf("lack"), "feedback");
});
