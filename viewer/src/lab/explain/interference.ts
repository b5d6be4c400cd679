// Collisions with their interferers, and exposed terminals: python/hoplab/explain/interference.py for a run from its start.
import { counted } from "./words.ts";
import type { Recording, Resolved } from "../engine.ts";

/** Upper bound of a frame's airtime, in s. */
const LONGEST_S = 0.03;
/** Path loss exponent at large distances. */
const EXPONENTS: Record<string, number> = { free_space: 2, two_ray: 4 };
/** Links whose pairs are looked at. */
const MOST_LINKS = 200;

type Trajectory = Recording["trajectories"][number];
type Point = [number, number];

/** A frame that begins or is lost. */
export interface FrameRow {
  t_s: number;
  airtime_s: number;
  sent: boolean;
  node: number;
  peer: number;
  flow: number;
  frame: string;
  collided: boolean;
}

interface Overlap {
  t_s: number;
  sender: number;
  receiver: number;
  others: number[];
}

interface Link {
  from: number;
  to: number;
  frames: number;
}

export class Interference {
  private recent: { begin: number; end: number; node: number; frame: string }[] = [];
  private readonly overlaps: Overlap[] = [];
  private readonly links = new Map<string, Link>();

  read({ t_s, airtime_s, sent, node, peer, flow, frame, collided }: FrameRow): void {
    if (sent) {
      this.recent = this.recent.filter(({ begin }) => begin >= t_s - 2 * LONGEST_S);
      this.recent.push({ begin: t_s, end: t_s + airtime_s, node, frame });
      if (frame === "data" && peer >= 0 && flow >= 0) {
        const key = `${node} ${peer}`;
        const link = this.links.get(key) ?? { from: node, to: peer, frames: 0 };
        link.frames += 1;
        this.links.set(key, link);
      }
      return;
    }
    if (!collided) return;
    const mine = this.recent.findLast((one) => one.node === peer && one.frame === frame);
    if (!mine) return;
    const others = new Set(this.recent.filter((one) => one.begin < mine.end && one.end > mine.begin).map((one) => one.node));
    others.delete(peer);
    others.delete(node);
    this.overlaps.push({ t_s, sender: peer, receiver: node, others: [...others].sort((a, b) => a - b) });
  }

  sentences(trajectories: Trajectory[], resolved: Resolved): string[] {
    const sense = resolved.facts.cs_range_m;
    return [...this.ofHidden(trajectories, sense), ...this.ofExposed(trajectories, sense, marginOf(resolved))];
  }

  private ofHidden(trajectories: Trajectory[], sense: number): string[] {
    const found = new Map<string, { sender: number; receiver: number; other: number; hidden: boolean; frames: number }>();
    for (const { t_s, sender, receiver, others } of this.overlaps)
      for (const other of others) {
        const place = position(trajectories[other], t_s);
        if (distance(place, position(trajectories[receiver], t_s)) > sense) continue;
        const hidden = distance(place, position(trajectories[sender], t_s)) > sense;
        const key = `${sender} ${receiver} ${other} ${hidden}`;
        const collision = found.get(key) ?? { sender, receiver, other, hidden, frames: 0 };
        collision.frames += 1;
        found.set(key, collision);
      }
    if (found.size === 0) return ["No collisions."];
    const all = [...found.values()].sort((a, b) => b.frames - a.frames);
    const hidden = all.filter((one) => one.hidden);
    const sum = (list: typeof all) => list.reduce((total, { frames }) => total + frames, 0);
    const share = ((100 * sum(hidden)) / sum(all)).toFixed(0);
    return [
      `Collisions: ${counted(sum(all), "frame-interferer pair")}, ${share} % with a hidden terminal.`,
      ...hidden
        .slice(0, 3)
        .map(({ sender, receiver, other, frames }) => `Node ${other} cannot sense node ${sender} and collided with ${frames} of its frames at node ${receiver}.`),
    ];
  }

  private ofExposed(trajectories: Trajectory[], sense: number, margin: number): string[] {
    const busiest = [...this.links.values()].sort((a, b) => b.frames - a.frames).slice(0, MOST_LINKS);
    const links = busiest.filter(({ from, to }) => trajectories[from].legs.length + trajectories[to].legs.length === 0);
    const apart = (a: number, b: number) => distance(trajectories[a].start, trajectories[b].start);
    const survives = (sender: number, to: number, other: number) => apart(other, to) > sense || apart(other, to) >= margin * apart(sender, to);
    const pairs: [Link, Link][] = [];
    links.forEach((first, i) => {
      for (const second of links.slice(i + 1)) {
        const { from: a, to: b } = first;
        const { from: c, to: d } = second;
        if (new Set([a, b, c, d]).size === 4 && apart(a, c) <= sense && survives(a, b, c) && survives(c, d, a)) pairs.push([first, second]);
      }
    });
    if (pairs.length === 0) return [];
    const least = ([first, second]: [Link, Link]) => Math.min(first.frames, second.frames);
    const [first, second] = pairs.reduce((most, pair) => (least(pair) > least(most) ? pair : most));
    return [
      `Exposed terminals: ${pairs.length === 1 ? "1 link pair defers although its" : `${pairs.length} link pairs defer although their`} data would not collide.`,
      `Links ${first.from} to ${first.to} and ${second.from} to ${second.to} defer to each other.`,
    ];
  }
}

/** Smallest ratio of the interferer's distance to the sender's at which the frame is captured. */
function marginOf({ scenario }: Resolved): number {
  const radio = scenario["radio"] as { propagation: string; path_loss_exponent: number; capture_ratio: number };
  const exponent = radio.propagation === "shadowing" ? radio.path_loss_exponent : (EXPONENTS[radio.propagation] ?? 4);
  return radio.capture_ratio ** (1 / exponent);
}

function position({ start, legs }: Trajectory, t_s: number): Point {
  const leg = legs.findLast(([begin]) => begin <= t_s);
  if (!leg) return start;
  const [t0, x0, y0, t1, x1, y1] = leg;
  if (t_s >= t1) return [x1, y1];
  const share = (t_s - t0) / (t1 - t0);
  return [x0 + (x1 - x0) * share, y0 + (y1 - y0) * share];
}

function distance([x0, y0]: Point, [x1, y1]: Point): number {
  return Math.hypot(x1 - x0, y1 - y0);
}
