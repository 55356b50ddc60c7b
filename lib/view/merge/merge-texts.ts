/** What the merge of several traces has changed, in sentences. */
import type { MergedInput, MergedTrace } from './merged-trace.ts';

/** How the times of each trace have been corrected, and which processes got other ids; a sentence each. */
export function mergeTexts({ inputs }: MergedTrace): string[] {
  return inputs.flatMap((input) => [clockText(input), ...processTexts(input)]);
}

function clockText({ name, clock }: MergedInput): string {
  const { line, errorNs, driftErrorNsPerS, requests } = clock;
  switch (clock.state) {
    case 'reference':
      return `${name}: the clock that the others are compared with.`;
    case 'unknown':
      return `${name}: times as recorded, since no request connects it with the others.`;
    case 'contradictory':
      return `${name}: times as recorded, since its ${counted(requests)} contradict each other.`;
    case 'estimated': {
      const { offsetNs, driftNsPerS } = line;
      const known = `within ${(errorNs / 1e6).toFixed(3)} ms, by ${counted(requests)}`;
      if (offsetNs === 0 && driftNsPerS === 0) return `${name}: clock as recorded, accurate ${known}.`;
      const side = offsetNs < 0 ? 'behind' : 'ahead';
      const drift = `${ppm(driftNsPerS)} ± ${ppm(driftErrorNsPerS)} ppm`;
      return `${name}: clock ${(Math.abs(offsetNs) / 1e6).toFixed(3)} ms ${side}, drifting by ${drift}; corrected ${known}.`;
    }
  }
}

function ppm(nsPerS: number): string {
  return (nsPerS / 1000).toFixed(2);
}

function counted(requests: number): string {
  return requests === 1 ? '1 request' : `${requests} requests`;
}

const MAX_LISTED = 10;

function processTexts({ name, processIds }: MergedInput): string[] {
  const texts = [...processIds].slice(0, MAX_LISTED).map(([from, to]) => `${from} as ${to}`);
  const more = processIds.size > MAX_LISTED ? ' and so on' : '';
  return texts.length === 0
    ? []
    : [`${name}: process ids that another trace also uses are shown as others: ${texts.join(', ')}${more}.`];
}
