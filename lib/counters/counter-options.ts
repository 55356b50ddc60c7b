/** How a counter is displayed: what its events contain besides the values. */

import { checkOptionNames } from '../source/definition-checks.ts';
import { DefinitionError } from '../source/definition-error.ts';

export interface CounterOptions {
  /** The displayed name; the default is the name. */
  readonly displayName?: string;
  /** `MB`, `%` */
  readonly displayUnits?: string;
  /** Sent with each value, by name; without `:` and `,`, which separate names and values. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface IncrementingCounterOptions extends CounterOptions {
  /** Tools display the rate per this time, in whole seconds: 60,000 for increments per minute. */
  readonly displayRateMs?: number;
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
    throw new DefinitionError(source, `a counter's name must be a non-empty string, not ${String(name)}.`);
  }
  const place = `${source}.${name}`;
  checkOptionNames(place, options, isRate ? [...NAMES, 'displayRateMs'] : NAMES);
  const { displayName, displayUnits = '', metadata = {} } = options;
  const { displayRateMs } = options as IncrementingCounterOptions;
  return {
    name,
    // dotnet-counters shows only this: a counter without it would have no name there.
    displayName: String(displayName || name),
    displayUnits: String(displayUnits),
    metadata: Object.entries(metadata)
      .map((pair) => metadataText(place, pair))
      .join(','),
    rateTimeScale: displayRateMs === undefined ? '' : timeSpanText(place, displayRateMs),
  };
}

function metadataText(place: string, [key, value]: [string, string]): string {
  const text = `${key}:${value}`;
  if (text.split(':').length === 2 && !text.includes(',')) return text;
  throw new DefinitionError(place, `metadata must not contain ":" or ",", unlike "${key}" with "${value}".`);
}

/** Formats whole seconds as .NET formats a TimeSpan. */
function timeSpanText(place: string, displayRateMs: number): string {
  const seconds = displayRateMs / 1000;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds >= MAX_SECONDS) {
    throw new DefinitionError(
      place,
      `displayRateMs must be whole seconds, a multiple of 1000 below ${MAX_SECONDS}000, not ${String(displayRateMs)}.`,
    );
  }
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
