/** What differs between two traces, as sentences for people. */
import { OUTSIDE } from '../explain/explained-activities.ts';
import { duration } from '../explain/sentences.ts';
import type { State } from '../explain/states.ts';
import { thousands } from '../number-text.ts';
import type { Cause, Difference, KindDifference, Measure } from './trace-comparison.ts';

/** A sentence names no more causes. */
const MAX_CAUSES = 3;
/** Causes below this share of the largest one are not told. */
const MIN_CAUSE = 0.1;

/** A sentence for each kind of change. */
export function differenceSentences(kind: KindDifference): string[] {
  const { label, before, after, differences } = kind;
  const of = (measure: Measure) => differences.filter((each) => each.measure === measure);
  const sentences: string[] = [];
  const [frequency] = of('frequency');
  if (before === undefined && after !== undefined) {
    return [`${label} is new: ${thousands(after.count)} times.`];
  }
  if (after === undefined && before !== undefined) {
    return [`${label} is gone: it was there ${thousands(before.count)} times.`];
  }
  const times = of('duration');
  if (times.length > 0) {
    sentences.push(
      `${label} became ${directionOf(times)}: ${times.map(quantileText).join(', ')}${causeText(kind)}.`,
    );
  } else {
    const states = of('state');
    if (states.length > 0) {
      sentences.push(
        `A part of ${label} became ${directionOf(states)}${causeText(kind)}; as a whole it differs no more than by noise.`,
      );
    }
  }
  for (const calls of callsTexts(of('calls'))) sentences.push(`${label} calls ${calls}.`);
  if (frequency !== undefined) {
    const more = frequency.after > frequency.before ? 'more' : 'less';
    sentences.push(
      `${label} became ${more} frequent: ${perHundred(frequency.after)} instead of ${perHundred(frequency.before)} to ` +
        `100 activities at the top (${thousands(after?.count ?? 0)} times, before ${thousands(before?.count ?? 0)}).`,
    );
  }
  for (const { before: from, after: to } of of('failures')) {
    const more = to > from ? 'more' : 'less';
    sentences.push(
      `${label} fails ${more} often: ${percent(to)} instead of ${percent(from)} ` +
        `(${thousands(after?.failed ?? 0)} of ${thousands(after?.count ?? 0)}, ` +
        `before ${thousands(before?.failed ?? 0)} of ${thousands(before?.count ?? 0)}).`,
    );
  }
  return sentences;
}

function directionOf(differences: readonly Difference[]): string {
  const slower = differences.some(({ before, after }) => after > before);
  const faster = differences.some(({ before, after }) => after < before);
  if (slower && faster) return 'slower and faster';
  return slower ? 'slower' : 'faster';
}

/** `p50 21.0 ms → 27.4 ms (+30 %; 95 % certain: +4.8 ms to +7.9 ms)` */
function quantileText({ quantile = 0, before, after, low = 0, high = 0 }: Difference): string {
  const change = before === 0 ? '' : `${signed(Math.round((100 * (after - before)) / before))} %; `;
  return (
    `p${quantile * 100} ${duration(before)} → ${duration(after)} ` +
    `(${change}95 % interval ${bound(low)} to ${bound(high)})`
  );
}

function bound(ns: number): string {
  if (!Number.isFinite(ns)) return 'unknown';
  return `${ns < 0 ? '-' : '+'}${duration(Math.abs(ns))}`;
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${thousands(value)}`;
}

/** `; mostly SELECT …: 6.20 ms more each (10.1 → 16.3 ms)` */
function causeText({ causes }: KindDifference): string {
  const [first] = causes;
  if (first === undefined) return '';
  const certain = first.isCertain ? causes.filter(({ isCertain }) => isCertain) : [first];
  const least = MIN_CAUSE * Math.abs(first.after - first.before);
  const told = certain
    .filter(({ before, after }) => Math.abs(after - before) >= least)
    .slice(0, MAX_CAUSES)
    .map(causePart);
  return `${first.isCertain ? ', by' : ', perhaps by'} ${told.join(', ')}`;
}

function causePart({ state, what, before, after, code }: Cause): string {
  const name = `${partText(state, what)}${code === undefined ? '' : ` (${code})`}`;
  return `${name}, on average ${duration(before)} → ${duration(after)}`;
}

function partText(state: State, what: string): string {
  switch (state) {
    case 'running':
      return 'its own code';
    case 'offProcessor':
      return 'its own code while on no processor';
    case 'collection':
      return `garbage collection in ${what === '' ? OUTSIDE : what}`;
    case 'held':
      return what === '' ? 'the loop, which ran others' : `the loop, which ran ${what}`;
    case 'child':
      return what === '' ? 'what it calls' : what;
    case 'threadPool':
      return `the thread pool${what === '' ? '' : ` (${what})`}`;
    case 'pool':
    case 'otherSide':
      return `waiting for ${what === '' ? 'others' : what}`;
    case 'timer':
      return 'timers of its own';
    case 'unknown':
      return `unknown waits${what === '' ? '' : ` (${what})`}`;
  }
}

/** Both quantiles of a call in one text. */
function callsTexts(differences: readonly Difference[]): string[] {
  return [...new Set(differences.map(({ what }) => what))].map((what) => {
    const each = differences.filter((difference) => difference.what === what);
    const texts = each.map(
      ({ quantile = 0, before, after }) =>
        `${thousands(after)} times instead of ${thousands(before)} (p${quantile * 100})`,
    );
    return `${what} ${texts.join(', ')}`;
  });
}

function perHundred(share: number): string {
  const value = 100 * share;
  return value >= 100 ? thousands(Math.round(value)) : String(Number(value.toPrecision(2)));
}

function percent(share: number): string {
  return `${perHundred(share)} %`;
}
