// Means with 95 % confidence intervals, as hoplab/stats/interval.py has them.

/** 0.975 quantiles of Student's t distribution for 1 to 30 degrees of freedom (any table of statistics). */
const T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086,
  2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

export interface Interval {
  mean: number;
  /** Half its width; NaN with one value. */
  half: number;
  n: number;
}

export function interval(values: number[]): Interval {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, half: NaN, n };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const t = T[Math.min(n - 1, T.length) - 1];
  return { mean, half: t * Math.sqrt(variance / n), n };
}
