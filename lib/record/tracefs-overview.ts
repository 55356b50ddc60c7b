/**
 * The overview of a Linux machine: its trace instances and users of perf events, and the tracepoints of user_events by
 * provider. Sources: Linux `Documentation/trace/ftrace.rst`, and user_events_status in `user_events.rst`.
 */
import { systemCodeOf } from '../base/system-code.ts';
import { parseTracepointName } from '../wire/eventheader/tracepoint-name-parse.ts';
import {
  byName,
  type OverviewEnabling,
  type OverviewProcess,
  type OverviewProvider,
  type OverviewSession,
  type TraceOverview,
} from './trace-overview.ts';
import { Tracefs } from './tracefs.ts';
import { INSTANCES, instanceOwner, lostIn, namesIn } from './tracefs-instance.ts';
import { USER_EVENTS } from './tracepoint-selection.ts';
import { programOf, type TracerProcesses, tracerProcesses } from './tracer-processes.ts';

/** Everything that is not an instance of its own. */
const MAIN = 'main';
const PERF = 'perf';
const STATUS_LINE = /^(?<name>.+?)(?: # Used by(?<users>(?: \w+)+))?$/;

type Files = Pick<Tracefs, 'read' | 'path'>;

interface Instance {
  readonly session: OverviewSession;
  /** `system:name` */
  readonly enabled: readonly string[];
}

/** @throws RecorderError if this user may not read tracefs */
export function tracefsOverview(
  tracefs: Files = new Tracefs(),
  processes: TracerProcesses = tracerProcesses(),
): TraceOverview {
  const instances = [
    mainInstance(tracefs),
    ...namesIn(tracefs.path(INSTANCES)).map((name) => instanceAt(tracefs, name, `${INSTANCES}/${name}`)),
  ].filter((one) => one !== undefined);
  const perf = processes.recording.map(
    (process): OverviewSession => ({ name: PERF, process, mode: ['perf events'] }),
  );
  const status = textOf(tracefs, 'user_events_status');
  return {
    sessions: byName([...instances.map(({ session }) => session), ...perf]),
    providers: byName([...userProviders(status ?? '', instances), ...kernelProviders(instances)]),
    sessionNotes: processes.hidden === 0 ? [] : [HIDDEN],
    providerNotes: [
      ...(status === undefined
        ? ['This kernel has no user_events, or does not let this user list them.']
        : []),
      ...(processes.hidden === 0 ? [] : [HIDDEN]),
      ...(processes.registered.length === 0 ? [] : [registeredText(processes.registered)]),
    ],
  };
}

const HIDDEN =
  'Only root sees who uses perf events and user_events: processes of other users are not listed.';

function registeredText(processes: readonly OverviewProcess[]): string {
  const texts = processes.map(({ processId, name = '' }) => `${name} (${processId})`);
  return `Processes that have user_events open: ${texts.join(', ')}.`;
}

/** Returns nothing unless something is enabled there: it always exists. */
function mainInstance(tracefs: Files): Instance | undefined {
  const main = instanceAt(tracefs, MAIN, '.');
  const isUsed = main.enabled.length > 0 || main.session.mode.some((word) => word.startsWith('tracer '));
  return isUsed ? main : undefined;
}

function instanceAt(tracefs: Files, name: string, folder: string): Instance {
  const text = (file: string) => textOf(tracefs, `${folder}/${file}`)?.trim() ?? '';
  const owner = instanceOwner(name);
  const tracer = text('current_tracer');
  const processors = namesIn(tracefs.path(`${folder}/per_cpu`));
  return {
    session: {
      name,
      ...(owner !== undefined && { process: { processId: owner, name: programOf(owner) } }),
      mode: [
        folder === '.' ? 'main ring buffer' : 'trace instance',
        text('options/overwrite') === '0' ? 'stops when full' : 'overwrites the oldest',
        ...(tracer === '' || tracer === 'nop' ? [] : [`tracer ${tracer}`]),
        ...(text('tracing_on') === '0' ? ['paused'] : []),
      ],
      buffers: processors.length,
      bufferKiB: kibibytesIn(text('buffer_size_kb')),
      lostEvents: processors.reduce((sum, cpu) => sum + lostIn(text(`per_cpu/${cpu}/stats`)), 0),
    },
    enabled: text('set_event')
      .split('\n')
      .filter((line) => line.includes(':')),
  };
}

/** `1408`; before the first use `7 (expanded: 1408)`; `X` if the processors differ. */
function kibibytesIn(text: string): number {
  return Number(/expanded: (\d+)/.exec(text)?.[1] ?? /^\d+/.exec(text)?.[0] ?? 0);
}

/** The tracepoints that programs have registered. */
function userProviders(status: string, instances: readonly Instance[]): OverviewProvider[] {
  const [list = ''] = status.split('\n\n', 1);
  const byProvider = new Map<string, { tracepoints: string[]; enabledBy: OverviewEnabling[] }>();
  for (const line of list.split('\n')) {
    const { name, users = '' } = STATUS_LINE.exec(line)?.groups ?? {};
    if (name === undefined) continue;
    const parts = parseTracepointName(name);
    const provider = parts?.provider ?? name;
    const entry = byProvider.get(provider) ?? { tracepoints: [], enabledBy: [] };
    byProvider.set(provider, entry);
    entry.tracepoints.push(name);
    for (const session of sessionsWith(name, users.trim().split(' '), instances)) {
      entry.enabledBy.push({
        session,
        tracepoint: name,
        ...(parts && { level: parts.level, keywords: parts.keyword }),
      });
    }
  }
  return Array.from(byProvider, ([name, entry]) => ({ name, source: USER_EVENTS, ...entry }));
}

/** Instances by name; for others, the kernel tells only what they use. */
function sessionsWith(name: string, users: readonly string[], instances: readonly Instance[]): string[] {
  const inInstances = instances
    .filter(({ enabled }) => enabled.some((one) => one.slice(one.indexOf(':') + 1) === name))
    .map(({ session }) => session.name);
  const isExplained = (user: string) => user === '' || (user === 'ftrace' && inInstances.length > 0);
  return [...inInstances, ...users.filter((user) => !isExplained(user))];
}

/** The systems of the kernel's own tracepoints that an instance has enabled. */
function kernelProviders(instances: readonly Instance[]): OverviewProvider[] {
  const bySystem = new Map<string, OverviewEnabling[]>();
  for (const { session, enabled } of instances) {
    for (const event of enabled) {
      const [system = '', tracepoint = ''] = event.split(':', 2);
      if (system.startsWith(USER_EVENTS)) continue;
      bySystem.set(system, [...(bySystem.get(system) ?? []), { session: session.name, tracepoint }]);
    }
  }
  return Array.from(bySystem, ([name, enabledBy]) => ({
    name,
    source: 'kernel',
    tracepoints: [...new Set(enabledBy.map(({ tracepoint = '' }) => tracepoint))],
    enabledBy,
  }));
}

/** Returns undefined if there is no such file, or this user may not read it. */
function textOf(tracefs: Files, path: string): string | undefined {
  try {
    return tracefs.read(path).toString();
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}
