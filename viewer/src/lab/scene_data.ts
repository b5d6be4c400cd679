// Content of the animation from the rows of a run: what python/hoplab/report/animation/scene.py asks of a trace.
// A test compares both (tests/python/report/test_lab.py).
import type { Table } from "../data/columns.ts";
import type { Data } from "../data/scene.ts";
import { Changes } from "./changes.ts";
import type { Names, Recording, Resolved } from "./engine.ts";

const KINDS = ["rts", "cts", "mac_ack", "segment", "ack", "datagram", "lack", "arp_request", "arp_reply"];
const FATES = ["unheard", "arrived", "collision", "undecodable", "busy", "duplicate", "noise"];
const HEADERS = ["mrai", "xcp", "rcp", "atp", "wcp"];
const NEWS = ["refused", "reused", "silent", "resolved"];
const CARRIED = new Set(["segment", "datagram"]);
const STATE_US = 200;
const STAMP_US = 20_000;
const RATE_US = 1_000_000;
const METRICS: Record<"node" | "flow", string[]> = {
  node: [
    "idle_share",
    "drai",
    "busy_share",
    "winf_capacity_bps",
    "winf_available_bps",
    "idle_gap_capacity_bps",
    "idle_gap_available_bps",
    "router_capacity_bps",
    "router_rate_bps",
    "router_standing_bytes",
  ],
  flow: ["cwnd", "ssthresh", "srtt_s", "rate_bps", "delivered_bytes"],
};

/** A run as the animation reads it. */
export interface SceneData {
  data: Data;
  tables: Map<string, Table>;
}

export interface Ends {
  src: number;
  dst: number;
  transport: string;
}

/** Columns that grow. */
class Columns<K extends string> {
  readonly lists: Record<K, number[]>;

  constructor(...names: K[]) {
    this.lists = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>;
  }

  push(row: Record<K, number>): void {
    for (const name in row) this.lists[name].push(row[name]);
  }

  table(): Table {
    return Object.fromEntries(Object.entries<number[]>(this.lists).map(([name, list]) => [name, Float64Array.from(list)]));
  }
}

/** Reads rows as they come, in order of time. */
export class SceneBuilder {
  private readonly frames = new Columns("t", "air", "from", "to", "kind", "flow", "seq", "marks", "fate");
  private readonly drops = new Columns("t", "node", "reason", "kind", "flow", "seq");
  private readonly news = new Columns("t", "node", "peer", "what");
  private readonly timeouts = new Columns("t", "node", "flow");
  private readonly states = {
    queues: new Changes(STATE_US),
    congested: new Changes(STATE_US),
    parked: new Changes(STATE_US),
    stores: new Changes(STATE_US),
    radios: new Changes(STATE_US),
    proxies: new Changes(STATE_US),
  };
  private readonly hops = new Changes(STATE_US);
  private readonly stamps = new Changes(STAMP_US);
  private readonly kinds = [...KINDS];
  private readonly last = new Map<number, number>();

  constructor(private readonly flows: Ends[]) {}

  get size(): number {
    return this.frames.lists.t.length;
  }

  read(rows: Float64Array, names: Names): void {
    const width = names.columns.length;
    const at = Object.fromEntries(names.columns.map((name, i) => [name, i]));
    for (let from = 0; from < rows.length; from += width) {
      const code = (name: string) => rows[from + at[name]];
      const named = (name: string, list: string[]) => list[code(name)] ?? "";
      this.row(code, named("event", names.events), named("frame", names.frames), named("packet", names.packets), named("reason", names.reasons));
    }
  }

  private row(value: (name: string) => number, event: string, frame: string, packet: string, reason: string): void {
    const t = Math.floor(value("t") / 1000);
    const [node, peer, flow, seq] = [value("node"), value("peer"), value("flow"), value("seq")];
    switch (event) {
      case "frame_sent": {
        const kind = this.kind(frame === "data" ? packet : frame === "ack" ? "mac_ack" : frame);
        this.last.set(node, this.size);
        const marks = value("congested") + 2 * value("is_retransmission");
        this.frames.push({ t, air: Math.floor(value("airtime") / 1000), from: node, to: peer, kind, flow, seq, marks, fate: 0 });
        return;
      }
      case "frame_received":
      case "frame_accepted":
      case "frame_lost": {
        // A node transmits one frame at a time: an outcome belongs to the last one that its sender started.
        const sent = this.last.get(peer);
        if (sent !== undefined && this.frames.lists.to[sent] === node) this.frames.lists.fate[sent] = event === "frame_lost" ? FATES.indexOf(reason) : 1;
        return;
      }
      case "enqueued":
      case "dequeued":
        this.states.queues.set(node, t, { node, value: value("value") });
        return;
      case "handshake":
        if (reason === "congested" || reason === "uncongested") this.states.congested.set(node, t, { node, value: Number(reason === "congested") });
        else if (reason === "parked" || reason === "unparked") this.states.parked.set(node, t, { node, value: reason === "parked" ? peer : -2 });
        else if (NEWS.includes(reason)) this.news.push({ t, node, peer, what: NEWS.indexOf(reason) });
        return;
      case "proxy_accepted":
      case "proxy_released":
        this.states.stores.set(node, t, { node, value: value("value") });
        return;
      case "switched":
        this.states.radios.set(node, t, { node, value: value("value") });
        return;
      case "proxy_switched":
        this.states.proxies.set(node, t, { node, value: value("value") });
        return;
      case "forwarded":
        if (CARRIED.has(packet) || packet === "ack") this.hop(t, node, flow, Number(packet === "ack"), peer);
        return;
      case "route_lost":
        this.flows.forEach(({ src, dst }, id) => {
          if (peer === src || peer === dst) this.hop(t, node, id, Number(peer === src), -1);
        });
        return;
      case "stamped":
        if (CARRIED.has(packet)) this.stamps.set(flow * 1e6 + node, t, { node, flow, header: HEADERS.indexOf(reason), value: value("value") });
        return;
      case "dropped":
        this.drops.push({ t, node, reason: this.reason(reason), kind: this.kind(packet), flow, seq });
        return;
      case "timeout":
        this.timeouts.push({ t, node, flow });
    }
  }

