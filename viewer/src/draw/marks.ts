// Small symbols, outlined text and curves on a canvas.
import type { Mark } from "./styles.ts";

export function mark(ctx: CanvasRenderingContext2D, kind: Mark, x: number, y: number, r: number): void {
  ctx.beginPath();
  switch (kind) {
    case "triangle":
      ctx.moveTo(x, y - 1.2 * r);
      ctx.lineTo(x + 1.1 * r, y + 0.8 * r);
      ctx.lineTo(x - 1.1 * r, y + 0.8 * r);
      ctx.closePath();
      break;
    case "wedge":
      ctx.moveTo(x, y + 1.2 * r);
      ctx.lineTo(x + 1.1 * r, y - 0.8 * r);
      ctx.lineTo(x - 1.1 * r, y - 0.8 * r);
      ctx.closePath();
      break;
    case "square":
      ctx.rect(x - r, y - r, 2 * r, 2 * r);
      break;
    case "diamond":
      ctx.moveTo(x, y - 1.3 * r);
      ctx.lineTo(x + 1.3 * r, y);
      ctx.lineTo(x, y + 1.3 * r);
      ctx.lineTo(x - 1.3 * r, y);
      ctx.closePath();
      break;
    case "dot":
      ctx.arc(x, y, 0.7 * r, 0, 2 * Math.PI);
      break;
    case "cross":
      ctx.moveTo(x - r, y - r);
      ctx.lineTo(x + r, y + r);
      ctx.moveTo(x + r, y - r);
      ctx.lineTo(x - r, y + r);
      ctx.stroke();
      return;
    case "ring":
      ctx.arc(x, y, r, 0, 2 * Math.PI);
      ctx.stroke();
      return;
    case "circle":
      ctx.arc(x, y, r, 0, 2 * Math.PI);
      break;
  }
  ctx.fill();
}

/** An X with a light rim, legible on any background. */
export function crossed(ctx: CanvasRenderingContext2D, x: number, y: number, r: number, color: string, rim: string): void {
  ctx.setLineDash([]);
  ctx.lineCap = "round";
  for (const [style, width] of [
    [rim, 5],
    [color, 2.2],
  ] as const) {
    ctx.strokeStyle = style;
    ctx.lineWidth = width;
    mark(ctx, "cross", x, y, r);
  }
  ctx.lineCap = "butt";
}

/** Text with a light rim. */
export function text(ctx: CanvasRenderingContext2D, words: string, x: number, y: number, color: string, rim: string): void {
  ctx.setLineDash([]);
  ctx.lineJoin = "round";
  ctx.lineWidth = 3;
  ctx.strokeStyle = rim;
  ctx.strokeText(words, x, y);
  ctx.fillStyle = color;
  ctx.fillText(words, x, y);
}

/** A curve between two points that bends right of its direction, so that both directions stay visible. */
export interface Bend {
  x0: number;
  y0: number;
  cx: number;
  cy: number;
  x1: number;
  y1: number;
}

/** `beyond`: how far its middle lies outside of the curve without it, in px. */
export function bend(x0: number, y0: number, x1: number, y1: number, gap: number, amount: number, beyond = 0): Bend {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const cut = Math.min(gap, length * 0.4);
  const lift = Math.min(length * amount, 46) + 2 * beyond;
  return {
    x0: x0 + ux * cut,
    y0: y0 + uy * cut,
    cx: (x0 + x1) / 2 + uy * lift,
    cy: (y0 + y1) / 2 - ux * lift,
    x1: x1 - ux * cut,
    y1: y1 - uy * cut,
  };
}

/** The point at a share (0 to 1) of a curve. */
export function along(b: Bend, share: number): [number, number] {
  const rest = 1 - share;
  return [
    rest * rest * b.x0 + 2 * rest * share * b.cx + share * share * b.x1,
    rest * rest * b.y0 + 2 * rest * share * b.cy + share * share * b.y1,
  ];
}
