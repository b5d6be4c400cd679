// One run, decoded and indexed by node and flow. Times in s, lengths in m.
import { inflate, unpack } from "./columns.ts";
import type { Table, TableLayout } from "./columns.ts";
import { exchangesOf } from "./exchanges.ts";
import type { Exchange } from "./exchanges.ts";
import { Trajectories } from "./trajectories.ts";
import type { Legs } from "./trajectories.ts";
import { Steps, lastAt, stepsBy } from "./steps.ts";

export interface Flow {
  src: number;
  dst: number;
  transport: string;
}

/** A wire: its ends, and rate (bit/s) and delay (s) from the first end, and back. */
export interface Wire {
  ends: [number, number];
  rate_bps: [number, number];
  delay_s: [number, number];
}

export interface Data {
  format: number;
  seed: number;
  begin_s: number;
  end_s: number;
  run_s: number;
  reach_m: number;
  cs_range_m: number;
  /** Smallest ratio of an interferer's distance to the sender's at which a frame is captured. */
  capture_margin?: number;
  /** Name of the run, where two are shown. */
  title?: string;
  /** A second run on the same clock. */
  beside?: Data;
  queue_limit: number;
  /** Names of the nodes that have one, by number. */
  node_names?: Record<string, string>;
  /** Nodes without a radio, which stand outside of the radios' area. */
  hosts?: number[];
  wires?: Wire[];
  /** Outcomes of packets on wires. */
  wire_fates?: string[];
  flows: Flow[];
  names: { kinds: string[]; fates: string[]; headers: string[]; news: string[]; reasons: string[]; categories?: string[]; channels?: number[] };
  metrics: { name: string; of: "node" | "flow"; entities: number[] }[];
  tables: TableLayout[];
  deflated: string;
}

/** All frames, one column per field: start `t` and airtime `air` in s, transmitter, receiver (-1: broadcast), ... */
export interface Frames {
  t: Float64Array;
  air: Float64Array;
  from: ArrayLike<number>;
  to: ArrayLike<number>;
  kind: ArrayLike<number>;
  flow: ArrayLike<number>;
  seq: ArrayLike<number>;
  marks: ArrayLike<number>;
  fate: ArrayLike<number>;
  /** Of `names.categories`, -1: none. Only in runs with access categories. */
  category?: ArrayLike<number>;
  /** Of `names.channels`, -1: not known. Only in runs with several channels. */
  channel?: ArrayLike<number>;
}

/** Packets on wires, one column per field: `t` in s, when transmission starts; `took` until arrival, in us, -1 without. */
export interface Wired {
  t: Float64Array;
  from: ArrayLike<number>;
  to: ArrayLike<number>;
  kind: ArrayLike<number>;
  flow: ArrayLike<number>;
  seq: ArrayLike<number>;
  bytes: ArrayLike<number>;
  took: ArrayLike<number>;
  fate: ArrayLike<number>;
}

export const CONGESTED = 1;
export const RETRANSMISSION = 2;

/** Sampled values of one entity; all metrics share `times`. */
export interface Series {
  times: number[];
  values: number[];
}

export interface Drop {
  t: number;
  node: number;
  reason: string;
  kind: string;
  flow: number;
  seq: number;
}

const FORMAT = 1;
const MICRO = 1e-6;

/** The access category of a frame, if the run has any and the frame one. */
export function categoryOf(scene: Scene, i: number): string | undefined {
  return scene.data.names.categories?.[scene.frames.category?.[i] ?? -1];
}

/** The channel of a frame, if the run has several and it is known. */
export function channelOf(scene: Scene, i: number): number | undefined {
  return scene.data.names.channels?.[scene.frames.channel?.[i] ?? -1];
}

export class Scene {
  readonly nodes: number;
  readonly trajectories: Trajectories;
  readonly frames: Frames;
  /** Longest airtime of a frame, in s. */
  readonly longest: number;
  readonly exchanges: Exchange[];
  readonly exchangeTimes: Float64Array;
  readonly longestExchange: number;
  readonly hosts: ReadonlySet<number>;
  readonly wires: Wire[];
  readonly wired: Wired | undefined;
  /** Longest time from the start of a packet's transmission on a wire to its arrival, in s. */
  readonly longestWired: number;
  /** Packets that wait at the ports of wires, by `port`. */
  private readonly ports: Map<number, Steps>;
  readonly queue: Map<number, Steps>;
  readonly congested: Map<number, Steps>;
  /** Congested neighbor for which a node parks its packet: -1 if unknown, -2 if not parked. */
  readonly parked: Map<number, Steps>;
  readonly store: Map<number, Steps>;
  readonly radio: Map<number, Steps>;
  readonly proxy: Map<number, Steps>;
  readonly drops: Drop[];
  readonly news: Table;
  readonly timeouts: Table;
  readonly lostRoutes: { t: number; node: number; flow: number; back: boolean }[] = [];
  /** Next hop of each node, by flow and direction. */
  private readonly hops: Map<number, Steps>[];
  /** Last value each node wrote into the feedback header, by flow. */
  private readonly stamps: Map<number, Steps>[];
  private readonly headers = new Map<number, string>();
  /** Times at which each node sent data, by flow. */
  private readonly uses: Map<number, number[]>[];
  private readonly sampled = new Map<string, Map<number, Series>>();

