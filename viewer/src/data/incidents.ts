// Moments worth a look: collisions, drops, timeouts.
import type { Scene } from "./scene.ts";

export type Incident = "collision" | "drop" | "timeout";

/** Times of each kind in s, ascending. */
export function incidentsOf(scene: Scene): Record<Incident, number[]> {
  const { frames, data } = scene;
  const collision = data.names.fates.indexOf("collision");
  const ends: number[] = [];
  for (let i = 0; i < frames.t.length; i += 1) if (frames.fate[i] === collision && frames.to[i] >= 0) ends.push(frames.t[i] + frames.air[i] * 0.9);
  const sorted = (times: number[]) => times.sort((a, b) => a - b);
  return { collision: sorted(ends), drop: sorted(scene.drops.map((drop) => drop.t)), timeout: sorted(Array.from(scene.timeouts["t"])) };
}

/** The next time after `t` (by 1), or the one before it (by -1); undefined without. */
export function neighbor(times: number[], t: number, by: 1 | -1): number | undefined {
  const close = 1e-9;
  return by > 0 ? times.find((at) => at > t + close) : times.filter((at) => at < t - close).at(-1);
}
