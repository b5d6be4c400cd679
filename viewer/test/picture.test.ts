import assert from "node:assert/strict";
import { test } from "node:test";
import { Camera } from "../src/draw/camera.ts";
import { INKS, STYLES, styleOf } from "../src/draw/styles.ts";
import { along, bend } from "../src/draw/marks.ts";
import { stretchAt, wireWords } from "../src/draw/wires.ts";
import { roundLength } from "../src/draw/picture.ts";
import { SvgContext, still } from "../src/draw/svg.ts";

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

test("calls of a canvas become elements of SVG", () => {
  const svg = new SvgContext({} as CanvasRenderingContext2D);
  svg.strokeStyle = "#123";
  svg.setLineDash([4, 2]);
  svg.save();
  svg.globalAlpha = 0.5;
  svg.setLineDash([]);
  svg.beginPath();
  svg.lineTo(1, 2);
  svg.lineTo(3.456, 4);
  svg.quadraticCurveTo(5, 6, 7, 8);
  svg.closePath();
  svg.stroke();
  svg.restore();
  svg.beginPath();
  svg.arc(10, 10, 5);
  svg.fill();
  svg.strokeRect(0, 0, 2, 1);
  svg.fillStyle = {} as CanvasPattern;
  svg.fillRect(0, 0, 1, 1);
  svg.fillStyle = "#000";
  svg.textAlign = "center";
  svg.fillText("a < b & c", 1, 1);
  assert.deepEqual(svg.elements, [
    '<path d="M1 2L3.46 4Q5 6 7 8z" fill="none" stroke="#123" stroke-width="1" stroke-linecap="butt" stroke-linejoin="miter" opacity="0.5"></path>',
    '<path d="M15 10A5 5 0 1 1 5 10A5 5 0 1 1 15 10" fill="#000"></path>',
    '<rect x="0" y="0" width="2" height="1" fill="none" stroke="#123" stroke-width="1" stroke-linecap="butt" stroke-linejoin="miter" stroke-dasharray="4 2"></rect>',
    '<rect x="0" y="0" width="1" height="1" fill="url(#stripes)"></rect>',
    '<text x="1" y="1" dy="0" text-anchor="middle" style="font:10px sans-serif" fill="#000">a &lt; b &amp; c</text>',
  ]);
  const file = still(["one", "two"].map((title) => ({ title, elements: svg.elements, width: 300, height: 200 })), "#000", "#fff");
  assert.match(file, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="600" height="236"/);
  assert.equal(file.match(/<svg /g)?.length, 3);
  assert.match(file, /<pattern id="stripes"/);
  svg.clearRect();
  assert.deepEqual(svg.elements, []);
});

test("a packet fills the part of a wire that its transmission takes", () => {
  const at = (since: number) => stretchAt(since, 2, 10); // two of ten seconds: a quarter of the wire's eight
  assert.deepEqual(at(0), { tail: 0, head: 0 });
  assert.deepEqual(at(2), { tail: 0, head: 0.25 });
  assert.deepEqual(at(6), { tail: 0.5, head: 0.75 });
  assert.deepEqual(at(9), { tail: 0.875, head: 1 });
  assert.equal(at(10), null);
  assert.equal(at(-1), null);
  assert.deepEqual(stretchAt(1, 2, 2), { tail: 0, head: 1 }); // no delay: the packet is on all of it
});

test("a wire has its rate and delay in words", () => {
  assert.deepEqual([wireWords(1e8, 0.0105), wireWords(1.5e6, 0), wireWords(5e5, 0.2)], ["100 Mb/s, 10.5 ms", "1.5 Mb/s, 0 ms", "500 kb/s, 200 ms"]);
});

test("the line of a channel lies beside that of its frame", () => {
  const middle = (beyond: number) => along(bend(0, 0, 100, 0, 10, 0.5, beyond), 0.5)[1];
  assert.equal(middle(0) - middle(6), 6);
});
