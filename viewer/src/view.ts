// What all parts of the picture share: the run, the moment, the camera, what is chosen and what is switched on.
import type { Camera } from "./camera.ts";
import type { LookName, Paper } from "./looks.ts";
import type { Scene } from "./scene.ts";

export type Layer =
  | LookName
  | "lost"
  | "routes"
  | "queues"
  | "congestion"
  | "proxies"
  | "levels"
  | "headers"
  | "estimates"
  | "drops"
  | "ranges";

export type Choice = { of: "node" | "flow"; id: number } | null;

export interface View {
  scene: Scene;
  camera: Camera;
  t: number;
  /** For so long after its end a frame or drop stays visible, in simulated s. */
  glow: number;
  choice: Choice;
  layers: Set<Layer>;
  paper: Paper;
  /** Radius of a node in px. */
  radius: number;
  /** Places of nodes at `t`, in px. */
  px: Float64Array;
  py: Float64Array;
  /** Way of the chosen flow, from its source. */
  way: number[];
}

export function shows(view: View, layer: Layer): boolean {
  return view.layers.has(layer);
}
