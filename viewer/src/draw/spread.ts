// Moves the disks of nodes apart that would cover each other.

/** Passes over all pairs; a cluster of a few nodes is apart after some. */
const PASSES = 12;
/** More nodes than this are not moved apart. */
export const MOST_SPREAD = 150;
/** Direction for nodes in one place, by index: the golden angle keeps them apart. */
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** Shifts positions in px until disks of `radius` are `gap` apart; nodes with room stay. Returns whether one was shifted. */
export function spread(px: Float64Array, py: Float64Array, radius: number, gap = 2): boolean {
  const least = 2 * radius + gap;
  let moved = false;
  for (let pass = 0; pass < PASSES; pass += 1) {
    let clean = true;
    for (let a = 0; a < px.length; a += 1)
      for (let b = a + 1; b < px.length; b += 1) {
        let [dx, dy] = [px[b] - px[a], py[b] - py[a]];
        if (Math.abs(dx) >= least || Math.abs(dy) >= least) continue;
        let distance = Math.hypot(dx, dy);
        if (distance >= least - 0.01) continue;
        if (distance < 0.01) {
          [dx, dy] = [Math.cos(GOLDEN * b), Math.sin(GOLDEN * b)];
          distance = 1;
        }
        const push = (least - Math.hypot(px[b] - px[a], py[b] - py[a])) / 2 / distance;
        px[a] -= dx * push;
        py[a] -= dy * push;
        px[b] += dx * push;
        py[b] += dy * push;
        clean = false;
        moved = true;
      }
    if (clean) break;
  }
  return moved;
}
