// Maps meters to pixels: fits the whole area, pans and zooms.

export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export class Camera {
  width = 1;
  height = 1;
  /** Scale that fits the whole area, in px per m. */
  private fitted = 1;
  private zoom = 1;
  private cx: number;
  private cy: number;
  private box: Box;

  constructor(private readonly area: Box) {
    const box = area;
    this.box = area;
    this.cx = (box.left + box.right) / 2;
    this.cy = (box.bottom + box.top) / 2;
  }

  /** Canvas height for a width, in px: flat for a chain, never above the width. */
  heightFor(width: number): number {
    const [w, h] = [this.box.right - this.box.left, this.box.top - this.box.bottom];
    const wished = w > 0 ? (h / w) * (width - 2 * MARGIN) + 2 * MARGIN : width;
    return Math.round(Math.min(Math.max(wished, 230), Math.min(width, 560)));
  }

  /** Shows the area and a circle around a place of it, or the area alone. */
  include(circle: { x: number; y: number; r: number } | null): void {
    const { left, right, bottom, top } = this.area;
    const wished = circle
      ? {
          left: Math.min(left, circle.x - circle.r),
          right: Math.max(right, circle.x + circle.r),
          bottom: Math.min(bottom, circle.y - circle.r),
          top: Math.max(top, circle.y + circle.r),
        }
      : this.area;
    if (wished.left === this.box.left && wished.right === this.box.right && wished.top === this.box.top && wished.bottom === this.box.bottom) return;
    this.box = wished;
    this.resize(this.width, this.height);
    this.clampToArea();
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    const [w, h] = [this.box.right - this.box.left, this.box.top - this.box.bottom];
    const across = w > 0 ? (width - 2 * MARGIN) / w : Infinity;
    const up = h > 0 ? (height - 2 * MARGIN) / h : Infinity;
    const fitted = Math.min(across, up);
    this.fitted = Number.isFinite(fitted) && fitted > 0 ? fitted : 1;
  }

  get scale(): number {
    return this.fitted * this.zoom;
  }

  get enlarged(): boolean {
    return this.zoom > 1;
  }

  x(metres: number): number {
    return this.width / 2 + (metres - this.cx) * this.scale;
  }

  y(metres: number): number {
    return this.height / 2 - (metres - this.cy) * this.scale;
  }

  /** Zooms around a fixed point of the picture, in px. */
  enlarge(factor: number, px = this.width / 2, py = this.height / 2): void {
    const [mx, my] = [this.cx + (px - this.width / 2) / this.scale, this.cy - (py - this.height / 2) / this.scale];
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), 24);
    this.cx = mx - (px - this.width / 2) / this.scale;
    this.cy = my + (py - this.height / 2) / this.scale;
    this.clampToArea();
  }

  move(dx: number, dy: number): void {
    this.cx -= dx / this.scale;
    this.cy += dy / this.scale;
    this.clampToArea();
  }

  fit(): void {
    this.zoom = 1;
    this.clampToArea();
  }

  /** Keeps the area in view after a pan or zoom. */
  private clampToArea(): void {
    const { left, right, bottom, top } = this.box;
    const [slackX, slackY] = [this.width / 2 / this.scale, this.height / 2 / this.scale];
    const margin = MARGIN / this.scale;
    const keep = (at: number, low: number, high: number, slack: number) => {
      const [from, to] = [low - margin + slack, high + margin - slack];
      return from > to ? (low + high) / 2 : Math.min(Math.max(at, from), to);
    };
    this.cx = keep(this.cx, left, right, slackX);
    this.cy = keep(this.cy, bottom, top, slackY);
  }
}

/** Margin around the area for labels of nodes, in px. */
const MARGIN = 46;
