/** What pprof's readers find in a profile, decoded by Datadog's package for the format. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { installedTools } from '../consumers/application.ts';

const tools = installedTools({ 'pprof-format': '2.3.2' });

export const NO_PPROF = 'reason' in tools ? tools.reason : undefined;

export interface ShownSample {
  /** The names of functions, the leaf first. */
  readonly functions: readonly string[];
  readonly count: number;
  readonly cpuNs: number;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ShownProfile {
  readonly samples: readonly ShownSample[];
  /** `burn /app.mjs:12`, where the file and line are those of the function. */
  readonly functions: ReadonlySet<string>;
  readonly sampleTypes: readonly string[];
  readonly defaultSampleType: string;
  readonly period: string;
  readonly timeNanos: bigint;
  readonly durationNanos: number;
}

type Numeric = number | bigint;

interface Decoded {
  readonly sampleType: readonly { type: Numeric; unit: Numeric }[];
  readonly sample: readonly {
    locationId: readonly Numeric[];
    value: readonly Numeric[];
    label: readonly { key: Numeric; str: Numeric }[];
  }[];
  readonly location: readonly { id: Numeric; line: readonly { functionId: Numeric; line: Numeric }[] }[];
  readonly function: readonly {
    id: Numeric;
    name: Numeric;
    filename: Numeric;
    startLine: Numeric;
  }[];
  readonly stringTable: { readonly strings: readonly string[] };
  readonly timeNanos: Numeric;
  readonly durationNanos: Numeric;
  readonly periodType: { type: Numeric; unit: Numeric };
  readonly period: Numeric;
  readonly defaultSampleType: Numeric;
}

/** @throws Error that names the broken rule */
export function checkPprof(bytes: Uint8Array): ShownProfile {
  const require = createRequire(join('folder' in tools ? tools.folder : '', 'package.json'));
  const { Profile } = require('pprof-format') as { Profile: { decode(bytes: Uint8Array): Decoded } };
  const profile = Profile.decode(gunzipSync(bytes));
  const { strings } = profile.stringTable;
  demand(strings[0] === '', 'The first text is empty', strings[0]);
  const text = (index: Numeric) => found(strings[Number(index)], 'A text', index);
  const typeOf = ({ type, unit }: { type: Numeric; unit: Numeric }) => `${text(type)}/${text(unit)}`;
  const functions = byId(profile.function);
  const locations = byId(profile.location);
  const nameOf = (id: Numeric) => {
    const { line } = found(locations.get(Number(id)), 'A location', id);
    demand(line.length === 1, 'A location is in one function', line);
    return text(found(functions.get(Number(line[0]?.functionId)), 'A function', line).name);
  };
  return {
    samples: profile.sample.map(({ locationId, value, label }) => {
      demand(value.length === profile.sampleType.length, 'A sample has a value of each type', value);
      const labels = label.map(({ key, str }) => [text(key), text(str)] as const);
      demand(new Set(labels.map(([key]) => key)).size === labels.length, 'Labels are different', labels);
      return {
        functions: locationId.map(nameOf),
        count: Number(value[0]),
        cpuNs: Number(value[1]),
        labels: Object.fromEntries(labels),
      };
    }),
    functions: new Set(
      profile.function.map(
        ({ name, filename, startLine }) => `${text(name)} ${text(filename)}:${Number(startLine)}`,
      ),
    ),
    sampleTypes: profile.sampleType.map(typeOf),
    defaultSampleType: text(profile.defaultSampleType),
    period: `${Number(profile.period)} ${typeOf(profile.periodType)}`,
    timeNanos: BigInt(profile.timeNanos),
    durationNanos: Number(profile.durationNanos),
  };
}

function byId<T extends { readonly id: Numeric }>(items: readonly T[]): ReadonlyMap<number, T> {
  const map = new Map(items.map((item) => [Number(item.id), item]));
  demand(map.size === items.length && !map.has(0), 'Ids are different, and not 0', [...map.keys()]);
  return map;
}

function found<T>(value: T | undefined, what: string, where: unknown): T {
  demand(value !== undefined, `${what} is in its table`, where);
  return value as T;
}

function demand(condition: boolean, rule: string, where: unknown): void {
  if (condition) return;
  const text = JSON.stringify(where, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  throw new Error(`${rule}: ${text?.slice(0, 300)}`);
}
