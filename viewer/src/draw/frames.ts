// Draws frames on the air: a curve from transmitter to receiver, a mark that moves during the airtime, a fading trail,
// and the outcome at its end. A broadcast is a ring that grows to the reception range.
import { CATEGORY_MARKS, STYLES, WARNING, channelDash, styleOf } from "./styles.ts";
import type { Style, StyleName } from "./styles.ts";
import { along, bend, crossed, mark, text } from "./marks.ts";
import { CONGESTED, categoryOf, channelOf } from "../data/scene.ts";
import { lastAt } from "../data/steps.ts";
import { shows } from "./view.ts";
import type { View } from "./view.ts";

/** At most this many curves; the latest frames are drawn. */
const MAX_CURVES = 240;
/** At most this many broadcast rings. */
const MAX_RINGS = 12;

export function drawFrames(ctx: CanvasRenderingContext2D, view: View): void {
  const { scene, t, glow } = view;
  const { frames } = scene;
  const names = stylesOf(view);
  for (const i of visible(view)) {
    const over = t - (frames.t[i] + frames.air[i]);
    const style = STYLES[names[frames.kind[i]]];
    const strength = over <= 0 ? 1 : 0.7 * (1 - over / glow);
    const share = Math.min((t - frames.t[i]) / frames.air[i], 1);
    if (frames.to[i] < 0) drawBroadcast(ctx, view, i, style, strength, share);
    else drawUnicast(ctx, view, i, style, strength, share, over > 0);
  }
  ctx.globalAlpha = 1;
}

/** Tolerance of the pointer around a frame's curve, in px. */
const NEAR = 8;

/** The frame whose curve or ring passes a point, the latest first; -1 without. */
export function frameAt(view: View, x: number, y: number): number {
  const { scene, px, py, radius, camera, t } = view;
  const { frames } = scene;
  for (const i of visible(view).reverse()) {
    const [from, to] = [frames.from[i], frames.to[i]];
    if (to < 0) {
      const r = Math.max(scene.data.reach_m * camera.scale * Math.min((t - frames.t[i]) / frames.air[i], 1), radius + 3);
      if (Math.abs(Math.hypot(px[from] - x, py[from] - y) - r) < NEAR) return i;
      continue;
    }
    const b = bend(px[from], py[from], px[to], py[to], radius + 2, 0.5);
    for (let share = 0; share <= 1; share += 1 / 24) {
      const [cx, cy] = along(b, share);
      if (Math.hypot(cx - x, cy - y) < NEAR) return i;
    }
  }
  return -1;
}

const drawn = new Set<number>();

/** Frames to draw, oldest first; of equal ones on a link, only the latest. */
function visible(view: View): number[] {
  const { scene, t, glow } = view;
  const { frames } = scene;
  const names = stylesOf(view);
  const found: number[] = [];
  let rings = 0;
  drawn.clear();
  for (let i = lastAt(frames.t, t); i >= 0 && found.length < MAX_CURVES && frames.t[i] > t - scene.longest - glow; i -= 1) {
    if (t - (frames.t[i] + frames.air[i]) > glow || !shows(view, names[frames.kind[i]])) continue;
    const channel = channelOf(scene, i);
    if (channel !== undefined && !shows(view, `channel ${channel}`)) continue;
    const link = (frames.from[i] * (scene.nodes + 1) + frames.to[i] + 1) * 256 + frames.kind[i] * 8;
    const key = (link + (frames.marks[i] & CONGESTED) + (isLost(view, i) ? 2 : 0)) * 256 + (channel ?? 0);
    if (drawn.has(key) || (frames.to[i] < 0 && (rings += 1) > MAX_RINGS)) continue;
    drawn.add(key);
    found.push(i);
  }
  return found.reverse();
}

function isLost(view: View, i: number): boolean {
  const fate = view.scene.data.names.fates[view.scene.frames.fate[i]];
  return fate !== "arrived" && fate !== "duplicate";
}

const cache = new WeakMap<object, StyleName[]>();