  constructor(
    readonly data: Data,
    tables: Map<string, Table>,
  ) {
    if (data.format !== FORMAT) throw new Error(`data of format ${data.format}; this viewer reads format ${FORMAT}`);
    const table = (name: string): Table => {
      const found = tables.get(name);
      if (!found) throw new Error(`no table ${name} in the data`);
      for (const key of ["t", "air"]) if (found[key]) found[key] = Float64Array.from(found[key], (us) => us * MICRO);
      return found;
    };
    const starts = table("starts");
    this.nodes = starts["x"].length;
    this.trajectories = new Trajectories(starts["x"], starts["y"], table("legs") as unknown as Legs);
    this.frames = table("frames") as unknown as Frames;
    this.longest = this.frames.air.reduce((a, b) => Math.max(a, b), 0);
    this.exchanges = exchangesOf(this.frames, data.names.kinds, this.nodes);
    this.exchangeTimes = Float64Array.from(this.exchanges, (one) => one.t);
    this.longestExchange = this.exchanges.reduce((most, one) => Math.max(most, one.end - one.t), 0);
    this.hosts = new Set(data.hosts);
    this.wires = data.wires ?? [];
    this.wired = this.wires.length > 0 ? (table("wired") as unknown as Wired) : undefined;
    this.ports = new Map();
    if (this.wired) {
      const { t, node, peer, value } = table("ports");
      this.ports = stepsBy(t, Array.from(node, (one, i) => this.port(one, peer[i])), value);
    }
    this.longestWired = this.wired ? this.wired.t.reduce((most, _, i) => Math.max(most, this.timesOf(i).took), 0) : 0;
    const states = (name: string): Map<number, Steps> => {
      const { t, node, value } = table(name);
      return stepsBy(t, node, value);
    };
    this.queue = states("queues");
    this.congested = states("congested");
    this.parked = states("parked");
    this.store = states("stores");
    this.radio = states("radios");
    this.proxy = states("proxies");
    const hops = table("hops");
    this.hops = data.flows.flatMap(() => [new Map<number, Steps>(), new Map<number, Steps>()]);
    for (let i = 0; i < hops["t"].length; i += 1) {
      const [t, node, flow, back, next] = [hops["t"][i], hops["node"][i], hops["flow"][i], hops["back"][i], hops["next"][i]];
      const route = this.hops[2 * flow + back];
      if (!route) continue;
      if (!route.has(node)) route.set(node, new Steps());
      route.get(node)!.push(t, next);
      if (next < 0) this.lostRoutes.push({ t, node, flow, back: back === 1 });
    }
    this.uses = data.flows.map(() => new Map<number, number[]>());
    const carries = data.names.kinds.map((kind) => kind === "segment" || kind === "datagram");
    for (let i = 0; i < this.frames.t.length; i += 1) {
      const of = this.uses[this.frames.flow[i]];
      if (!of || !carries[this.frames.kind[i]]) continue;
      const times = of.get(this.frames.from[i]);
      if (times) times.push(this.frames.t[i]);
      else of.set(this.frames.from[i], [this.frames.t[i]]);
    }
    for (let i = 0; i < (this.wired?.t.length ?? 0); i += 1) {
      const { t, from, flow, kind } = this.wired!;
      const of = this.uses[flow[i]];
      if (!of || !carries[kind[i]]) continue;
      const times = of.get(from[i]);
      if (times) times.push(t[i]);
      else of.set(from[i], [t[i]]);
    }
    // A node may send data of a flow by radio and on a wire.
    if (this.wired) for (const of of this.uses) for (const times of of.values()) times.sort((a, b) => a - b);
    const stamps = table("stamps");
    this.stamps = data.flows.map(() => new Map<number, Steps>());
    for (let i = 0; i < stamps["t"].length; i += 1) {
      const [node, flow] = [stamps["node"][i], stamps["flow"][i]];
      const of = this.stamps[flow];
      if (!of) continue;
      if (!of.has(node)) of.set(node, new Steps());
      of.get(node)!.push(stamps["t"][i], stamps["value"][i]);
      this.headers.set(flow, data.names.headers[stamps["header"][i]] ?? "");
    }
    const drops = table("drops");
    this.drops = Array.from(drops["t"], (t, i) => ({
      t,
      node: drops["node"][i],
      reason: data.names.reasons[drops["reason"][i]] ?? "unknown reason",
      kind: data.names.kinds[drops["kind"][i]] ?? "packet",
      flow: drops["flow"][i],
      seq: drops["seq"][i],
    }));
    this.news = table("news");
    this.timeouts = table("timeouts");
    const moments = Array.from(table("moments")["t"]);
    for (const { name, entities } of data.metrics) {
      const { value } = table(`samples:${name}`);
      const rows = new Map<number, Series>();
      entities.forEach((entity, i) => {
        rows.set(entity, { times: moments, values: Array.from(value.subarray(i * moments.length, (i + 1) * moments.length)) });
      });
      this.sampled.set(name, rows);
    }
  }

