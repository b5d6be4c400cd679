// Numbers in sentences, as python/hoplab/explain writes them.

/** A number and what it counts. */
export function counted(number: number, of: string): string {
  return number === 1 ? `1 ${of}` : `${number} ${of}s`;
}

/** A number of so many significant digits. */
export function rounded(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}

/** A time in seconds or milliseconds. */
export function duration(seconds: number): string {
  return seconds >= 1 ? `${rounded(seconds, 3)} s` : `${rounded(seconds * 1e3, 3)} ms`;
}
