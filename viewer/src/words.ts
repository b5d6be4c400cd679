// What happens, as sentences: the list beside the picture, which a screen reader reads too.
import type { Scene } from "./scene.ts";

export interface Line {
  t: number;
  text: string;
}

const NEWS: Record<string, (node: number, peer: number) => string> = {
  refused: (node, peer) => `node ${node}: its request is refused by congested node ${peer}`,
  reused: (node, peer) => `congested node ${node} answers node ${peer} with a request of its own`,
  silent: (node, peer) => `congested node ${node} leaves a request of node ${peer} unanswered`,
  resolved: (node, peer) => `congested node ${node} has taken a packet of node ${peer}, to end a deadlock`,
};

/** Everything worth a sentence, in order of time. */
export function lines(scene: Scene): Line[] {
  const found: Line[] = [];
  for (const drop of scene.drops) {
    const whose = drop.flow >= 0 ? ` of flow ${drop.flow}` : "";
    const which = drop.seq >= 0 && drop.flow >= 0 ? ` ${drop.seq}` : "";
    found.push({ t: drop.t, text: `node ${drop.node} drops ${kindWords(drop.kind)}${which}${whose}: ${drop.reason}` });
  }
  for (const [node, steps] of scene.congested)
    steps.times.forEach((t, i) => {
      if (steps.values[i] > 0 || i > 0) found.push({ t, text: `node ${node} is ${steps.values[i] ? "congested" : "congested no longer"}` });
    });
  for (const [node, steps] of scene.parked)
    steps.times.forEach((t, i) => {
      const by = steps.values[i];
      if (by !== -2) found.push({ t, text: `node ${node} holds its packet back${by >= 0 ? ` for node ${by}` : ""}` });
    });
  const { news, timeouts } = scene;
  for (let i = 0; i < news["t"].length; i += 1) {
    const say = NEWS[scene.data.names.news[news["what"][i]]];
    if (say) found.push({ t: news["t"][i], text: say(news["node"][i], news["peer"][i]) });
  }
  for (let i = 0; i < timeouts["t"].length; i += 1)
    found.push({ t: timeouts["t"][i], text: `flow ${timeouts["flow"][i]}: the retransmission timer of node ${timeouts["node"][i]} ends` });
  for (const { t, node, flow, back } of scene.lostRoutes)
    found.push({ t, text: `node ${node} has lost its route to node ${back ? scene.flows[flow].src : scene.flows[flow].dst}` });
  for (const [node, steps] of scene.radio)
    steps.times.forEach((t, i) => found.push({ t, text: `node ${node} is switched ${steps.values[i] ? "on" : "off"}` }));
  for (const [node, steps] of scene.proxy)
    steps.times.forEach((t, i) => found.push({ t, text: `the proxy of node ${node} ${steps.values[i] ? "works again" : "fails"}` }));
  const sorted = found.sort((a, b) => a.t - b.t);
  // One lost route concerns several flows.
  return sorted.filter((line, i) => i === 0 || line.text !== sorted[i - 1].text || line.t !== sorted[i - 1].t);
}

/** A frame as words. */
export function frameWords(scene: Scene, i: number): string {
  const { frames } = scene;
  const kind = scene.data.names.kinds[frames.kind[i]] ?? "frame";
  const to = frames.to[i] < 0 ? "everybody" : `node ${frames.to[i]}`;
  const name = kindWords(kind);
  const which = frames.flow[i] >= 0 ? ` ${frames.seq[i]} of flow ${frames.flow[i]}` : "";
  return `${name}${which}, node ${frames.from[i]} to ${to}`;
}

/** A kind of frame or packet as people write it. */
export function kindWords(kind: string): string {
  return KINDS[kind] ?? kind;
}

const KINDS: Record<string, string> = {
  rts: "RTS",
  cts: "CTS",
  mac_ack: "ACK of the MAC",
  ack: "acknowledgment",
  lack: "local acknowledgment",
  rreq: "RREQ",
  rrep: "RREP",
  rerr: "RERR",
  hello: "Hello",
  dsdv: "DSDV update",
  arp_request: "ARP request",
  arp_reply: "ARP reply",
};

/** A number with its unit, short. */
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
