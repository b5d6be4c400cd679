// Networks to begin with, as tables of a scenario file.
import { valueText } from "./toml.ts";

export interface Preset {
  name: string;
  title: string;
  /** Tables `[topology]` and `[[flow]]`, for a size from 1. */
  tables(size: number, transport: string): string;
}

/** Tables that a preset replaces. */
export const REPLACED = ["topology", "flow", "traffic", "node", "wire", "workload", "mobility"];

const flow = (from: number | string, to: number | string, rest: string) => `[[flow]]\nfrom = ${from}\nto = ${to}\n${rest}`;
const tcp = (transport: string) => `transport = "${transport}"\nstart_spread = "1 s"\n`;
const DATAGRAMS = 'transport = "udp"\napp = "cbr"\nrate = "600 kb/s"\nrandom = true\nstart_spread = "1 s"\n';
const SATURATING = DATAGRAMS.replace("600 kb/s", "2 Mb/s");

function positions(...places: [number, number][]): string {
  return `[topology]\nkind = "positions"\npositions = [${places.map(([x, y]) => `[${x}, ${y}]`).join(", ")}]\n`;
}

/** Ten roofs: ends of a link, received power in dBm, and share of frames that arrive; made up, as `mesh.toml` of the package. */
const ROOFS: [string, string, number, number][] = [
  ["school", "library", -61, 0.66],
  ["school", "hall", -60, 0.78],
  ["school", "clinic", -61, 0.69],
  ["library", "hall", -58, 0.97],
  ["library", "clinic", -61, 0.72],
  ["library", "depot", -57, 0.96],
  ["library", "mill", -58, 0.92],
  ["library", "farm", -63, 0.43],
  ["library", "harbor", -63, 0.46],
  ["hall", "clinic", -62, 0.57],
  ["hall", "depot", -59, 0.85],
  ["hall", "tower", -59, 0.8],
  ["hall", "mill", -52, 0.98],
  ["clinic", "depot", -51, 0.99],
  ["clinic", "mill", -50, 0.99],
  ["clinic", "harbor", -61, 0.73],
  ["clinic", "church", -63, 0.56],
  ["depot", "tower", -59, 0.88],
  ["depot", "church", -61, 0.66],
  ["tower", "farm", -60, 0.78],
  ["tower", "harbor", -49, 0.99],
  ["tower", "church", -58, 0.96],
  ["mill", "farm", -54, 0.97],
];
/** Roofs that only sense each other. */
const SENSED: [string, string][] = [
  ["school", "depot"],
  ["school", "mill"],
  ["school", "farm"],
  ["library", "tower"],
  ["library", "church"],
  ["hall", "farm"],
  ["hall", "church"],
  ["clinic", "tower"],
  ["clinic", "farm"],
  ["depot", "mill"],
  ["depot", "farm"],
  ["depot", "harbor"],
  ["tower", "mill"],
  ["farm", "harbor"],
  ["harbor", "church"],
];
const MEASURED = [
  ...ROOFS.map(([from, to, dbm, delivery]) => `    { from = "${from}", to = "${to}", power = "${dbm} dBm", delivery = ${delivery}, way = "both" },`),
  ...SENSED.map(([from, to]) => `    { from = "${from}", to = "${to}", sense_only = true, way = "both" },`),
].join("\n");

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
  {
    name: "measured",
    title: "measured links",
    tables: (_, transport) =>
      `[topology]\nkind = "links"\nnames = [${valueText([...new Set(ROOFS.flatMap(([from, to]) => [from, to]))]).slice(1, -1)}]\nlinks = [\n${MEASURED}\n]\n\n${flow('"school"', '"mill"', tcp(transport))}`,
  },
];
