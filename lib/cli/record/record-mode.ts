/** How the events that `tracewright record` records reach us, and which options apply. */
import { UsageError } from '../parse-options.ts';
import { ETW_OPTIONS, type RecordValues } from './record-options.ts';

/**
 * - `system`: from all programs, through the system's tracer
 * - `user_events`: from one process, through the system's tracer, to which we give it access
 */
export type RecordMode = 'system' | 'user_events';

/** @throws UsageError for options that do not apply */
export function modeArgument(
  values: RecordValues,
  command: readonly string[],
  platform: NodeJS.Platform,
): RecordMode {
  if (values.user !== undefined && platform !== 'linux')
    throw new UsageError('--user is supported only on Linux.');
  if (values.cpu === true && !SYSTEMS.includes(platform)) {
    throw new UsageError(
      '--cpu is supported only on Linux and Windows; "tracewright collect" has one for every system.',
    );
  }
  if (values.ring === true && !SYSTEMS.includes(platform))
    throw new UsageError('--ring is supported only on Linux and Windows.');
  if (values.frequency !== undefined && values.cpu !== true) throw new UsageError('--frequency needs --cpu.');
  if (values['user-events'] === true) return userEventsMode(values, command, platform);
  return systemMode(values, command, platform);
}

const SYSTEMS: readonly NodeJS.Platform[] = ['linux', 'win32'];
const WINDOWS_OPTIONS = Object.keys(ETW_OPTIONS) as (keyof typeof ETW_OPTIONS)[];
/** Windows takes at most so many samples per second. */
const MAX_SAMPLES = 8000;

function systemMode(values: RecordValues, command: readonly string[], platform: NodeJS.Platform): RecordMode {
  if (values['process-id'] !== undefined && values.cpu !== true && platform !== 'win32') {
    throw new UsageError(
      '--process-id needs --user-events or --cpu: "tracewright collect -p PID" records the events of one process.',
    );
  }
  if (values['process-id'] !== undefined && command.length > 0) {
    throw new UsageError('--process-id and a COMMAND exclude each other.');
  }
  if (platform === 'win32') {
    if (values.tracepoint !== undefined) throw new UsageError('--tracepoint is supported only on Linux.');
    if (values.provider === undefined) {
      throw new UsageError('On Windows, record needs a --provider, by name or GUID.');
    }
    const { frequency } = values;
    if (frequency !== undefined && frequency > MAX_SAMPLES) {
      throw new UsageError(`--frequency takes at most ${MAX_SAMPLES} on Windows, not "${frequency}".`);
    }
  } else {
    const other = WINDOWS_OPTIONS.find((option) => values[option] !== undefined);
    if (other !== undefined && !(other === 'max-size' && values.ring === true))
      throw new UsageError(`--${other} is supported only on Windows.`);
  }
  return 'system';
}

function userEventsMode(
  values: RecordValues,
  command: readonly string[],
  platform: NodeJS.Platform,
): RecordMode {
  if (platform !== 'linux') throw new UsageError('--user-events is supported only on Linux.');
  const other = (['tracepoint', ...WINDOWS_OPTIONS, 'ring'] as const).find(
    (option) => values[option] !== undefined,
  );
  if (other !== undefined) throw new UsageError(`--${other} cannot be combined with --user-events.`);
  if (values['process-id'] === undefined || command.length > 0) {
    throw new UsageError(
      '--user-events needs a --process-id and takes no COMMAND; to record a COMMAND, omit --user-events.',
    );
  }
  if (values.provider === undefined) {
    throw new UsageError('--user-events needs a --provider for each tracepoint to create.');
  }
  return 'user_events';
}
