// A step function of time: each value is valid until the next change.

/** Index of the last time at or before `t`; -1 if there is none. */
export function lastAt(times: ArrayLike<number>, t: number, from = 0, to = times.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export class Steps {
  private hint = 0;

  constructor(
    readonly times: number[] = [],
    readonly values: number[] = [],
  ) {}

  push(time: number, value: number): void {
    this.times.push(time);
    this.values.push(value);
  }

  /** The value at `t`, or `before` ahead of the first change. Queries in order of time take constant time. */
  at(t: number, before: number): number {
    const { times, values, hint } = this;
    if (times.length === 0 || t < times[0]) return before;
    if (times[hint] <= t) {
      if (hint + 1 >= times.length || times[hint + 1] > t) return values[hint];
      if (hint + 2 >= times.length || times[hint + 2] > t) {
        this.hint = hint + 1;
        return values[hint + 1];
      }
    }
    this.hint = lastAt(times, t);
    return values[this.hint];
  }
}

/** Builds one step function per key of a table. */
export function stepsBy(times: ArrayLike<number>, keys: ArrayLike<number>, values: ArrayLike<number>): Map<number, Steps> {
  const found = new Map<number, Steps>();
  for (let i = 0; i < times.length; i += 1) {
    let steps = found.get(keys[i]);
    if (!steps) found.set(keys[i], (steps = new Steps()));
    steps.push(times[i], values[i]);
  }
  return found;
}
