/** Which way the events take that `tracewright record` records, and which options go with it. */
import { UsageError } from './usage-error.ts';

/**
 * - `system`: from all programs to the system's tracer
 * - `eventpipe`: from one process to us, by its diagnostic port
 * - `user_events`: from one process to the system's tracer, to which we open it the door
 */
export type RecordRoad = 'system' | 'eventpipe' | 'user_events';

interface RoadValues {
  readonly eventpipe?: boolean;
  readonly 'user-events'?: boolean;
  readonly 'process-id'?: string;
  readonly provider?: readonly string[];
  readonly tracepoint?: readonly string[];
  readonly stacks?: boolean;
  readonly 'max-size'?: string;
  readonly 'end-left-behind'?: boolean;
  readonly 'buffer-size'?: string;
  readonly user?: string;
}

/** @throws UsageError for options that do not go with it */
export function roadArgument(
  values: RoadValues,
  command: readonly string[],
  platform: NodeJS.Platform,
): RecordRoad {
  if (values.user !== undefined && platform !== 'linux') throw new UsageError('--user is for Linux.');
  if (values.eventpipe === true && values['user-events'] === true) {
    throw new UsageError('--eventpipe and --user-events are two ways, of which only one can be gone.');
  }
  if (values.eventpipe === true) return eventPipeRoad(values, command);
  if (values['user-events'] === true) return userEventsRoad(values, command, platform);
  return systemRoad(values, platform);
}

const WINDOWS_OPTIONS = ['stacks', 'max-size', 'end-left-behind'] as const;

function systemRoad(values: RoadValues, platform: NodeJS.Platform): RecordRoad {
  if (values['process-id'] !== undefined) {
    throw new UsageError(
      '--process-id goes with --eventpipe or --user-events: else, the whole system is recorded.',
    );
  }
  if (platform === 'win32') {
    if (values.tracepoint !== undefined) throw new UsageError('--tracepoint is for Linux.');
    if (values.provider === undefined) {
      throw new UsageError('On Windows, record takes the name or the GUID of a --provider.');
    }
  } else {
    const other = WINDOWS_OPTIONS.find((option) => values[option] !== undefined);
    if (other !== undefined) throw new UsageError(`--${other} is for Windows.`);
  }
  return 'system';
}

function eventPipeRoad(values: RoadValues, command: readonly string[]): RecordRoad {
  refuse('--eventpipe', values, ['tracepoint', ...WINDOWS_OPTIONS, 'buffer-size']);
  if ((values['process-id'] === undefined) === (command.length === 0)) {
    throw new UsageError('--eventpipe takes either a --process-id or a COMMAND behind --.');
  }
  if (values.user !== undefined && command.length === 0) {
    throw new UsageError('--user goes with a COMMAND: it is who runs it.');
  }
  return 'eventpipe';
}

function userEventsRoad(
  values: RoadValues,
  command: readonly string[],
  platform: NodeJS.Platform,
): RecordRoad {
  if (platform !== 'linux') throw new UsageError('--user-events is for Linux.');
  refuse('--user-events', values, ['tracepoint', ...WINDOWS_OPTIONS]);
  if (values['process-id'] === undefined || command.length > 0) {
    throw new UsageError('--user-events takes a --process-id, and no COMMAND: that is recorded without it.');
  }
  if (values.provider === undefined) {
    throw new UsageError('--user-events takes a --provider for each tracepoint that is to be made.');
  }
  return 'user_events';
}

function refuse(road: string, values: RoadValues, options: readonly (keyof RoadValues)[]): void {
  const other = options.find((option) => values[option] !== undefined);
  if (other !== undefined) throw new UsageError(`--${other} does not go with ${road}.`);
}