  static async read(data: Data): Promise<Scene> {
    return new Scene(data, unpack(data.tables, await inflate(data.deflated)));
  }

  get begin(): number {
    return this.data.begin_s;
  }

  get end(): number {
    return this.data.end_s;
  }

  get flows(): Flow[] {
    return this.data.flows;
  }

  /** A node by its name, or its number. */
  label(node: number): string {
    return this.data.node_names?.[node] ?? String(node);
  }

  /** A node inside a sentence: its name, or "node" and its number. */
  word(node: number): string {
    return this.data.node_names?.[node] ?? `node ${node}`;
  }

  /** Packets that wait at the port of a wire, by its ends. */
  waiting(node: number, peer: number, t: number): number {
    return this.ports.get(this.port(node, peer))?.at(t, 0) ?? 0;
  }

  /** Packets that wait at a node: in the queue of its radio, and at its ports. */
  queued(node: number, t: number): number {
    let sum = this.queue.get(node)?.at(t, 0) ?? 0;
    for (const { ends } of this.wires)
      if (ends[0] === node || ends[1] === node) sum += this.waiting(node, ends[0] === node ? ends[1] : ends[0], t);
    return sum;
  }

  /** Times of a packet on a wire, in s: transmission, and until it arrives. */
  timesOf(i: number): { service: number; took: number } {
    const { from, to, bytes, took } = this.wired!;
    const wire = this.wires.find(({ ends }) => ends.includes(from[i]) && ends.includes(to[i]));
    const way = wire?.ends[0] === from[i] ? 0 : 1;
    const service = wire ? (8 * bytes[i]) / wire.rate_bps[way] : 0;
    return { service, took: took[i] >= 0 ? took[i] * MICRO : service + (wire?.delay_s[way] ?? 0) };
  }

  /** The queues of radios and ports. */
  queues(): Steps[] {
    return [...this.queue.values(), ...this.ports.values()];
  }

  private port(node: number, peer: number): number {
    return node * this.nodes + peer;
  }

  has(metric: string): boolean {
    return this.sampled.has(metric);
  }

  series(metric: string, entity: number): Series | undefined {
    return this.sampled.get(metric)?.get(entity);
  }

  /** Last sample of a metric up to `t`; NaN if there is none. */
  sample(metric: string, entity: number, t: number): number {
    const found = this.series(metric, entity);
    if (!found) return NaN;
    const at = lastAt(found.times, t);
    return at < 0 ? NaN : found.values[at];
  }

  /** Name of the feedback header in packets of a flow, if routers write one. */
  header(flow: number): string | undefined {
    return this.headers.get(flow);
  }

  /** Last value a node wrote into packets of a flow; NaN before the first. */
  stamp(flow: number, node: number, t: number): number {
    return this.stamps[flow]?.get(node)?.at(t, NaN) ?? NaN;
  }

  /** Route of a flow at `t`, from its next hops; ends at the first node without one. */
  path(flow: number, t: number, back = false): number[] {
    const { src, dst } = this.flows[flow];
    const [from, to] = back ? [dst, src] : [src, dst];
    const hops = this.hops[2 * flow + (back ? 1 : 0)];
    const path = [from];
    let here = from;
    while (here !== to) {
      here = hops.get(here)?.at(t, -1) ?? -1;
      if (here < 0 || path.includes(here)) break;
      path.push(here);
    }
    return path;
  }

  /** Time since a node last sent data of a flow, in s; Infinity before the first. */
  unused(flow: number, node: number, t: number): number {
    const times = this.uses[flow]?.get(node);
    const at = times ? lastAt(times, t) : -1;
    return times && at >= 0 ? t - times[at] : Infinity;
  }

  /** Whether a node acts as a proxy in this run. */
  isProxy(node: number): boolean {
    return this.store.has(node);
  }
}
