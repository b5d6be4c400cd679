// What a run shows, in sentences: those of python/hoplab/explain about flows, drops, collisions and retransmissions.
// A test compares both (tests/python/report/test_lab.py).
import { Interference } from "./interference.ts";
import { counted, duration, rounded } from "./words.ts";
import type { Names, Recording, Resolved } from "../engine.ts";
import type { Report } from "../worker.ts";

/** Airtime categories that the sentence about a node sums. */
const GROUPS = {
  transmitting: ["data", "broadcast", "rts", "cts", "ack"],
  receiving: ["received"],
  deferring: ["overheard", "reserved"],
  lost: ["collision", "eifs"],
  idle: ["idle", "off"],
};
type Group = keyof typeof GROUPS;

const REASONS: Record<string, string> = {
  mac_retry: "MAC retry limit",
  link_failure: "purged after link failure",
  queue_full: "queue overflow",
  arp: "ARP failed",
  no_route: "no route",
  route_timeout: "route discovery timeout",
  route_buffer: "send buffer overflow",
  ttl: "TTL expired",
  early: "dropped by the queue discipline",
};
const KINDS: Record<string, string> = { segment: "segments", datagram: "datagrams", ack: "ACKs", lack: "local ACKs" };
const DATA = ["segment", "datagram"];
/** Places and pairs that a sentence names. */
const MOST = 3;

interface Account {
  created: number;
  /** Dropped packets by node and reason. */
  dropped: Map<string, number>;
}

/** Drops of a flow's segments, and retransmissions, by sequence number. */
interface Repairs {
  dropped: [seq: number, t: number][];
  again: Map<number, number[]>;
}

/** Reads the rows of a run as they come, in order of time. */
export class Explainer {
  private readonly accounts = new Map<string, Account>();
  private readonly steps = new Map<number, Map<string, number>>();
  private readonly repairs = new Map<number, Repairs>();
  private readonly interference = new Interference();

  read(rows: Float64Array, names: Names): void {
    const width = names.columns.length;
    const at = Object.fromEntries(names.columns.map((name, i) => [name, i]));
    for (let from = 0; from < rows.length; from += width) {
      const value = (name: string) => rows[from + at[name]];
      const event = names.events[value("event")];
      if (event === "frame_sent" || event === "frame_lost")
        this.interference.read({
          t_s: value("t") / 1e9,
          airtime_s: Math.max(value("airtime"), 0) / 1e9,
          sent: event === "frame_sent",
          node: value("node"),
          peer: value("peer"),
          flow: value("flow"),
          frame: names.frames[value("frame")] ?? "",
          collided: names.reasons[value("reason")] === "collision",
        });
      else if (value("flow") >= 0) this.packet(event, value, names);
    }
  }

  private packet(event: string, value: (name: string) => number, names: Names): void {
    const [node, flow, seq, t] = [value("node"), value("flow"), value("seq"), value("t")];
    const kind = names.packets[value("packet")] ?? "";
    if (event === "originated" || event === "dropped") {
      const key = `${flow} ${kind}`;
      const account = this.accounts.get(key) ?? { created: 0, dropped: new Map<string, number>() };
      this.accounts.set(key, account);
      if (event === "originated") account.created += 1;
      else {
        count(account.dropped, `${node} ${names.reasons[value("reason")]}`);
        if (kind === "segment" && seq >= 0) this.repair(flow).dropped.push([seq, t]);
      }
    } else if (event === "forwarded" && DATA.includes(kind)) {
      const steps = this.steps.get(flow) ?? new Map<string, number>();
      this.steps.set(flow, steps);
      count(steps, `${node} ${value("peer")}`);
    } else if (event === "segment_sent" && value("is_retransmission") > 0) {
      const { again } = this.repair(flow);
      again.set(seq, [...(again.get(seq) ?? []), t]);
    }
  }

  private repair(flow: number): Repairs {
    const found = this.repairs.get(flow) ?? { dropped: [], again: new Map<number, number[]>() };
    this.repairs.set(flow, found);
    return found;
  }

  /** The diagnosis, one sentence per item. */
  sentences(report: Report, recording: Recording, resolved: Resolved): string[] {
    const { trajectories } = recording;
    const isMoving = trajectories.some(({ legs }) => legs.length > 0);
    const queues = meanQueues(recording);
    const flows = report.flows.filter(({ workload }) => workload === undefined || workload === null);
    return [
      ...flows.flatMap((flow) => this.ofFlow(flow, report, queues, isMoving)),
      ...this.interference.sentences(trajectories, resolved),
      ...[...this.repairs.keys()].sort((a, b) => a - b).flatMap((flow) => this.ofRepairs(flow)),
    ];
  }

