// Draws nodes and their labels: queue length, congestion, proxy buffer, feedback level, capacity estimate, drops.
import { WARNING, inkOf } from "./styles.ts";
import type { Paper } from "./styles.ts";
import { crossed, text } from "./marks.ts";
import { shows } from "./view.ts";
import type { View } from "./view.ts";
import { GREEN } from "./colors.ts";

/** Bricks in a queue symbol; longer queues show their number only. */
const BRICKS = 10;
/** Below this radius, in px, nodes have no number. */
const LABELED = 6.5;

export function drawNodes(ctx: CanvasRenderingContext2D, view: View): void {
  for (let node = 0; node < view.scene.nodes; node += 1) drawHoldback(ctx, view, node);
  for (let node = 0; node < view.scene.nodes; node += 1) drawNode(ctx, view, node);
  for (let node = 0; node < view.scene.nodes; node += 1) drawBeside(ctx, view, node);
}

function drawNode(ctx: CanvasRenderingContext2D, view: View, node: number): void {
  const { scene, t, px, py, radius, paper, choice } = view;
  const [x, y] = [px[node], py[node]];
  const isOn = (scene.radio.get(node)?.at(t, 1) ?? 1) > 0;
  const isProxy = shows(view, "proxies") && scene.isProxy(node);
  const isCongested = shows(view, "congestion") && (scene.congested.get(node)?.at(t, 0) ?? 0) > 0;
  ctx.setLineDash(isOn ? [] : [3, 3]);
  const isHost = scene.hosts.has(node);
  const isSquare = isProxy || isHost;
  outline(ctx, x, y, radius, isSquare);
  ctx.fillStyle = isHost ? paper.wash : paper.paper;
  ctx.fill();
  if (isCongested) {
    ctx.fillStyle = hatch(ctx);
    ctx.fill();
  }
  ctx.lineWidth = isCongested ? 3 : 1.6;
  ctx.strokeStyle = isCongested ? WARNING : isOn ? paper.ink : paper.soft;
  ctx.stroke();
  if (isHost) foot(ctx, x, y + radius + 3, radius);
  drawEnds(ctx, view, node);
  if (choice?.of === "node" && choice.id === node) {
    ctx.setLineDash([]);
    ctx.lineWidth = 2.5;
    ctx.strokeStyle = "#0b5cad";
    outline(ctx, x, y, radius + 5, isSquare);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  if (radius >= LABELED) {
    ctx.font = `600 ${Math.round(Math.min(radius * 1.05, 13))}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    if (isCongested) text(ctx, String(node), x, y + 0.5, paper.ink, paper.paper);
    else {
      ctx.fillStyle = isOn ? paper.ink : paper.soft;
      ctx.fillText(String(node), x, y + 0.5);
    }
    const name = scene.data.node_names?.[node];
    if (name && isHost) above(ctx, name, x, y - radius - 14, paper);
    else if (name) beside(ctx, name, x + radius + 5, y, paper);
  } else if (choice?.of === "node" ? choice.id === node : view.route.includes(node)) {
    // The circle is too small for a number: selected nodes have it beside.
    beside(ctx, scene.label(node), x + radius + 3, y, paper);
  }
  if (!isOn) crossed(ctx, x + radius, y - radius, 4, paper.soft, paper.paper);
}

/** A line below a host, which proxies, squares as well, do not have. */
function foot(ctx: CanvasRenderingContext2D, x: number, y: number, half: number): void {
  ctx.beginPath();
  ctx.moveTo(x - half, y);
  ctx.lineTo(x + half, y);
  ctx.stroke();
}

function beside(ctx: CanvasRenderingContext2D, label: string, x: number, y: number, paper: Paper): void {
  ctx.font = "600 11px system-ui, sans-serif";
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  text(ctx, label, x, y, paper.ink, paper.paper);
}

/** The name of a host: its wires and their queues are beside it. */
function above(ctx: CanvasRenderingContext2D, label: string, x: number, y: number, paper: Paper): void {
  ctx.font = "600 11px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  text(ctx, label, x, y, paper.ink, paper.paper);
}

function outline(ctx: CanvasRenderingContext2D, x: number, y: number, r: number, square: boolean): void {
  ctx.beginPath();
  if (square) ctx.rect(x - r, y - r, 2 * r, 2 * r);
  else ctx.arc(x, y, r, 0, 2 * Math.PI);
}

/** Ends of flows: a ring in the flow's color, full at the source, dashed at the sink. */
function drawEnds(ctx: CanvasRenderingContext2D, view: View, node: number): void {
  const { scene, px, py, radius } = view;
  let ring = radius + 3;
  scene.flows.forEach(({ src, dst }, flow) => {
    if (src !== node && dst !== node) return;
    ctx.strokeStyle = inkOf(flow).color;
    ctx.lineWidth = 2.6;
    ctx.setLineDash(src === node ? [] : [3, 2.5]);
    ctx.beginPath();
    ctx.arc(px[node], py[node], ring, 0, 2 * Math.PI);
    ctx.stroke();
    ring += 3.5;
  });
}

/** Back-pressure: a parked packet, and the congested neighbor it waits for. */
function drawHoldback(ctx: CanvasRenderingContext2D, view: View, node: number): void {
  const { scene, t, px, py, radius, paper } = view;
  const by = scene.parked.get(node)?.at(t, -2) ?? -2;
  if (by === -2 || !shows(view, "congestion")) return;
  if (by >= 0) {
    ctx.strokeStyle = WARNING;
    ctx.lineWidth = 2;
    ctx.setLineDash([3, 4]);
    ctx.beginPath();
    ctx.moveTo(px[by], py[by]);
    ctx.lineTo(px[node], py[node]);
    ctx.stroke();
    // A bar across the end of the line.
    const length = Math.hypot(px[node] - px[by], py[node] - py[by]) || 1;
    const [ux, uy] = [(px[by] - px[node]) / length, (py[by] - py[node]) / length];
    const [ex, ey] = [px[node] + ux * (radius + 7), py[node] + uy * (radius + 7)];
    ctx.setLineDash([]);
    ctx.lineWidth = 3;
    ctx.beginPath();
    ctx.moveTo(ex - uy * 8, ey + ux * 8);
    ctx.lineTo(ex + uy * 8, ey - ux * 8);
    ctx.stroke();
  }
  // The pause symbol.
  ctx.setLineDash([]);
  ctx.fillStyle = WARNING;
  const [x, y] = [px[node] + radius * 0.75, py[node] + radius * 0.75];
  ctx.strokeStyle = paper.paper;
  ctx.lineWidth = 2;
  for (const dx of [2, 7]) {
    ctx.strokeRect(x + dx, y, 3, 9);
    ctx.fillRect(x + dx, y, 3, 9);
  }
}

function drawBeside(ctx: CanvasRenderingContext2D, view: View, node: number): void {
  const { scene, t, px, py, radius, paper } = view;
  const x = px[node];
  const roomy = radius >= LABELED;
  let above = py[node] - radius - 5;
  if (shows(view, "queues")) {
    const queued = scene.queue.get(node)?.at(t, 0) ?? 0;
    above = pile(ctx, x, above, queued, roomy, paper.ink, paper.paper);
  }
  let below = py[node] + radius + (roomy ? 12 : 8);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const say = (words: string, color: string) => {
    ctx.font = "11px system-ui, sans-serif";
    text(ctx, words, x, below, color, paper.paper);
    below += 13;
  };
  if (shows(view, "proxies") && scene.isProxy(node)) {
    const works = (scene.proxy.get(node)?.at(t, 1) ?? 1) > 0;
    say(works ? `buffer ${scene.store.get(node)?.at(t, 0) ?? 0}` : "failed", works ? paper.ink : WARNING);
  }
  if (shows(view, "levels")) {
    const level = scene.sample("drai", node, t);
    if (!Number.isNaN(level)) {
      meter(ctx, x, below - 4, level, paper.soft);
      below += 13;
    }
  }
  const asked = view.choice?.of === "node" ? view.choice.id === node : view.route.includes(node);
  if (!shows(view, "estimates") || !(asked || (roomy && scene.nodes <= CROWD))) return;
  const capacity = scene.sample("winf_capacity_bps", node, t);
  const router = scene.sample("router_capacity_bps", node, t);
  const known = Number.isNaN(capacity) ? router : capacity;
  if (!Number.isNaN(known)) say(`${(known / 1e6).toFixed(2)} Mb/s`, paper.soft);
}

/** Above this number of nodes, only selected nodes show estimates. */
const CROWD = 30;

/** Queued packets, one brick each; returns the upper edge in px. */
export function pile(ctx: CanvasRenderingContext2D, x: number, bottom: number, n: number, roomy: boolean, ink: string, paper: string): number {
  const bricks = Math.min(n, BRICKS);
  const [w, h] = roomy ? [13, 3] : [8, 2];
  ctx.fillStyle = ink;
  for (let i = 0; i < bricks; i += 1) ctx.fillRect(x - w / 2, bottom - (i + 1) * (h + 1), w, h);
  const top = bottom - bricks * (h + 1);
  if (n > 0 && (roomy || n > BRICKS)) {
    ctx.font = "10.5px system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    text(ctx, String(n), x, top - 1, ink, paper);
  }
  return top;
}

/** TCP Muzha's DRAI level of a router, 1 to 5. */
function meter(ctx: CanvasRenderingContext2D, x: number, y: number, level: number, ink: string): void {
  for (let i = 0; i < 5; i += 1) {
    ctx.fillStyle = i < level ? GREEN : "transparent";
    ctx.strokeStyle = ink;
    ctx.lineWidth = 0.8;
    const h = 3 + 1.6 * i;
    ctx.fillRect(x - 12 + 5 * i, y + 5 - h, 4, h);
    ctx.strokeRect(x - 12 + 5 * i, y + 5 - h, 4, h);
  }
}

/** Stripes for congested nodes: side of the tile, color and width of the lines. */
export const STRIPES = { tile: 6, color: "#e8794a", width: 1.8 };
let stripes: CanvasPattern | null = null;

function hatch(ctx: CanvasRenderingContext2D): CanvasPattern | string {
  if (stripes) return stripes;
  const tile = document.createElement("canvas");
  tile.width = tile.height = STRIPES.tile;
  const pen = tile.getContext("2d");
  if (!pen) return "#f6c8b4";
  pen.strokeStyle = STRIPES.color;
  pen.lineWidth = STRIPES.width;
  for (const shift of [-STRIPES.tile, 0, STRIPES.tile]) {
    pen.beginPath();
    pen.moveTo(shift, STRIPES.tile);
    pen.lineTo(shift + STRIPES.tile, 0);
    pen.stroke();
  }
  stripes = ctx.createPattern(tile, "repeat");
  return stripes ?? "#f6c8b4";
}

/** Feedback headers along the selected flow, and recent drops (`first` to `last`) with their reason. */
export function drawMoments(ctx: CanvasRenderingContext2D, view: View, first: number, last: number): void {
  const { scene, t, glow, px, py, radius, paper } = view;
  ctx.textBaseline = "middle";
  if (shows(view, "headers") && view.choice?.of === "flow") drawHeaders(ctx, view);
  if (!shows(view, "drops")) return;
  const stay = dropStay(glow);
  const stacked = new Map<number, number>();
  for (let i = last; i >= first; i -= 1) {
    const drop = scene.drops[i];
    const age = (t - drop.t) / stay;
    if (age < 0 || age > 1) continue;
    const before = stacked.get(drop.node) ?? 0;
    stacked.set(drop.node, before + 1);
    if (before > 2) continue;
    ctx.globalAlpha = 1 - age * age;
    const [x, y] = [px[drop.node] + radius + 8, py[drop.node] - radius - 8 - 14 * before];
    crossed(ctx, x, y, 5, WARNING, paper.paper);
    ctx.font = "600 11px system-ui, sans-serif";
    const right = x + 10 + 6 * drop.reason.length < view.camera.width;
    ctx.textAlign = right ? "left" : "right";
    text(ctx, drop.reason, right ? x + 10 : x - 10, y, WARNING, paper.paper);
  }
  ctx.globalAlpha = 1;
}

/** How long a drop stays visible, in simulated s. */
export function dropStay(glow: number): number {
  return glow * 8;
}

/** Header value that each router on the selected flow's route last wrote. */
function drawHeaders(ctx: CanvasRenderingContext2D, view: View): void {
  const { scene, t, px, py, route, choice, paper } = view;
  if (choice === null || scene.header(choice.id) !== "mrai") return;
  ctx.font = "600 11px system-ui, sans-serif";
  ctx.textAlign = "center";
  for (let i = 0; i + 1 < route.length; i += 1) {
    const value = scene.stamp(choice.id, route[i], t);
    if (Number.isNaN(value)) continue;
    const [a, b] = [route[i], route[i + 1]];
    if (Math.hypot(px[b] - px[a], py[b] - py[a]) < 40) continue;
    text(ctx, `M ${value}`, (px[a] + px[b]) / 2, (py[a] + py[b]) / 2 + 14, paper.ink, paper.paper);
  }
}
