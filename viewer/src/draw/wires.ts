// Draws wires, the packets on them, and those that wait at their ports. A packet is as long as the part of the wire that
// it fills: the wire's delay is its length, and the packet's transmission time that of the packet.
import { lastAt } from "../data/steps.ts";
import { crossed, mark, text } from "./marks.ts";
import { pile } from "./nodes.ts";
import { STYLES, WARNING, styleOf } from "./styles.ts";
import { shows } from "./view.ts";
import type { View } from "./view.ts";

/** At most this many packets; the latest are drawn. */
const MAX_PACKETS = 160;
/** Distance of a direction's packets from the middle of the wire, in px. */
const LANE = 5;
/** A shorter wire, in px, has no words. */
const WORDY = 105;

/** Where a packet on a wire is, as shares of the wire. */
export interface Stretch {
  tail: number;
  head: number;
}

/** The stretch of a packet `since` s after its transmission starts, which takes `service` of the `took` s until it arrives; null if it has. */
export function stretchAt(since: number, service: number, took: number): Stretch | null {
  if (since < 0 || since >= took) return null;
  const flight = took - service;
  if (flight <= 0) return { tail: 0, head: 1 };
  return { tail: Math.max((since - service) / flight, 0), head: Math.min(since / flight, 1) };
}

export function drawWires(ctx: CanvasRenderingContext2D, view: View): void {
  const { scene, px, py, paper } = view;
  for (const wire of scene.wires) {
    const [a, b] = wire.ends;
    ctx.setLineDash([]);
    for (const [color, width] of [
      [paper.soft, 5],
      [paper.paper, 2.4],
    ] as const) {
      ctx.strokeStyle = color;
      ctx.lineWidth = width;
      ctx.beginPath();
      ctx.moveTo(px[a], py[a]);
      ctx.lineTo(px[b], py[b]);
      ctx.stroke();
    }
  }
}

/** Packets on wires, and rates and delays. */
export function drawWired(ctx: CanvasRenderingContext2D, view: View): void {
  if (!shows(view, "wires") || !view.scene.wired) return;
  drawWords(ctx, view);
  for (const i of visible(view)) drawPacket(ctx, view, i);
  ctx.globalAlpha = 1;
}

/** Queues at ports, over the nodes. */
export function drawPorts(ctx: CanvasRenderingContext2D, view: View): void {
  if (!shows(view, "queues")) return;
  const { scene, t, px, py, radius, paper } = view;
  for (const { ends } of scene.wires)
    for (const [node, peer] of [ends, [ends[1], ends[0]]]) {
      const waiting = scene.waiting(node, peer, t);
      if (waiting === 0) continue;
      const [ux, uy] = direction(view, node, peer);
      const [x, y] = [px[node] + ux * (radius + 15) - uy * 13, py[node] + uy * (radius + 15) + Math.abs(ux) * 13];
      pile(ctx, x, y + 4, waiting, true, paper.ink, paper.paper);
    }
}

function drawWords(ctx: CanvasRenderingContext2D, view: View): void {
  const { scene, px, py, paper } = view;
  ctx.font = "11px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  for (const { ends, rate_bps, delay_s } of scene.wires) {
    const [a, b] = ends;
    const [dx, dy] = [px[b] - px[a], py[b] - py[a]];
    if (Math.hypot(dx, dy) < WORDY) continue;
    const upright = Math.abs(dy) > Math.abs(dx);
    ctx.textAlign = upright ? "left" : "center";
    text(ctx, wireWords(rate_bps[0], delay_s[0]), (px[a] + px[b]) / 2 + (upright ? 12 : 0), (py[a] + py[b]) / 2 + (upright ? 0 : 18), paper.soft, paper.paper);
  }
}

/** Rate and delay of a wire. */
export function wireWords(rate_bps: number, delay_s: number): string {
  const [scale, unit] = rate_bps >= 1e9 ? [1e9, "Gb/s"] : rate_bps >= 1e6 ? [1e6, "Mb/s"] : [1e3, "kb/s"];
  return `${Number((rate_bps / scale).toPrecision(3))} ${unit}, ${Number((delay_s * 1e3).toPrecision(3))} ms`;
}

/** Packets to draw, oldest first; of those that have arrived, the latest of a type in each direction. */
function visible(view: View): number[] {
  const { scene, t, glow } = view;
  const wired = scene.wired!;
  const found: number[] = [];
  const gone = new Set<number>();
  for (let i = lastAt(wired.t, t); i >= 0 && found.length < MAX_PACKETS && wired.t[i] > t - scene.longestWired - glow; i -= 1) {
    const over = t - wired.t[i] - scene.timesOf(i).took;
    if (over > glow) continue;
    const key = (wired.from[i] * scene.nodes + wired.to[i]) * 64 + wired.kind[i];
    if (over > 0 && gone.has(key)) continue;
    if (over > 0) gone.add(key);
    found.push(i);
  }
  return found.reverse();
}

function drawPacket(ctx: CanvasRenderingContext2D, view: View, i: number): void {
  const { scene, t, glow, px, py, radius, paper } = view;
  const wired = scene.wired!;
  const [from, to] = [wired.from[i], wired.to[i]];
  const { service, took } = scene.timesOf(i);
  const since = t - wired.t[i];
  const isLost = scene.data.wire_fates?.[wired.fate[i]] === "lost";
  const style = STYLES[styleOf(scene.data.names.kinds[wired.kind[i]])];
  const place = stretchAt(since, service, took);
  const [ux, uy] = direction(view, from, to);
  const length = Math.hypot(px[to] - px[from], py[to] - py[from]) - 2 * radius;
  const at = (share: number): [number, number] => [
    px[from] + ux * (radius + share * length) - uy * LANE,
    py[from] + uy * (radius + share * length) + ux * LANE,
  ];
  ctx.globalAlpha = place ? 1 : 0.6 * Math.max(1 - (since - took) / glow, 0);
  ctx.strokeStyle = ctx.fillStyle = style.color;
  ctx.setLineDash([]);
  if (isLost && since >= service) {
    // A lost packet never arrives: it is crossed out where it left.
    const [x, y] = at(0.5);
    crossed(ctx, x, y, 5, WARNING, paper.paper);
    return;
  }
  const [tail, head] = place ? [at(place.tail), at(place.head)] : [at(0), at(1)];
  ctx.lineWidth = place ? 4 : 2;
  ctx.beginPath();
  ctx.moveTo(...tail);
  ctx.lineTo(...head);
  ctx.stroke();
  ctx.lineWidth = 1.6;
  mark(ctx, style.mark, ...(place ? head : at(0.5)), 4);
}

/** The unit vector from a node to another, in px. */
function direction(view: View, from: number, to: number): [number, number] {
  const { px, py } = view;
  const length = Math.hypot(px[to] - px[from], py[to] - py[from]) || 1;
  return [(px[to] - px[from]) / length, (py[to] - py[from]) / length];
}