  private ofFlow({ id, src, dst, transport, goodput_bps }: Report["flows"][number], report: Report, queues: Map<number, number>, isMoving: boolean): string[] {
    const path = this.path(id, src);
    const hops = path.length > 1 ? `, ${isMoving ? "mostly " : ""}${counted(path.length - 1, "hop")}` : "";
    const sentences = [`Flow ${id} (${transport}, ${src} to ${dst}${hops}): goodput ${(goodput_bps / 1e3).toFixed(1)} kb/s.`];
    const share = (node: number, group: Group) => GROUPS[group].reduce((sum, use) => sum + (report.airtime[node][use] ?? 0), 0) / report.sim_s;
    const queue = (node: number) => queues.get(node) ?? 0;
    const node = path.reduce((least, one) => {
      const [a, b] = [share(one, "idle"), share(least, "idle")];
      return a < b || (a === b && queue(one) > queue(least)) ? one : least;
    });
    const percent = (group: Group) => `${(100 * share(node, group)).toFixed(0)} %`;
    sentences.push(
      `Bottleneck: node ${node}; idle ${percent("idle")} of the time, mean queue ${queue(node).toFixed(1)} packets.`,
      `Node ${node}: transmit ${percent("transmitting")}, receive ${percent("receiving")}, defer ${percent("deferring")}, collisions and EIFS ${percent("lost")}.`,
    );
    for (const [kind, name] of Object.entries(KINDS)) {
      const account = this.accounts.get(`${id} ${kind}`);
      if (account && account.dropped.size > 0) sentences.push(ofAccount(account, name));
    }
    return sentences;
  }

  /** Nodes that most of a flow's data passed, from its source on. */
  private path(flow: number, source: number): number[] {
    const next = new Map<number, number>();
    const steps = [...(this.steps.get(flow) ?? [])].sort(([, a], [, b]) => a - b);
    for (const [step] of steps) {
      const [node, peer] = step.split(" ").map(Number);
      next.set(node, peer);
    }
    const path = [source];
    for (let after = next.get(source); after !== undefined && after >= 0 && !path.includes(after); after = next.get(after)) path.push(after);
    return path;
  }

  private ofRepairs(flow: number): string[] {
    const { dropped, again } = this.repair(flow);
    const delays = dropped.flatMap(([seq, t]) => {
      const sent = again.get(seq)?.find((time) => time >= t);
      return sent === undefined ? [] : [(sent - t) / 1e9];
    });
    if (delays.length === 0) return [];
    delays.sort((a, b) => a - b);
    const median = delays[Math.min(Math.trunc(delays.length / 2), delays.length - 1)];
    return [`Flow ${flow} retransmitted ${delays.length} of ${dropped.length} dropped ${dropped.length === 1 ? "segment" : "segments"}; median delay ${duration(median)}.`];
  }
}

function ofAccount({ created, dropped }: Account, kind: string): string {
  const places = [...dropped]
    .map(([key, lost]) => ({ node: Number(key.split(" ")[0]), reason: key.split(" ")[1], lost }))
    .sort((a, b) => b.lost - a.lost || a.node - b.node);
  const lost = places.reduce((sum, place) => sum + place.lost, 0);
  const shown = places.slice(0, MOST);
  const rest = lost - shown.reduce((sum, place) => sum + place.lost, 0);
  const where = shown.map((place) => `${place.lost} at node ${place.node} (${REASONS[place.reason] ?? place.reason})`).join(", ");
  return `Dropped: ${lost} of ${created} ${kind} (${rounded((100 * lost) / created, 2)} %); ${where}${rest > 0 ? `, ${rest} elsewhere` : ""}.`;
}

function meanQueues({ samples }: Recording): Map<number, number> {
  const sums = new Map<number, [sum: number, n: number]>();
  for (const [, metric, node, , value] of samples) {
    if (metric !== "queue_len" || node === null) continue;
    const [sum, n] = sums.get(node) ?? [0, 0];
    sums.set(node, [sum + value, n + 1]);
  }
  return new Map([...sums].map(([node, [sum, n]]) => [node, sum / n]));
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}
