// Exchanges of RTS, CTS, data and ACK: their NAV lasts from the end of the RTS or CTS to the end of the ACK.
import type { Frames } from "./scene.ts";
import { lastAt } from "./steps.ts";

/** A frame of an exchange follows the one before after SIFS and its preamble: within this time, in s. */
const GAP = 0.001;

export interface Exchange {
  from: number;
  to: number;
  /** End of the RTS: neighbors of `from` set their NAV. */
  t: number;
  /** End of the CTS: neighbors of `to` set their NAV; Infinity without a CTS. */
  cts: number;
  /** End of its last frame. */
  end: number;
}

/** Every exchange that an RTS opens, in order of time. */
export function exchangesOf(frames: Frames, kinds: string[], nodes: number): Exchange[] {
  const found: Exchange[] = [];
  const open = new Map<number, Exchange>();
  for (let i = 0; i < frames.t.length; i += 1) {
    const [from, to] = [frames.from[i], frames.to[i]];
    if (to < 0) continue;
    const kind = kinds[frames.kind[i]];
    const end = frames.t[i] + frames.air[i];
    if (kind === "rts") {
      const opened = { from, to, t: end, cts: Infinity, end };
      open.set(from * nodes + to, opened);
      found.push(opened);
      continue;
    }
    const isResponse = kind === "cts" || kind === "mac_ack";
    const running = open.get(isResponse ? to * nodes + from : from * nodes + to);
    if (!running || frames.t[i] - running.end > GAP) continue;
    if (kind === "cts") running.cts = end;
    running.end = end;
  }
  return found;
}

/** The exchange of a node whose NAV is set at `t`, if any. */
export function exchangeAt(exchanges: Exchange[], times: ArrayLike<number>, node: number, t: number, longest: number): Exchange | null {
  for (let i = lastAt(times, t); i >= 0 && exchanges[i].t > t - longest; i -= 1) {
    const one = exchanges[i];
    if ((one.from === node || one.to === node) && t < one.end) return one;
  }
  return null;
}
