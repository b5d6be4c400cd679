// State shared by the drawing functions: run, time, camera, selection and visible layers.
import type { Camera } from "./camera.ts";
import type { StyleName, Paper } from "./styles.ts";
import type { Scene } from "../data/scene.ts";

export type Layer =
  | StyleName
  | "lost"
  | "categories"
  | "routes"
  | "queues"
  | "congestion"
  | "proxies"
  | "levels"
  | "headers"
  | "estimates"
  | "drops"
  | "ranges"
  | "wires"
  | `channel ${number}`;

export type Choice = { of: "node" | "flow"; id: number } | null;

export interface View {
  scene: Scene;
  camera: Camera;
  t: number;
  /** How long a frame stays visible after its end, in simulated s. */
  glow: number;
  choice: Choice;
  layers: Set<Layer>;
  paper: Paper;
  /** Radius of a node in px. */
  radius: number;
  /** Positions of nodes at `t`, in px. */
  px: Float64Array;
  py: Float64Array;
  /** Route of the selected flow, from its source. */
  route: number[];
}

export function shows(view: View, layer: Layer): boolean {
  return view.layers.has(layer);
}
