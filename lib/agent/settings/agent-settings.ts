/** The settings of an agent, from its JSON file. */
import { thrownMessage } from '../../base/value-text.ts';
import { tracingProviders } from '../../eventpipe/session-provider.ts';
import { MAX_LEVEL } from '../../wire/diagnostics-ipc/constants.ts';
import type { TracingProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import {
  boolean,
  choice,
  type Kind,
  list,
  number,
  object,
  optional,
  Place,
  type Settings,
  text,
  texts,
} from './setting-kinds.ts';

const DAY = 86_400_000;
const YEAR = 366 * DAY;
const MB = 1e6;
const MAX_BYTES = 2 ** 50;
const size = number(0.1 * MB, MAX_BYTES);
const PROFILE = { intervalMs: 60_000, durationMs: 10_000 };
const RING = { maxBytes: 16 * MB, maxAgeMs: 60_000 };
const FILE = { maxBytes: 64 * MB, maxAgeMs: 60_000 };
const url = text('a URL that starts with http:// or https://', (value) =>
  ['http:', 'https:'].includes(URL.canParse(value) ? new URL(value).protocol : ''),
);

/** Texts in dotnet-trace's syntax. */
const providers: Kind<readonly TracingProvider[]> = (value, place) => {
  if (typeof value !== 'string')
    return place.refuse(value, 'a text such as "MyCompany-MyService:0x1:Informational"');
  try {
    const parsed = tracingProviders(value);
    if (parsed.length === 0) place.refuse(value, 'a list of providers');
    return parsed;
  } catch (error) {
    place.problems.push(`${place.path}: ${thrownMessage(error)}`);
    return [];
  }
};

const TRIGGERS = {
  startup: object({ type: text() }),
  interval: object({ type: text(), intervalMs: number(1000, YEAR) }),
  counter: object({
    type: text(),
    provider: text('the name of a provider', (name) => !/[,:;=]/.test(name)),
    counter: text(),
    above: optional(number(-Number.MAX_VALUE, Number.MAX_VALUE)),
    below: optional(number(-Number.MAX_VALUE, Number.MAX_VALUE)),
    forMs: optional(number(0, DAY), 0),
  }),
  slow: object({ type: text(), activity: optional(text(), '*'), limitMs: number(0, YEAR) }),
  failure: object({ type: text(), activity: optional(text(), '*') }),
  event: object({
    type: text(),
    provider: optional(text(), '*'),
    event: optional(text(), '*'),
    level: optional(number(1, MAX_LEVEL, true)),
    fields: optional(texts, {}),
  }),
};
type TriggerType = keyof typeof TRIGGERS;
/** One of the types, with its settings. */
export type Trigger = {
  [Type in TriggerType]: { readonly type: Type } & Omit<ReturnType<(typeof TRIGGERS)[Type]>, 'type'>;
}[TriggerType];

const triggerType = choice(...(Object.keys(TRIGGERS) as TriggerType[]));

const trigger: Kind<Trigger> = (value, place) => {
  const given = object({ type: triggerType })({ type: (value as { type?: unknown } | null)?.type }, place);
  if (given.type === undefined) return undefined as never;
  const read = TRIGGERS[given.type](value, place) as Trigger;
  if (read.type === 'counter' && (read.above === undefined) === (read.below === undefined)) {
    place.problems.push(`${place.path} must have either above or below.`);
  }
  return read;
};

const rule = object({
  name: text('a name of letters, digits, - and _', (value) => /^[\w-]{1,64}$/.test(value)),
  match: optional(
    object({
      name: optional(text(), '*'),
      commandLine: optional(text(), '*'),
      environment: optional(texts, {}),
      container: optional(text()),
      runtime: optional(choice('node', 'dotnet')),
    }),
    { name: '*', commandLine: '*', environment: {}, container: undefined, runtime: undefined },
  ),
  providers,
  profile: optional(
    object({
      intervalMs: optional(number(1000, DAY), PROFILE.intervalMs),
      durationMs: optional(number(100, DAY), PROFILE.durationMs),
    }),
  ),
  collect: optional(choice('stream', 'ring'), 'stream'),
  ring: optional(
    object({
      maxBytes: optional(number(0.1 * MB, 4096 * MB), RING.maxBytes),
      maxAgeMs: optional(number(1000, DAY), RING.maxAgeMs),
    }),
    RING,
  ),
  triggers: optional(list(trigger), []),
  durationMs: optional(number(0, DAY), 10_000),
  limits: optional(
    object({
      count: optional(number(1, 1e6, true)),
      perHour: optional(number(1, 1e6, true), 12),
      maxAgeMs: optional(number(1000, YEAR)),
      maxBytesPerSecond: optional(number(0.1 * MB, 1e4 * MB), 50 * MB),
    }),
    { count: undefined, perHour: 12, maxAgeMs: undefined, maxBytesPerSecond: 50 * MB },
  ),
  file: optional(
    object({
      maxBytes: optional(size, FILE.maxBytes),
      maxAgeMs: optional(number(100, DAY), FILE.maxAgeMs),
    }),
    FILE,
  ),
  otlp: optional(boolean, true),
});
export type RuleSettings = ReturnType<typeof rule>;

const SETTINGS = {
  folder: text('the path of a folder'),
  scanIntervalMs: optional(number(100, 3_600_000), 5000),
  maxSessions: optional(number(1, 1e5, true), 1000),
  disk: optional(
    object({
      maxBytes: optional(size, 1024 * MB),
      whenFull: optional(choice('removeOldest', 'refuseNew'), 'removeOldest'),
    }),
    { maxBytes: 1024 * MB, whenFull: 'removeOldest' },
  ),
  memory: optional(object({ maxBytes: optional(size) })),
  metrics: optional(
    object({ host: optional(text(), '127.0.0.1'), port: optional(number(0, 65_535, true), 9464) }),
    { host: '127.0.0.1', port: 9464 },
  ),
  parquet: optional(
    object({ folder: optional(text('the path of a folder')), keepNettrace: optional(boolean, false) }),
  ),
  otlp: optional(object({ url, headers: optional(texts, {}) })),
  rules: list(rule, 1),
};
export type AgentSettings = Settings<typeof SETTINGS>;

/** A file that cannot be used; its problems are sentences. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param file its name, for the sentences */
  constructor(file: string, problems: readonly string[]) {
    super(problems.map((problem) => `${file}: ${problem}`).join('\n'));
  }
}

