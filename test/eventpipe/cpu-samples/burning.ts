/** Work for a profiler to find. */
export function burnLong(ms: number): number {
  return burn(performance.now() + ms);
}

export function burnShort(ms: number): number {
  return burn(performance.now() + ms);
}

function burn(end: number): number {
  let sum = 0;
  while (performance.now() < end) for (let i = 0; i < 1000; i++) sum += Math.sqrt(i);
  return sum;
}
