// Node positions over time: straight legs at constant speed, as in the engine.
import { lastAt } from "./steps.ts";

export interface Legs {
  node: ArrayLike<number>;
  t0: ArrayLike<number>;
  x0: ArrayLike<number>;
  y0: ArrayLike<number>;
  t1: ArrayLike<number>;
  x1: ArrayLike<number>;
  y1: ArrayLike<number>;
}

export class Trajectories {
  private readonly begins: number[][];
  private readonly rows: number[][];

  constructor(
    private readonly startX: ArrayLike<number>,
    private readonly startY: ArrayLike<number>,
    private readonly legs: Legs,
  ) {
    this.begins = Array.from(startX, () => []);
    this.rows = Array.from(startX, () => []);
    for (let i = 0; i < legs.node.length; i += 1) {
      this.begins[legs.node[i]].push(legs.t0[i]);
      this.rows[legs.node[i]].push(i);
    }
  }

  /** Writes the positions of all nodes at `t` (s) into `x` and `y` (m). */
  positions(t: number, x: Float64Array, y: Float64Array): void {
    const { legs } = this;
    for (let node = 0; node < this.begins.length; node += 1) {
      const at = lastAt(this.begins[node], t);
      if (at < 0) {
        x[node] = this.startX[node];
        y[node] = this.startY[node];
        continue;
      }
      const row = this.rows[node][at];
      const length = legs.t1[row] - legs.t0[row];
      const share = length > 0 ? Math.min((t - legs.t0[row]) / length, 1) : 1;
      x[node] = legs.x0[row] + (legs.x1[row] - legs.x0[row]) * share;
      y[node] = legs.y0[row] + (legs.y1[row] - legs.y0[row]) * share;
    }
  }

  /** Bounding box of all positions, in m. */
  box(): { left: number; right: number; bottom: number; top: number } {
    const xs = [...Array.from(this.startX), ...Array.from(this.legs.x0), ...Array.from(this.legs.x1)];
    const ys = [...Array.from(this.startY), ...Array.from(this.legs.y0), ...Array.from(this.legs.y1)];
    const minimum = (values: number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
    const maximum = (values: number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
    return { left: minimum(xs), right: maximum(xs), bottom: minimum(ys), top: maximum(ys) };
  }
}
