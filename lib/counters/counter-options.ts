/** How a counter is shown: what its events say beside its values. */

import { checkOptionNames } from '../source/definition-checks.ts';
import { DefinitionError } from '../source/definition-error.ts';

export interface CounterOptions {
  /** What tools show; the name unless given. */
  readonly displayName?: string;
  /** `MB`, `%` */
  readonly displayUnits?: string;
  /** Told with each value, by name; without `:` and `,`, which tell names and values apart. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface IncrementingCounterOptions extends CounterOptions {
  /** Of the rate that tools are to show: 60 for increments each minute. */
  readonly displayRateSeconds?: number;
}

export interface CounterTexts {
  readonly name: string;
  readonly displayName: string;
  readonly displayUnits: string;
  readonly metadata: string;
  readonly rateTimeScale: string;
}

const NAMES = ['displayName', 'displayUnits', 'metadata'];
const MAX_SECONDS = 86_400;

/** @throws DefinitionError */
export function counterTexts(
  source: string,
  name: string,
  options: CounterOptions,
  isRate: boolean,
): CounterTexts {
  if (typeof name !== 'string' || name === '') {
    throw new DefinitionError(source, `a counter's name is a string that is not empty, not ${String(name)}.`);
  }
  const place = `${source}.${name}`;
  checkOptionNames(place, options, isRate ? [...NAMES, 'displayRateSeconds'] : NAMES);
  const { displayName, displayUnits = '', metadata = {} } = options;
  const { displayRateSeconds } = options as IncrementingCounterOptions;
  return {
    name,
    // dotnet-counters shows this alone: a counter without it would be nameless there.
    displayName: String(displayName || name),
    displayUnits: String(displayUnits),
    metadata: Object.entries(metadata)
      .map((pair) => metadataText(place, pair))
      .join(','),
    rateTimeScale: displayRateSeconds === undefined ? '' : timeSpanText(place, displayRateSeconds),
  };
}

function metadataText(place: string, [key, value]: [string, string]): string {
  const text = `${key}:${value}`;
  if (text.split(':').length === 2 && !text.includes(',')) return text;
  throw new DefinitionError(place, `metadata has no ":" and "," in it, unlike "${key}" with "${value}".`);
}

/** As .NET writes a TimeSpan of whole seconds. */
function timeSpanText(place: string, seconds: number): string {
  if (!Number.isInteger(seconds) || seconds < 1 || seconds >= MAX_SECONDS) {
    throw new DefinitionError(
      place,
      `displayRateSeconds is an integer from 1 to ${MAX_SECONDS - 1}, not ${String(seconds)}.`,
    );
  }
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
