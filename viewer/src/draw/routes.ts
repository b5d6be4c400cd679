// Draws routes in use as wide bands along the next hops of each flow.
import { inkOf } from "./styles.ts";
import { shows } from "./view.ts";
import type { View } from "./view.ts";

/** A hop without data of its flow for this long, in s, is drawn thin. */
export const RECENT = 2;

export function drawRoutes(ctx: CanvasRenderingContext2D, view: View): void {
  const { scene, t, choice } = view;
  if (!shows(view, "routes")) return;
  for (let flow = 0; flow < scene.flows.length; flow += 1) {
    const chosen = choice?.of === "flow" && choice.id === flow;
    drawRoute(ctx, view, flow, chosen ? view.route : scene.path(flow, t), chosen);
  }
  ctx.globalAlpha = 1;
  ctx.setLineDash([]);
}

function drawRoute(ctx: CanvasRenderingContext2D, view: View, flow: number, route: number[], chosen: boolean): void {
  const { px, py, radius, scene } = view;
  const ink = inkOf(flow);
  ctx.strokeStyle = ctx.fillStyle = ink.color;
  const width = chosen ? 9 : 6;
  ctx.lineJoin = "round";
  // Flows over one link are drawn side by side.
  const side = (flow - (scene.flows.length - 1) / 2) * Math.min(3, 24 / scene.flows.length);
  ctx.globalAlpha = chosen ? 0.45 : 0.33;
  ctx.setLineDash(ink.dash);
  for (let i = 0; i + 1 < route.length; i += 1) {
    const [a, b] = [route[i], route[i + 1]];
    const length = Math.hypot(px[b] - px[a], py[b] - py[a]) || 1;
    const [ux, uy] = [(px[b] - px[a]) / length, (py[b] - py[a]) / length];
    const [sx, sy] = [-uy * side, ux * side];
    const inUse = scene.unused(flow, a, view.t) <= RECENT;
    ctx.lineWidth = inUse ? width : 1.5;
    const half = ctx.lineWidth / 2;
    ctx.beginPath();
    ctx.moveTo(px[a] + sx, py[a] + sy);
    ctx.lineTo(px[b] + sx, py[b] + sy);
    ctx.stroke();
    if (!inUse || length < 3 * radius + 8) continue;
    // Chevrons show the direction.
    ctx.save();
    ctx.setLineDash([]);
    ctx.globalAlpha = chosen ? 0.9 : 0.7;
    ctx.lineWidth = 1.6;
    const [mx, my] = [(px[a] + px[b]) / 2 + sx, (py[a] + py[b]) / 2 + sy];
    for (const at of [-5, 0, 5]) {
      const [x, y] = [mx + ux * at, my + uy * at];
      ctx.beginPath();
      ctx.moveTo(x - ux * 2 - uy * half, y - uy * 2 + ux * half);
      ctx.lineTo(x + ux * 2, y + uy * 2);
      ctx.lineTo(x - ux * 2 + uy * half, y - uy * 2 - ux * half);
      ctx.stroke();
    }
    ctx.restore();
  }
}
