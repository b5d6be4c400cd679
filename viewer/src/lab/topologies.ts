// Networks to begin with, as tables of a scenario file.

export interface Preset {
  name: string;
  title: string;
  /** Tables `[topology]` and `[[flow]]`, for a size from 1. */
  tables(size: number, transport: string): string;
}

/** Tables that a preset replaces. */
export const REPLACED = ["topology", "flow", "traffic", "node", "wire", "workload", "mobility"];

const flow = (from: number, to: number, rest: string) => `[[flow]]\nfrom = ${from}\nto = ${to}\n${rest}`;
const tcp = (transport: string) => `transport = "${transport}"\nstart_spread = "1 s"\n`;
const DATAGRAMS = 'transport = "udp"\napp = "cbr"\nrate = "600 kb/s"\nrandom = true\nstart_spread = "1 s"\n';
const SATURATING = DATAGRAMS.replace("600 kb/s", "2 Mb/s");

function positions(...places: [number, number][]): string {
  return `[topology]\nkind = "positions"\npositions = [${places.map(([x, y]) => `[${x}, ${y}]`).join(", ")}]\n`;
}

export const PRESETS: Preset[] = [
  {
    name: "chain",
    title: "chain",
    tables: (size, transport) => `[topology]\nkind = "chain"\nhops = ${size}\n\n[[flow]]\n${tcp(transport)}`,
  },
  {
    name: "mesh",
    title: "mesh",
    tables: (size, transport) => {
      const side = Math.max(Math.min(size, 7), 2);
      const last = side * side - 1;
      return `[topology]\nkind = "grid"\nrows = ${side}\ncolumns = ${side}\n\n${flow(0, last, tcp(transport))}\n${flow(side - 1, last - side + 1, tcp(transport))}`;
    },
  },
  {
    name: "hidden",
    title: "hidden terminals",
    tables: () => `${positions([0, 0], [240, 0], [480, 0])}\n${flow(0, 1, DATAGRAMS)}\n${flow(2, 1, DATAGRAMS)}`,
  },
  {
    name: "exposed",
    title: "exposed terminals",
    tables: () => `${positions([200, 0], [0, 0], [400, 0], [600, 0])}\n${flow(0, 1, SATURATING)}\n${flow(2, 3, SATURATING)}`,
  },
  {
    name: "gateway",
    title: "gateway",
    tables: (size, transport) =>
      `[topology]\nkind = "chain"\nhops = ${size}\n\n${Array.from({ length: Math.min(size, 5) }, (_, i) => flow(0, size - i, tcp(transport))).join("\n")}`,
  },
];
