/** The options of `tracewright record` that only ETW sessions have. */
import type { EtwRecordingSession } from '../../record/etw-recording.ts';
import { UsageError } from '../parse-options.ts';

export const ETW_OPTIONS = {
  mode: { type: 'string' },
  'event-id': { type: 'string', multiple: true },
  'not-event-id': { type: 'string', multiple: true },
  event: { type: 'string', multiple: true },
  exe: { type: 'string', multiple: true },
  'ignore-keyword-0': { type: 'boolean' },
  'stacks-for': { type: 'string', multiple: true },
  independent: { type: 'boolean' },
  'capture-state': { type: 'boolean' },
} as const;

export const ETW_USAGE = `Windows records with an ETW session, which has more options:

  --mode MODE               sequential (the default) stops at --max-size; circular then replaces the oldest events;
                            newfile goes on with another file, whose number replaces %d in FILE
  --exe NAME                only events of this program, such as node.exe; can be repeated
  --event-id ID             only events with this id; can be repeated, up to 64 times
  --not-event-id ID         only events with other ids; can be repeated, up to 64 times
  --event NAME              only events with this name, for TraceLogging providers; can be repeated
  --ignore-keyword-0        leaves out events without keywords
  --stacks-for ID           adds a stack to events with this id only; can be repeated
  --capture-state           asks the providers for their state at the start
  --independent             loses no event because another session does
`;

interface EtwValues {
  readonly mode?: string;
  readonly ring?: boolean;
  readonly output?: string;
  readonly 'event-id'?: readonly string[];
  readonly 'not-event-id'?: readonly string[];
  readonly event?: readonly string[];
  readonly exe?: readonly string[];
  readonly 'ignore-keyword-0'?: boolean;
  readonly stacks?: boolean;
  readonly 'stacks-for'?: readonly string[];
  readonly independent?: boolean;
  readonly 'capture-state'?: boolean;
}

const MODES = { sequential: 'sequential', circular: 'circular', newfile: 'newFile' } as const;
const MAX_IDS = 64;
const MAX_ID = 0xffff;

/** @throws UsageError */
export function etwArguments(values: EtwValues, processId: number | undefined): EtwRecordingSession {
  const { event, exe, stacks = false, independent = false } = values;
  const eventIds = idsArgument('event-id', values['event-id']);
  const exceptEventIds = idsArgument('not-event-id', values['not-event-id']);
  if (eventIds !== undefined && exceptEventIds !== undefined) {
    throw new UsageError('--event-id and --not-event-id exclude each other.');
  }
  const bad = exe?.find((name) => name === '' || name.length > 255 || name.includes(';'));
  if (bad !== undefined) throw new UsageError(`--exe takes the name of a program, not "${bad}".`);
  if (event?.includes('') === true) throw new UsageError('--event takes the name of an event, not "".');
  return {
    mode: modeOf(values),
    independent,
    capturesState: values['capture-state'] === true,
    filters: {
      ...(processId !== undefined && { processIds: [processId] }),
      ...(exe && { executables: exe }),
      ...(eventIds && { eventIds }),
      ...(exceptEventIds && { exceptEventIds }),
      ...(event && { eventNames: event }),
      ignoresKeyword0: values['ignore-keyword-0'] === true,
      stacks: idsArgument('stacks-for', values['stacks-for']) ?? stacks,
    },
  };
}

function modeOf({ mode, ring, output = '' }: EtwValues): EtwRecordingSession['mode'] {
  if (mode !== undefined && ring === true) throw new UsageError('--mode and --ring exclude each other.');
  if (ring === true) return 'memory';
  if (mode === undefined) return 'sequential';
  if (!Object.hasOwn(MODES, mode)) {
    throw new UsageError(`--mode takes sequential, circular or newfile, not "${mode}".`);
  }
  if (mode === 'newfile' && !output.includes('%d')) {
    throw new UsageError(
      `--mode newfile needs an --output with %d, which each file's number replaces, not "${output}".`,
    );
  }
  return MODES[mode as keyof typeof MODES];
}

function idsArgument(option: string, texts: readonly string[] | undefined): number[] | undefined {
  if (texts === undefined) return undefined;
  if (texts.length > MAX_IDS) {
    throw new UsageError(`--${option} can be given ${MAX_IDS} times, not ${texts.length}.`);
  }
  return texts.map((text) => {
    const id = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (id <= MAX_ID) return id;
    throw new UsageError(`--${option} takes the id of an event, from 0 to ${MAX_ID}, not "${text}".`);
  });
}
