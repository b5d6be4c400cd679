// Decodes the packed tables of a page: base64, deflate, byte planes (written by python/hoplab/report/animation/columns.py).

export interface ColumnLayout {
  name: string;
  kind: "whole" | "ascending" | "rounded" | "single";
  bytes: 1 | 2 | 4;
  offset?: number;
  step?: number;
}

export interface TableLayout {
  name: string;
  rows: number;
  columns: ColumnLayout[];
}

export type Table = Record<string, Float64Array | Int32Array | Float32Array>;

/** Marks a missing value in a rounded column. */
const ABSENT = 65535;

export async function inflate(text: string): Promise<Uint8Array> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function unpack(layout: TableLayout[], bytes: Uint8Array): Map<string, Table> {
  const tables = new Map<string, Table>();
  let at = 0;
  for (const { name, rows, columns } of layout) {
    const table: Table = {};
    for (const column of columns) {
      table[column.name] = read(column, bytes, at, rows);
      at += rows * column.bytes;
    }
    tables.set(name, table);
  }
  if (at !== bytes.length) throw new Error(`${bytes.length} bytes of data, expected ${at}`);
  return tables;
}

function read(column: ColumnLayout, bytes: Uint8Array, at: number, rows: number): Float64Array | Int32Array | Float32Array {
  const raw = joined(bytes, at, rows, column.bytes);
  const { offset = 0, step = 0 } = column;
  switch (column.kind) {
    case "single":
      return new Float32Array(raw.buffer);
    case "whole": {
      const values = new Int32Array(rows);
      for (let i = 0; i < rows; i += 1) values[i] = raw[i] + offset;
      return values;
    }
    case "ascending": {
      const values = new Float64Array(rows);
      let sum = offset;
      for (let i = 0; i < rows; i += 1) values[i] = sum += raw[i];
      return values;
    }
    case "rounded": {
      const values = new Float64Array(rows);
      for (let i = 0; i < rows; i += 1) values[i] = raw[i] === ABSENT ? NaN : offset + raw[i] * step;
      return values;
    }
  }
}

/** Joins byte planes to integers; the plane of lowest bytes comes first. */
function joined(bytes: Uint8Array, at: number, rows: number, width: number): Uint32Array {
  const numbers = new Uint32Array(rows);
  for (let plane = 0; plane < width; plane += 1) {
    const from = at + plane * rows;
    for (let i = 0; i < rows; i += 1) numbers[i] |= bytes[from + i] << (8 * plane);
  }
  return numbers;
}
