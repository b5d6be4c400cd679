// Areas around the selected node: reception and carrier-sense range, interference with its reception, and NAV.
import { exchangeAt } from "../data/exchanges.ts";
import { lastAt } from "../data/steps.ts";
import { text } from "./marks.ts";
import { shows } from "./view.ts";
import type { View } from "./view.ts";

const NAV = "#b8860b";
const INTERFERENCE = "#c1440e";

interface Area {
  node: number;
  metres: number;
  name: string;
  dash: number[];
  color: string;
  fill?: string;
  /** Direction of the label from the node. */
  turn: number;
}

/** Areas of a node at the view's time. */
export function areasOf(view: View, node: number): Area[] {
  const { scene, paper } = view;
  if (scene.hosts.has(node)) return [];
  const { reach_m: reach, cs_range_m: sense } = scene.data;
  const areas: Area[] = [
    { node, metres: sense, name: `carrier-sense range ${Math.round(sense)} m`, dash: [4, 5], color: paper.soft, turn: -90 },
    { node, metres: reach, name: `reception range ${Math.round(reach)} m`, dash: [], color: paper.soft, turn: -90 },
  ];
  const from = senderTo(view, node);
  const margin = scene.data.capture_margin;
  if (from >= 0 && margin) {
    const { scale } = view.camera;
    const distance = Math.hypot(view.px[from] - view.px[node], view.py[from] - view.py[node]) / scale;
    const metres = distance * margin;
    const name = `corrupts frames of ${scene.word(from)}: ${Math.round(metres)} m`;
    areas.push({ node, metres, name, dash: [8, 4], color: INTERFERENCE, fill: "rgba(193, 68, 14, 0.08)", turn: 90 });
  }
  const nav = exchangeAt(scene.exchanges, scene.exchangeTimes, node, view.t, scene.longestExchange);
  if (nav) {
    areas.push({ node: nav.from, metres: reach, name: "NAV set by RTS", dash: [2, 3], color: NAV, fill: "rgba(184, 134, 11, 0.13)", turn: 180 });
    if (view.t >= nav.cts)
      areas.push({ node: nav.to, metres: reach, name: "NAV set by CTS", dash: [2, 3], color: NAV, fill: "rgba(184, 134, 11, 0.13)", turn: 0 });
  }
  return areas.filter(({ metres }) => metres > 0);
}

/** The node that last sent a unicast frame to `node`, up to a second ago; -1 without. */
function senderTo(view: View, node: number): number {
  const { frames, data } = view.scene;
  for (let i = lastAt(frames.t, view.t); i >= 0 && frames.t[i] > view.t - 1; i -= 1) {
    const kind = data.names.kinds[frames.kind[i]];
    if (frames.to[i] === node && kind !== "cts" && kind !== "mac_ack") return frames.from[i];
  }
  return -1;
}

export function drawAreas(ctx: CanvasRenderingContext2D, view: View): void {
  const { camera, choice, px, py } = view;
  if (!shows(view, "ranges") || choice?.of !== "node") return;
  ctx.lineWidth = 1.4;
  for (const { node, metres, dash, color, fill } of areasOf(view, choice.id)) {
    ctx.setLineDash(dash);
    ctx.strokeStyle = color;
    ctx.beginPath();
    ctx.arc(px[node], py[node], metres * camera.scale, 0, 2 * Math.PI);
    if (fill) {
      ctx.fillStyle = fill;
      ctx.fill();
    }
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

/** Turns of a label from its wished direction, in degrees, until it covers no node and no other label. */
const TURNS = [0, 25, -25, 50, -50, 75, -75, 100, -100, 130, -130, 160, -160];

/** Names of the areas, drawn over the nodes. */
export function drawAreaNames(ctx: CanvasRenderingContext2D, view: View): void {
  const { camera, choice, px, py, paper, radius } = view;
  if (!shows(view, "ranges") || choice?.of !== "node") return;
  ctx.font = "11px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const taken: { x: number; y: number; half: number }[] = [];
  for (const { node, metres, name, color, turn } of areasOf(view, choice.id)) {
    const half = ctx.measureText(name).width / 2 + 4;
    const places = TURNS.map((more) => {
      const angle = ((turn + more) * Math.PI) / 180;
      const x = Math.min(Math.max(px[node] + Math.cos(angle) * metres * camera.scale, half), camera.width - half);
      return { x, y: Math.min(Math.max(py[node] + Math.sin(angle) * metres * camera.scale, 10), camera.height - 10), half };
    });
    const isFree = ({ x, y }: { x: number; y: number }) =>
      taken.every((one) => Math.abs(one.x - x) > one.half + half || Math.abs(one.y - y) > 14) &&
      px.every((nx, i) => Math.abs(nx - x) > half + radius || Math.abs(py[i] - y) > radius + 10);
    const place = places.find(isFree) ?? places[0];
    taken.push(place);
    text(ctx, name, place.x, place.y, color, paper.paper);
  }
}