  private readonly reasons: string[] = [];

  private reason(name: string): number {
    const words = name.replaceAll("_", " ");
    if (!this.reasons.includes(words)) this.reasons.push(words);
    return this.reasons.indexOf(words);
  }

  private kind(name: string): number {
    if (!this.kinds.includes(name)) this.kinds.push(name);
    return this.kinds.indexOf(name);
  }

  private hop(t: number, node: number, flow: number, back: number, next: number): void {
    this.hops.set((flow * 2 + back) * 1e6 + node, t, { node, flow, back, next });
  }

  /** The scene up to `end_s`. */
  finish(recording: Recording, resolved: Resolved, seed: number, end_s: number, run_s: number): SceneData {
    const tables = new Map<string, Table>();
    const legs = new Columns("node", "t0", "x0", "y0", "t1", "x1", "y1");
    recording.trajectories.forEach((trajectory, node) => {
      for (const [t0, x0, y0, t1, x1, y1] of trajectory.legs) legs.push({ node, t0, x0, y0, t1, x1, y1 });
    });
    const starts = recording.trajectories.map(({ start }) => start);
    tables.set("starts", { x: Float64Array.from(starts, ([x]) => x), y: Float64Array.from(starts, ([, y]) => y) });
    tables.set("legs", legs.table());
    tables.set("frames", this.frames.table());
    for (const [name, changes] of Object.entries(this.states)) tables.set(name, changes.table(["node", "value"], "value"));
    tables.set("hops", this.hops.table(["node", "flow", "back", "next"], "next"));
    tables.set("stamps", this.stamps.table(["node", "flow", "header", "value"], "value"));
    tables.set("drops", this.drops.table());
    tables.set("news", this.news.table());
    tables.set("timeouts", this.timeouts.table());
    const metrics = samples(recording, tables, end_s);
    const queue = resolved.scenario["queue"] as { limit: number };
    const data: Data = {
      format: 1,
      seed,
      begin_s: 0,
      end_s,
      run_s,
      reach_m: resolved.facts.rx_range_m,
      cs_range_m: resolved.facts.cs_range_m,
      queue_limit: queue.limit,
      flows: this.flows,
      names: { kinds: this.kinds, fates: FATES, headers: HEADERS, news: NEWS, reasons: this.reasons },
      metrics,
      tables: [],
      deflated: "",
    };
    return { data, tables };
  }
}

/** Sampled values as tables, an entity after the other; of delivered bytes the rate over the last second. */
function samples(recording: Recording, tables: Map<string, Table>, end_s: number): Data["metrics"] {
  const times = [...new Set(recording.samples.map(([t]) => t))].filter((t) => t <= end_s * 1e9).sort((a, b) => a - b);
  const place = new Map(times.map((t, i) => [t, i]));
  const moments = Float64Array.from(times, (t) => Math.floor(t / 1000));
  tables.set("moments", { t: moments });
  const grids = new Map<string, Map<number, Float64Array>>();
  for (const [t, metric, node, flow, value] of recording.samples) {
    const of = METRICS.node.includes(metric) ? node : METRICS.flow.includes(metric) ? flow : null;
    const column = place.get(t);
    if (of === null || column === undefined) continue;
    const grid = grids.get(metric) ?? new Map<number, Float64Array>();
    grids.set(metric, grid);
    if (!grid.has(of)) grid.set(of, new Float64Array(times.length).fill(NaN));
    grid.get(of)![column] = value;
  }
  const metrics: Data["metrics"] = [];
  for (const of of ["node", "flow"] as const)
    for (const metric of METRICS[of]) {
      const grid = grids.get(metric);
      if (!grid) continue;
      const entities = [...grid.keys()].sort((a, b) => a - b);
      const is = metric === "delivered_bytes";
      const rows = entities.map((entity) => (is ? rates(grid.get(entity)!, moments) : grid.get(entity)!));
      const value = new Float64Array(entities.length * times.length);
      rows.forEach((row, i) => value.set(row, i * times.length));
      const name = is ? "goodput_bps" : metric;
      metrics.push({ name, of, entities });
      tables.set(`samples:${name}`, { value });
    }
  return metrics;
}

function rates(totals: Float64Array, moments: Float64Array): Float64Array {
  const found = new Float64Array(totals.length).fill(NaN);
  let then = 0;
  for (let now = 1; now < totals.length; now += 1) {
    while (then + 1 < now && moments[then + 1] <= moments[now] - RATE_US) then += 1;
    found[now] = ((totals[now] - totals[then]) * 8e6) / (moments[now] - moments[then]);
  }
  return found;
}
