import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { inflate, unpack } from "../src/data/columns.ts";

test("byte planes decode to numbers", () => {
  // Two numbers of two bytes, 0x0102 and 0x0304 above 10: low bytes first, then high ones. Then steps of one byte.
  const bytes = Uint8Array.from([0x02, 0x04, 0x01, 0x03, 0, 5, 0x00, 0xff, 0x00, 0xff]);
  const tables = unpack(
    [
      {
        name: "a",
        rows: 2,
        columns: [
          { name: "n", kind: "whole", bytes: 2, offset: 10 },
          { name: "t", kind: "ascending", bytes: 1, offset: 100 },
          { name: "r", kind: "rounded", bytes: 2, offset: -1, step: 0.5 },
        ],
      },
    ],
    bytes,
  );
  const table = tables.get("a")!;
  assert.deepEqual(Array.from(table["n"]), [0x0102 + 10, 0x0304 + 10]);
  assert.deepEqual(Array.from(table["t"]), [100, 105]);
  assert.deepEqual(Array.from(table["r"]), [-1, NaN]);
});

test("reals of single precision keep their bits", () => {
  const raw = new Uint8Array(Float32Array.from([1.5, -2.25]).buffer);
  const planes = [0, 1, 2, 3].flatMap((weight) => [raw[weight], raw[weight + 4]]);
  const tables = unpack([{ name: "a", rows: 2, columns: [{ name: "x", kind: "single", bytes: 4 }] }], Uint8Array.from(planes));
  assert.deepEqual(Array.from(tables.get("a")!["x"]), [1.5, -2.25]);
});

test("times above 2^31 are decoded unsigned", () => {
  const bytes = Uint8Array.from([0xff, 0xff, 0xff, 0xff]);
  const tables = unpack([{ name: "a", rows: 1, columns: [{ name: "t", kind: "ascending", bytes: 4, offset: 1 }] }], bytes);
  assert.equal(tables.get("a")!["t"][0], 2 ** 32);
});

test("data of wrong length is rejected", () => {
  const layout = [{ name: "a", rows: 2, columns: [{ name: "n", kind: "whole", bytes: 1 } as const] }];
  assert.throws(() => unpack(layout, new Uint8Array(3)), /3 bytes of data, expected 2/);
});

test("base64 and deflate are decoded", async () => {
  const text = deflateSync(Buffer.from([1, 2, 250])).toString("base64");
  assert.deepEqual(Array.from(await inflate(text)), [1, 2, 250]);
});
