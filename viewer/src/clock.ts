// The simulated time shown, and how fast it advances.

/** Simulated seconds per second. A data frame lasts milliseconds: only slow speeds show single frames. */
export const SPEEDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
export const FIRST_SPEED = 0.01;

/** Longest advance per picture, in s: a late picture does not make the run jump. */
const LONGEST_TICK = 0.1;

export class Clock {
  t: number;
  speed = FIRST_SPEED;
  running = false;
  private last: number | undefined;

  constructor(
    readonly begin: number,
    readonly end: number,
  ) {
    this.t = begin;
  }

  seek(t: number): void {
    this.t = Math.min(Math.max(t, this.begin), this.end);
  }

  play(): void {
    if (this.t >= this.end) this.t = this.begin;
    this.running = true;
    this.last = undefined;
  }

  pause(): void {
    this.running = false;
  }

  faster(by: number): void {
    const at = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)];
  }

  /** Advances to the picture at `now` (ms). Stops at the end of the run. */
  tick(now: number): void {
    const passed = this.last === undefined ? 0 : Math.min((now - this.last) / 1000, LONGEST_TICK);
    this.last = now;
    if (!this.running) return;
    this.seek(this.t + passed * this.speed);
    if (this.t >= this.end) this.running = false;
  }
}

/** Formats a time in s with microsecond digits, in groups of three. */
export function shownTime(t: number): string {
  const [whole, part] = t.toFixed(6).split(".");
  return `${whole}.${part.slice(0, 3)}\u202f${part.slice(3)} s`;
}
