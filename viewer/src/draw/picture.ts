// The canvas: sizes it, draws the run at one time, and finds the object under the pointer.
import type { Camera } from "./camera.ts";
import { drawFrames, frameAt } from "./frames.ts";
import { dropStay, drawMoments, drawNodes } from "./nodes.ts";
import { drawAreaNames, drawAreas } from "./areas.ts";
import { MOST_SPREAD, spread } from "./spread.ts";
import { drawRoutes } from "./routes.ts";
import { drawPorts, drawWired, drawWires } from "./wires.ts";
import type { Paper } from "./styles.ts";
import { text } from "./marks.ts";
import { SvgContext } from "./svg.ts";
import type { Scene } from "../data/scene.ts";
import { lastAt } from "../data/steps.ts";
import type { Target } from "../panels/inspector.ts";
import type { Choice, View } from "./view.ts";

/** How long a frame stays visible after its end, in s of wall time. */
const GLOW = 0.15;
/** Tolerance of the pointer, in px: wide enough for a finger. */
const TOUCH = 14;

export class Picture {
  readonly view: View;
  private readonly ctx: CanvasRenderingContext2D;
  private readonly x: Float64Array;
  private readonly y: Float64Array;
  private readonly dropTimes: number[];
  /** Whether the picture makes room for the ranges of the selected node. */
  wide = false;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    scene: Scene,
    camera: Camera,
    paper: Paper,
  ) {
    const ctx = canvas.getContext("2d");
    if (!ctx) throw new Error("this browser has no canvas");
    this.ctx = ctx;
    this.x = new Float64Array(scene.nodes);
    this.y = new Float64Array(scene.nodes);
    this.dropTimes = scene.drops.map((drop) => drop.t);
    this.view = {
      scene,
      camera,
      t: scene.begin,
      glow: 0,
      choice: null,
      layers: new Set(),
      paper,
      radius: 10,
      px: new Float64Array(scene.nodes),
      py: new Float64Array(scene.nodes),
      route: [],
    };
  }

  /** Fits the canvas to a width in px, and to a height where it is given. */
  resize(width: number, height?: number): void {
    const { camera } = this.view;
    camera.resize(width, height ?? camera.heightFor(width));
    const sharp = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(camera.width * sharp);
    this.canvas.height = Math.round(camera.height * sharp);
    this.canvas.style.height = `${camera.height}px`;
    this.ctx.setTransform(sharp, 0, 0, sharp, 0, 0);
  }

  /** Draws the run at `t` (s); `speed` scales how long past frames stay visible. */
  draw(t: number, speed: number): void {
    const { view, ctx } = this;
    const { scene, camera } = view;
    view.t = t;
    view.glow = GLOW * speed;
    scene.trajectories.positions(t, this.x, this.y);
    const chosen = this.wide && view.choice?.of === "node" && view.layers.has("ranges") ? view.choice.id : -1;
    const range = Math.max(scene.data.cs_range_m, scene.data.reach_m * Math.max(scene.data.capture_margin ?? 1, 1));
    camera.include(chosen < 0 || chosen >= scene.nodes ? null : { x: this.x[chosen], y: this.y[chosen], r: range });
    for (let node = 0; node < scene.nodes; node += 1) {
      view.px[node] = camera.x(this.x[node]);
      view.py[node] = camera.y(this.y[node]);
    }
    view.radius = radiusFor(view);
    if (scene.nodes <= MOST_SPREAD) spread(view.px, view.py, view.radius);
    view.route = view.choice?.of === "flow" ? scene.path(view.choice.id, t) : [];
    this.paint(ctx);
  }

  /** What `draw` has drawn last, as elements of SVG. */
  svg(): string[] {
    const written = new SvgContext(this.ctx);
    this.paint(written as unknown as CanvasRenderingContext2D);
    return written.elements;
  }

  private paint(ctx: CanvasRenderingContext2D): void {
    const { view } = this;
    ctx.clearRect(0, 0, view.camera.width, view.camera.height);
    drawAreas(ctx, view);
    drawWires(ctx, view);
    drawRoutes(ctx, view);
    drawFrames(ctx, view);
    drawWired(ctx, view);
    drawNodes(ctx, view);
    drawPorts(ctx, view);
    drawAreaNames(ctx, view);
    drawMoments(ctx, view, lastAt(this.dropTimes, view.t - dropStay(view.glow)) + 1, lastAt(this.dropTimes, view.t));
    this.drawScale(ctx);
  }

  /** The node or the frame on the air at a point of the canvas. */
  under(px: number, py: number): Target {
    const { view } = this;
    for (let node = 0; node < view.scene.nodes; node += 1)
      if (Math.hypot(view.px[node] - px, view.py[node] - py) <= view.radius + 4) return { of: "node", id: node };
    const frame = frameAt(view, px, py);
    return frame < 0 ? null : { of: "frame", id: frame };
  }

  /** The node nearest to a point of the canvas, else the flow whose route passes there, else null. */
  at(px: number, py: number): Choice {
    const { view } = this;
    let best: Choice = null;
    let least = view.radius + TOUCH;
    for (let node = 0; node < view.scene.nodes; node += 1) {
      const distance = Math.hypot(view.px[node] - px, view.py[node] - py);
      if (distance < least) {
        least = distance;
        best = { of: "node", id: node };
      }
    }
    if (best) return best;
    least = TOUCH;
    view.scene.flows.forEach((_, flow) => {
      const way = view.scene.path(flow, view.t);
      for (let i = 0; i + 1 < way.length; i += 1) {
        const distance = toSegment(px, py, view.px[way[i]], view.py[way[i]], view.px[way[i + 1]], view.py[way[i + 1]]);
        if (distance < least) {
          least = distance;
          best = { of: "flow", id: flow };
        }
      }
    });
    return best;
  }

  /** Draws the length scale in the lower left corner. */
  private drawScale(ctx: CanvasRenderingContext2D): void {
    const { camera, paper } = this.view;
    const metres = roundLength(110 / camera.scale);
    const [x, y, length] = [12, camera.height - 12, metres * camera.scale];
    ctx.strokeStyle = paper.soft;
    ctx.lineWidth = 1.5;
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.moveTo(x, y - 4);
    ctx.lineTo(x, y);
    ctx.lineTo(x + length, y);
    ctx.lineTo(x + length, y - 4);
    ctx.stroke();
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    text(ctx, `${metres} m`, x + 6, y - 2, paper.soft, paper.paper);
  }
}

/** Radius of nodes in px: small enough to keep nodes of a chain or random placement apart. */
function radiusFor(view: View): number {
  const { scene, camera } = view;
  const few = scene.nodes <= FEW;
  const row = few ? (0.27 * camera.width) / scene.nodes : 0;
  const area = Math.sqrt((camera.width * camera.height) / scene.nodes) * (camera.enlarged ? 0.25 : 0.115);
  return Math.min(Math.max(few ? row : area, few ? 6.6 : 4.5), 13);
}

/** Up to this many nodes, each shows its number. */
const FEW = 25;

/** 1, 2 or 5 times a power of ten, at most `most`. */
export function roundLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  for (const factor of [5, 2, 1]) if (factor * power <= most) return factor * power;
  return power;
}

function toSegment(px: number, py: number, x0: number, y0: number, x1: number, y1: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const share = length > 0 ? Math.min(Math.max(((px - x0) * dx + (py - y0) * dy) / length, 0), 1) : 0;
  return Math.hypot(px - x0 - share * dx, py - y0 - share * dy);
}