function stylesOf(view: View): StyleName[] {
  const { kinds } = view.scene.data.names;
  let found = cache.get(kinds);
  if (!found) cache.set(kinds, (found = kinds.map(styleOf)));
  return found;
}

function drawUnicast(ctx: CanvasRenderingContext2D, view: View, i: number, style: Style, strength: number, share: number, over: boolean): void {
  const { frames, data } = view.scene;
  const { px, py, radius, paper } = view;
  const [from, to] = [frames.from[i], frames.to[i]];
  const b = bend(px[from], py[from], px[to], py[to], radius + 2, 0.5);
  ctx.globalAlpha = strength;
  ctx.strokeStyle = style.color;
  ctx.setLineDash(style.dash);
  if ((frames.marks[i] & CONGESTED) !== 0) {
    // RTSC and CTSC: a second line around the first.
    ctx.lineWidth = style.width + 5;
    ctx.strokeStyle = WARNING;
    stroke(ctx, b);
    ctx.lineWidth = style.width + 2;
    ctx.strokeStyle = paper.paper;
    ctx.setLineDash([]);
    stroke(ctx, b);
    ctx.setLineDash(style.dash);
    ctx.strokeStyle = style.color;
  }
  ctx.lineWidth = style.width;
  stroke(ctx, b);
  const channel = frames.channel?.[i] ?? -1;
  if (channel >= 0) {
    ctx.strokeStyle = paper.ink;
    ctx.lineWidth = 1.3;
    ctx.setLineDash(channelDash(channel));
    stroke(ctx, bend(px[from], py[from], px[to], py[to], radius + 2, 0.5, RAIL));
  }
  ctx.setLineDash([]);
  const size = Math.min(Math.max(radius * 0.5, 3.4), 5.5);
  const [x, y] = along(b, over ? 0.5 : share);
  ctx.fillStyle = ctx.strokeStyle = style.color;
  ctx.lineWidth = 1.6;
  mark(ctx, style.mark, x, y, size);
  if ((frames.marks[i] & CONGESTED) !== 0) {
    ctx.font = `bold ${Math.round(size * 2.6)}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    text(ctx, "C", x, y - size * 2.6, WARNING, paper.paper);
  }
  const category = shows(view, "categories") ? CATEGORY_MARKS[categoryOf(view.scene, i) ?? ""] : undefined;
  if (category) {
    ctx.font = `bold ${Math.round(size * 2.2)}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    text(ctx, category, x, y + size * 2.6, style.color, paper.paper);
  }
  if (!over || !shows(view, "lost")) return;
  if (!isLost(view, i)) return;
  const [ex, ey] = along(b, 0.93);
  if (data.names.fates[frames.fate[i]] === "unheard") {
    ctx.strokeStyle = paper.soft;
    ctx.lineWidth = 1.8;
    mark(ctx, "ring", ex, ey, size * 0.8);
  } else crossed(ctx, ex, ey, size * 0.85, paper.ink, paper.paper);
}

/** Distance of the line that shows the channel from the middle of a frame's curve, in px. */
const RAIL = 6;

function stroke(ctx: CanvasRenderingContext2D, b: ReturnType<typeof bend>): void {
  ctx.beginPath();
  ctx.moveTo(b.x0, b.y0);
  ctx.quadraticCurveTo(b.cx, b.cy, b.x1, b.y1);
  ctx.stroke();
}

function drawBroadcast(ctx: CanvasRenderingContext2D, view: View, i: number, style: Style, strength: number, share: number): void {
  const { scene, camera, px, py, radius } = view;
  const from = scene.frames.from[i];
  const range = scene.data.reach_m * camera.scale;
  ctx.globalAlpha = strength * 0.8;
  ctx.strokeStyle = style.color;
  ctx.fillStyle = style.color;
  ctx.lineWidth = style.width;
  ctx.setLineDash(style.dash);
  ctx.beginPath();
  ctx.arc(px[from], py[from], Math.max(range * share, radius + 3), 0, 2 * Math.PI);
  ctx.stroke();
  ctx.globalAlpha = strength;
  ctx.setLineDash([]);
  mark(ctx, style.mark, px[from], py[from] - radius - 7, 4);
}
