// States that rows set, thinned to visible changes: `python/hoplab/report/animation/state.py` for a run from its start.

export interface Change {
  t: number;
  /** Order among rows. */
  nth: number;
  values: Record<string, number>;
}

/** Of several changes of one key within `grain` (in the unit of `t`), keeps the last; of equal ones in a row, the first. */
export class Changes {
  private readonly kept = new Map<number, Change[]>();
  private count = 0;

  constructor(private readonly grain: number) {}

  set(key: number, t: number, values: Record<string, number>): void {
    const change = { t, nth: (this.count += 1), values };
    const found = this.kept.get(key);
    if (!found) this.kept.set(key, [change]);
    else if (Math.floor(found[found.length - 1].t / this.grain) === Math.floor(t / this.grain)) found[found.length - 1] = change;
    else found.push(change);
  }

  /** Columns in order of time; `by` is the value whose changes count. */
  table(columns: string[], by: string): Record<string, Float64Array> {
    const all: Change[] = [];
    for (const changes of this.kept.values()) all.push(...changes.filter((one, i) => i === 0 || one.values[by] !== changes[i - 1].values[by]));
    all.sort((a, b) => a.t - b.t || a.nth - b.nth);
    const table: Record<string, Float64Array> = { t: Float64Array.from(all, (one) => one.t) };
    for (const name of columns) table[name] = Float64Array.from(all, (one) => one.values[name]);
    return table;
  }
}
