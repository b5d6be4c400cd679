// Events of the run as sentences, for the list beside the picture and for screen readers.
import { channelOf } from "../data/scene.ts";
import type { Scene } from "../data/scene.ts";

export interface Line {
  t: number;
  text: string;
}

const NEWS: Record<string, (node: string, peer: string) => string> = {
  refused: (node, peer) => `${node}: RTS refused by congested ${peer}`,
  reused: (node, peer) => `congested ${node} responds to ${peer} with an RTS of its own`,
  silent: (node, peer) => `congested ${node} does not respond to the RTS of ${peer}`,
  resolved: (node, peer) => `congested ${node} accepts a packet of ${peer} to resolve a deadlock`,
};

/** Drops, congestion, timeouts, route losses and failures, in order of time. */
export function lines(scene: Scene): Line[] {
  const found: Line[] = [];
  for (const drop of scene.drops) {
    const whose = drop.flow >= 0 ? ` of flow ${drop.flow}` : "";
    const which = drop.seq >= 0 && drop.flow >= 0 ? ` ${drop.seq}` : "";
    found.push({ t: drop.t, text: `${scene.word(drop.node)} drops ${kindName(drop.kind)}${which}${whose}: ${drop.reason}` });
  }
  for (const [node, steps] of scene.congested)
    steps.times.forEach((t, i) => {
      if (steps.values[i] > 0 || i > 0) found.push({ t, text: `${scene.word(node)} is ${steps.values[i] ? "congested" : "no longer congested"}` });
    });
  for (const [node, steps] of scene.parked)
    steps.times.forEach((t, i) => {
      const by = steps.values[i];
      if (by !== -2) found.push({ t, text: `${scene.word(node)} parks its packet${by >= 0 ? ` for ${scene.word(by)}` : ""}` });
    });
  const { news, timeouts } = scene;
  for (let i = 0; i < news["t"].length; i += 1) {
    const sentence = NEWS[scene.data.names.news[news["what"][i]]];
    if (sentence) found.push({ t: news["t"][i], text: sentence(scene.word(news["node"][i]), scene.word(news["peer"][i])) });
  }
  for (let i = 0; i < timeouts["t"].length; i += 1)
    found.push({ t: timeouts["t"][i], text: `flow ${timeouts["flow"][i]}: RTO expires at ${scene.word(timeouts["node"][i])}` });
  for (const { t, node, flow, back } of scene.lostRoutes)
    found.push({ t, text: `${scene.word(node)} loses its route to ${scene.word(back ? scene.flows[flow].src : scene.flows[flow].dst)}` });
  for (const [node, steps] of scene.radio)
    steps.times.forEach((t, i) => found.push({ t, text: `radio of ${scene.word(node)} switched ${steps.values[i] ? "on" : "off"}` }));
  for (const [node, steps] of scene.proxy)
    steps.times.forEach((t, i) => found.push({ t, text: `proxy of ${scene.word(node)} ${steps.values[i] ? "recovers" : "fails"}` }));
  const sorted = found.sort((a, b) => a.t - b.t);
  // Several flows may share one lost route.
  return sorted.filter((line, i) => i === 0 || line.text !== sorted[i - 1].text || line.t !== sorted[i - 1].t);
}

/** Describes a frame. */
export function frameText(scene: Scene, i: number): string {
  const { frames } = scene;
  const kind = scene.data.names.kinds[frames.kind[i]] ?? "frame";
  const to = frames.to[i] < 0 ? "all (broadcast)" : scene.word(frames.to[i]);
  const name = kindName(kind);
  const which = frames.flow[i] >= 0 ? ` ${frames.seq[i]} of flow ${frames.flow[i]}` : "";
  const channel = channelOf(scene, i);
  return `${name}${which}, ${scene.word(frames.from[i])} to ${to}${channel === undefined ? "" : `, channel ${channel}`}`;
}

/** Display name of a frame or packet type. */
export function kindName(kind: string): string {
  return KINDS[kind] ?? kind;
}

const KINDS: Record<string, string> = {
  rts: "RTS",
  cts: "CTS",
  mac_ack: "MAC ACK",
  ack: "transport ACK",
  lack: "LACK",
  rreq: "RREQ",
  rrep: "RREP",
  rerr: "RERR",
  hello: "Hello",
  dsdv: "DSDV update",
  olsr: "OLSR packet",
  arp_request: "ARP request",
  arp_reply: "ARP reply",
};

/** Formats a number with its unit. */
export function quantity(value: number, unit: string): string {
  if (Number.isNaN(value)) return "\u2013";
  if (unit === "bit/s") {
    const [scale, name] = Math.abs(value) >= 1e6 ? [1e6, "Mb/s"] : [1e3, "kb/s"];
    return `${short(value / scale)} ${name}`;
  }
  if (unit === "s") return `${short(value * 1e3)} ms`;
  if (unit === "share") return `${Math.round(value * 100)} %`;
  return unit ? `${short(value)} ${unit}` : short(value);
}

function short(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}