/** @throws SettingsError with all problems */
export function readAgentSettings(json: string, file: string): AgentSettings {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new SettingsError(file, [`It is not JSON: ${thrownMessage(error)}.`]);
  }
  const place = new Place('', []);
  const settings = object(SETTINGS)(value, place);
  if (place.problems.length === 0) checkRules(settings, place);
  if (place.problems.length > 0) throw new SettingsError(file, place.problems);
  return settings;
}

function checkRules({ rules }: AgentSettings, { problems }: Place): void {
  const names = new Set<string>();
  for (const [i, { name, collect, triggers, profile }] of rules.entries()) {
    if (names.has(name)) problems.push(`rules[${i}].name is "${name}", as that of an earlier rule.`);
    names.add(name);
    if (collect === 'ring' && triggers.length === 0) {
      problems.push(`rules[${i}] collects a ring, but has no triggers: nothing would ever be written.`);
    }
    if (profile === undefined) continue;
    if (collect === 'ring' || triggers.length > 0) {
      problems.push(`rules[${i}] has a profile, which is a stream without triggers.`);
    }
    if (profile.durationMs >= profile.intervalMs) {
      problems.push(
        `rules[${i}].profile.durationMs must be less than its intervalMs, ${profile.intervalMs}.`,
      );
    }
  }
}
