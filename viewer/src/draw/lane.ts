// The runs of an animation: each with its picture and incidents.
import { incidentsOf } from "../data/incidents.ts";
import type { Incident } from "../data/incidents.ts";
import { Scene } from "../data/scene.ts";
import { element } from "../panels/dom.ts";
import { Camera } from "./camera.ts";
import { Picture } from "./picture.ts";
import type { Paper } from "./styles.ts";

/** One run of the animation. */
export interface Lane {
  scene: Scene;
  canvas: HTMLCanvasElement;
  picture: Picture;
  incidents: Record<Incident, number[]>;
}

/** The picture of a run, on a canvas of its own. */
export function laneOf(scene: Scene, paper: Paper): Lane {
  const canvas = element("canvas", { class: "v-canvas", tabindex: 0, role: "application", "aria-roledescription": "animation" });
  const picture = new Picture(canvas, scene, new Camera(scene.trajectories.box()), paper);
  return { scene, canvas, picture, incidents: incidentsOf(scene) };
}

/** Incidents of each kind in all runs. */
export function countsOf(lanes: Lane[]): Record<Incident, number> {
  const of = (kind: Incident) => lanes.reduce((sum, lane) => sum + lane.incidents[kind].length, 0);
  return { collision: of("collision"), drop: of("drop"), timeout: of("timeout") };
}

/** Start position: the first data frame on the air. */
export function firstSight(scene: Scene): number {
  const { frames, data } = scene;
  const carries = new Set(data.names.kinds.flatMap((kind, i) => (kind === "segment" || kind === "datagram" ? [i] : [])));
  for (let i = 0; i < frames.t.length; i += 1) if (carries.has(frames.kind[i])) return frames.t[i] + frames.air[i] / 2;
  return scene.begin;
}

/** Colors of the page. */
export function paperOf(root: HTMLElement): Paper {
  const style = getComputedStyle(root);
  const color = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  return {
    ink: color("--ink", "#1a1f24"),
    soft: color("--soft", "#57606a"),
    line: color("--line", "#d8dee4"),
    paper: color("--paper", "#ffffff"),
    wash: color("--wash", "#f4f6f8"),
  };
}
