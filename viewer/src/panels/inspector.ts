// The inspector: what is known of a node, or of a frame and the packet in it.
import type { Scene } from "../data/scene.ts";
import { RETRANSMISSION, categoryOf, channelOf } from "../data/scene.ts";
import { lastAt } from "../data/steps.ts";
import { kindName, quantity } from "./event_text.ts";
import { wireWords } from "../draw/wires.ts";
import { element } from "./dom.ts";

export type Target = { of: "node" | "frame"; id: number } | null;

/** Frames of one packet that are listed. */
const HOPS = 8;

const FATES: Record<string, string> = {
  arrived: "received",
  collision: "lost in a collision",
  undecodable: "lost: too weak, or the node was transmitting",
  busy: "lost: the receiver was busy",
  duplicate: "received, a duplicate",
  noise: "lost to noise",
  unheard: "not detected",
};

/** Rows of name and value. */
export function factsOf(scene: Scene, target: NonNullable<Target>, t: number): [string, string][] {
  return target.of === "node" ? ofNode(scene, target.id, t) : ofFrame(scene, target.id);
}

function ofNode(scene: Scene, node: number, t: number): [string, string][] {
  const isHost = scene.hosts.has(node);
  const queue = scene.queue.get(node)?.at(t, 0) ?? 0;
  const rows: [string, string][] = isHost ? [] : [["queue", `${queue} of ${scene.data.queue_limit} packets`]];
  for (const { ends, rate_bps, delay_s } of scene.wires) {
    if (!ends.includes(node)) continue;
    const [peer, way] = ends[0] === node ? [ends[1], 0] : [ends[0], 1];
    rows.push([`wire to ${scene.label(peer)}`, `${wireWords(rate_bps[way], delay_s[way])}, ${scene.waiting(node, peer, t)} packets wait`]);
  }
  const ends = scene.flows.flatMap((flow, i) => (flow.src === node ? [`source of flow ${i}`] : flow.dst === node ? [`sink of flow ${i}`] : []));
  const relays = scene.flows.flatMap((_, i) => (scene.path(i, t).slice(1, -1).includes(node) ? [`relay of flow ${i}`] : []));
  if (ends.length + relays.length > 0) rows.push(["role", [...ends, ...relays].join(", ")]);
  if ((scene.radio.get(node)?.at(t, 1) ?? 1) === 0) rows.push(["radio", "off"]);
  if ((scene.congested.get(node)?.at(t, 0) ?? 0) > 0) rows.push(["state", "congested"]);
  const idle = scene.sample("idle_share", node, t);
  if (!Number.isNaN(idle)) rows.push(["idle share", quantity(idle, "share")]);
  if (isHost) return rows;
  const { frames } = scene;
  let [sent, lost] = [0, 0];
  for (let i = lastAt(frames.t, t); i >= 0 && frames.t[i] > t - 1; i -= 1) {
    if (frames.from[i] !== node) continue;
    sent += 1;
    if (isLost(scene, i)) lost += 1;
  }
  rows.push(["last second", `${sent} frames sent, ${lost} of them lost`]);
  return rows;
}

function ofFrame(scene: Scene, i: number): [string, string][] {
  const { frames, data, flows } = scene;
  const rows: [string, string][] = [
    ["TA", scene.word(frames.from[i])],
    ["RA", frames.to[i] < 0 ? "broadcast" : scene.word(frames.to[i])],
    ["on the air", `${frames.t[i].toFixed(6)} s, for ${Math.round(frames.air[i] * 1e6)} us`],
    ["outcome", frames.to[i] < 0 ? "broadcast" : (FATES[data.names.fates[frames.fate[i]]] ?? data.names.fates[frames.fate[i]])],
  ];
  const category = categoryOf(scene, i);
  if (category) rows.push(["category", category]);
  const channel = channelOf(scene, i);
  if (channel !== undefined) rows.push(["channel", String(channel)]);
  const flow = flows[frames.flow[i]];
  if (!flow) return rows;
  const marks = (frames.marks[i] & RETRANSMISSION) !== 0 ? ", retransmission" : "";
  rows.push(["packet", `${kindName(data.names.kinds[frames.kind[i]])} ${frames.seq[i]} of flow ${frames.flow[i]}${marks}`]);
  rows.push(["from, to", `${scene.word(flow.src)} to ${scene.word(flow.dst)}, ${flow.transport}`]);
  const header = scene.header(frames.flow[i]);
  const value = scene.stamp(frames.flow[i], frames.from[i], frames.t[i]);
  if (header && !Number.isNaN(value)) rows.push([`header ${header}`, String(value)]);
  const steps = sameContent(scene, i).map((j) => `${scene.label(frames.from[j])} to ${scene.label(frames.to[j])}${isLost(scene, j) ? " (lost)" : ""}`);
  const more = steps.length > HOPS ? ` and ${steps.length - HOPS} more` : "";
  rows.push(["sent", `${steps.slice(0, HOPS).join(", ")}${more}`]);
  return rows;
}

/** Frames that carried the same packet, in order of time. */
export function sameContent(scene: Scene, i: number): number[] {
  const { frames } = scene;
  const found: number[] = [];
  for (let j = 0; j < frames.t.length; j += 1)
    if (frames.flow[j] === frames.flow[i] && frames.seq[j] === frames.seq[i] && frames.kind[j] === frames.kind[i]) found.push(j);
  return found;
}

function isLost(scene: Scene, i: number): boolean {
  const fate = scene.data.names.fates[scene.frames.fate[i]];
  return scene.frames.to[i] >= 0 && fate !== "arrived" && fate !== "duplicate";
}

export class Inspector {
  readonly box = element("div", { class: "v-inspector" });
  private shown = "";

  /** Shows a target of one run; `pinned` says how to release it. */
  show(scene: Scene, target: Target, t: number, pinned: boolean): void {
    const rows = target ? factsOf(scene, target, t) : [];
    const title = target ? titleOf(scene, target) : "Point at a node or a frame";
    const key = `${title}${pinned}${rows.join()}`;
    if (key === this.shown) return;
    this.shown = key;
    const table = element("dl");
    for (const [name, value] of rows) table.append(element("dt", {}, name), element("dd", {}, value));
    this.box.replaceChildren(element("p", { class: "v-heading" }, title, pinned ? " (Escape releases)" : ""), table);
  }
}

function titleOf(scene: Scene, target: NonNullable<Target>): string {
  if (target.of === "node") return scene.data.node_names?.[target.id] ?? `Node ${target.id}`;
  return `${kindName(scene.data.names.kinds[scene.frames.kind[target.id]])} frame`;
}
