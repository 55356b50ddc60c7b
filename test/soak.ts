/**
 * How long the tests that put load on something run: shortly in a test run, or for as many seconds as TRACEWRIGHT_SOAK
 * says. They prove the same in either case, and say then what they have seen.
 */
const asked = Number(process.env.TRACEWRIGHT_SOAK ?? '0') || 0;

export const isSoak = asked > 0;

/** The seconds to run, and the time limit of a test that runs for so long. */
export function soakFor(shortSeconds: number): { readonly seconds: number; readonly timeout: number } {
  const seconds = isSoak ? asked : shortSeconds;
  return { seconds, timeout: 5_000 * seconds + 300_000 };
}

export function showSoak(what: string, figures: unknown): void {
  if (isSoak) console.log(`${what}: ${typeof figures === 'string' ? figures : JSON.stringify(figures)}`);
}
